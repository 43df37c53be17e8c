import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
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
import { LongCommand } from '../../ui/Command.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { PlainButtonLink, PrimaryButtonLink } from '../../ui/TextLink.tsx';
import { type Start, useProgress } from './progress.ts';
import styles from './WelcomePage.module.css';

/** The first steps. Each shows as done once its result exists, however it came about. */
export function WelcomePage() {
  const { user } = useMe();
  const projects = useQuery(projectsReading);
  const project = useLikelyProject();
  return (
    <Page width="narrow">
      <PageHead title="Getting started" lead={`Welcome, ${user.name}.`} />
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
    title="No project yet"
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
        <Step title={`Create a flag in ${project.name}`} done={flag && `Done: ${flag.name}`}>
          <PrimaryButtonLink to="/p/$project/flags/new" params={params}>
            Create a flag
          </PrimaryButtonLink>
        </Step>
        <Step
          title={environment ? `Define it in ${environment.name}` : 'Define it in an environment'}
          about="Choose who gets what. Then try a key under “Who sees what”."
          done={isDefined ? `Done: ${flag?.name} is defined in ${environment?.name}` : undefined}
        >
          {flag && environment && (
            <PlainButtonLink to="/p/$project/flags/$flag/$environment" params={flagParams}>
              Open the flag
            </PlainButtonLink>
          )}
        </Step>
        {may(listApiKeys) && may(createApiKey) && (
          <Step
            title="Create an API key for scripts"
            about="For CI, Terraform and tools. Choose only the roles it needs, and never ship an admin key in an application."
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
      <p className={styles.note}>You cannot connect an application yet: this release does not serve SDKs.</p>
      {isDefined && flag && environment && (
        <section className={styles.script} aria-labelledby="script">
          <h2 id="script">Read the definition from a script</h2>
          <p>With a key that has the role Flag viewer in BURGEE_KEY:</p>
          <LongCommand text={curlOf({ project: project.id, flag: flag.name, environment: environment.id })} />
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

interface StepProps {
  readonly title: string;
  readonly about?: string;
  /** The proof that it is done; undefined until then. */
  readonly done: string | undefined;
  /** The action. Hidden once it is done. */
  readonly children?: ReactNode;
}

const Step = ({ title, about, done, children }: StepProps) => (
  <li className={styles.step}>
    <span className={done === undefined ? styles.open : styles.done} aria-hidden>
      {done !== undefined && <Check size={13} strokeWidth={2.5} />}
    </span>
    <div className={styles.words}>
      <h2 className={styles.title}>{title}</h2>
      {(done ?? about) && <p className={done === undefined ? styles.about : styles.proof}>{done ?? about}</p>}
    </div>
    {done === undefined && <div className={styles.action}>{children}</div>}
  </li>
);
