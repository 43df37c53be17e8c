import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createApiKey, listApiKeys } from '#contract/api-keys.ts';
import { getDefinition } from '#contract/definitions.ts';
import { listEnvironments } from '#contract/environments.ts';
import { inviteUser } from '#contract/users.ts';
import type { Project } from '#domain/projects.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { reading, urlOf } from '../../server/api.ts';
import { inOrder, projectsReading, useLikelyProject } from '../../server/project.ts';
import { useMay, useMe } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { PlainButtonLink, PrimaryButtonLink } from '../../ui/TextLink.tsx';
import { type Start, useProgress } from './progress.ts';
import { Step } from './Step.tsx';
import styles from './WelcomePage.module.css';

/** The first steps, in any order. Each ticks itself from what is there. */
export function WelcomePage() {
  const { user } = useMe();
  const projects = useQuery(projectsReading);
  const project = useLikelyProject();
  return (
    <Page width="narrow">
      <PageHead title="Getting started" lead={`Welcome, ${user.name}. Do these steps in any order.`} />
      <Loaded query={projects} skeleton={skeleton}>
        {() => (project ? <StepsIn project={project} /> : <NoProject />)}
      </Loaded>
    </Page>
  );
}

const skeleton = <SkeletonRows rows={5} height={64} />;

function StepsIn({ project }: { readonly project: Project }) {
  const environments = useQuery(reading(listEnvironments, { params: { project: project.id } }));
  return (
    <Loaded query={environments} skeleton={skeleton}>
      {(all) => <Steps start={{ project, environment: inOrder(all)[0] }} />}
    </Loaded>
  );
}

const NoProject = () => (
  <EmptyState
    title="There is no project yet"
    action={<PrimaryButtonLink to="/admin/settings">Create a project</PrimaryButtonLink>}
  >
    Flags live in projects.
  </EmptyState>
);

function Steps({ start }: { readonly start: Start }) {
  const { project, environment } = start;
  const { flag, isDefined, key, hasInvited } = useProgress(start);
  const may = useMay();
  const navigate = useNavigate();
  const params = { project: project.name };
  const flagParams = { ...params, flag: flag?.name ?? '', environment: environment?.name ?? '' };
  return (
    <>
      <ol className={styles.steps}>
        <Step title="Create a flag" done={flag && `Done: ${flag.name}`}>
          <PrimaryButtonLink to="/p/$project/flags/new" params={params}>
            Create a flag
          </PrimaryButtonLink>
        </Step>
        <Step
          title={environment ? `Define it in ${environment.name}` : 'Define it in an environment'}
          about="What people get, and who gets it. Then try a key under “Who sees what”."
          done={isDefined ? `Done: ${flag?.name} is defined in ${environment?.name}` : undefined}
        >
          {flag && environment && (
            <PlainButtonLink to="/p/$project/flags/$flag/$environment" params={flagParams}>
              Open the flag
            </PlainButtonLink>
          )}
        </Step>
        <Step
          title="Connect your application"
          about="Not possible yet: this release does not serve SDKs, so SDK keys do not open anything."
          done={undefined}
        />
        {may(listApiKeys) && may(createApiKey) && (
          <Step
            title="Create an API key for scripts"
            about="For CI, Terraform and tools. Choose the fewest roles that will do, and never ship an admin key in an application."
            done={key && `Done: ${key.name}`}
          >
            <PlainButtonLink to="/admin/api-keys" search={{ new: '' }}>
              Create a key
            </PlainButtonLink>
          </Step>
        )}
        {may(inviteUser) && (
          <Step
            title="Invite someone"
            about="They get a link and choose their own password."
            done={hasInvited ? 'Done' : undefined}
          >
            <PlainButtonLink to="/admin/users" search={{ invite: '' }}>
              Invite
            </PlainButtonLink>
          </Step>
        )}
      </ol>
      {isDefined && flag && environment && (
        <section className={styles.script} aria-labelledby="script">
          <h2 id="script">Read the definition from a script</h2>
          <p>With a key that has the role Flag viewer in BURGEE_KEY:</p>
          <CodeBlock
            text={curlOf({ project: project.id, flag: flag.name, environment: environment.id })}
            what="the command"
          />
        </section>
      )}
      <p className={styles.foot}>
        <Button look="quiet" onClick={() => void navigate({ to: '/p/$project/flags', params })}>
          Go to flags
        </Button>
        This page stays in the menu under your name.
      </p>
    </>
  );
}

const curlOf = (params: Readonly<Record<'project' | 'flag' | 'environment', string>>): string =>
  `curl -s ${location.origin}${urlOf(getDefinition, { params })} \\
  -H "Authorization: Bearer $BURGEE_KEY"`;
