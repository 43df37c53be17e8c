import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { inviteUser } from '#contract/users.ts';
import type { Project } from '#domain/projects.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { type Environment, environmentsReading, projectsReading, useLikelyProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { PlainButtonLink, PrimaryButtonLink } from '../../ui/TextLink.tsx';
import { ChangeLive } from './ChangeLive.tsx';
import { ConnectStep, useConnection } from './ConnectStep.tsx';
import { definitionInWords, type Start, useProgress } from './progress.ts';
import { Step } from './Step.tsx';
import styles from './WelcomePage.module.css';
import { useWelcomeSearch } from './welcome-search.ts';

/** The first steps, from a flag to an application that answers it. A step is ticked by what really happened. */
export function WelcomePage() {
  const projects = useQuery(projectsReading);
  const project = useLikelyProject();
  return (
    <Page width="narrow">
      <PageHead title="Getting started" lead="Create a flag and ask for it in your own code, in about five minutes." />
      <Loaded query={projects} skeleton={skeleton}>
        {() => (project ? <StepsIn project={project} /> : <NoProject />)}
      </Loaded>
    </Page>
  );
}

const skeleton = <SkeletonRows rows={5} height={64} />;

function StepsIn({ project }: { readonly project: Project }) {
  const environments = useQuery(environmentsReading(project.id));
  const { search } = useWelcomeSearch();
  return (
    <Loaded query={environments} skeleton={skeleton}>
      {(all) => {
        const environment = all.find(({ name }) => name === search.env) ?? all[0];
        return <Steps start={{ project, environment }} environments={all} />;
      }}
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

interface StepsProps {
  readonly start: Start;
  readonly environments: readonly Environment[];
}

function Steps({ start, environments }: StepsProps) {
  const { project, environment } = start;
  const { isLoading, flag, isOwn, definition, hasInvited } = useProgress(start);
  const connection = useConnection(start, definition);
  const may = useMay();
  const navigate = useNavigate();
  if (isLoading) return skeleton;
  const params = { project: project.name };
  const flagParams = { ...params, flag: flag?.name ?? '', environment: environment?.name ?? '' };
  const current = !flag ? 1 : !definition ? 2 : !connection.sdk ? 3 : !connection.hasAnswered ? 4 : 5;
  const place = environment?.name ?? 'an environment';
  return (
    <>
      <ol className={styles.steps}>
        <Step
          number={1}
          title={`Create a flag in ${project.name}`}
          done={
            flag && (
              <>
                {isOwn ? 'Done' : 'Done by your team'}: {flag.name}
              </>
            )
          }
          isCurrent={current === 1}
          action={
            flag ? undefined : (
              <PrimaryButtonLink to="/p/$project/flags/new" params={params} search={{ start: 'true' }}>
                Create a flag
              </PrimaryButtonLink>
            )
          }
        />
        <Step
          number={2}
          title={`Define it in ${place}`}
          about="Choose who gets what. Then try a key under “Who sees what”."
          done={definition && <>Done: {definitionInWords(definition)}</>}
          isCurrent={current === 2}
          action={
            flag && environment && !definition ? (
              <PlainButtonLink to="/p/$project/flags/$flag/$environment" params={flagParams}>
                Open the flag
              </PlainButtonLink>
            ) : undefined
          }
        />
        {definition && environment ? (
          <>
            <ConnectStep {...{ connection, definition, environment, environments, project }} />
            <ChangeLive
              key={`${definition.environment.id} ${definition.name}`}
              {...{ connection, definition, environment, project }}
            />
          </>
        ) : (
          <>
            <Step
              number={3}
              title="Connect your application"
              about="Choose an SDK, run the snippet, and watch it arrive here."
              isCurrent={false}
            />
            <Step number={4} title="Change it live" about={afterConnecting} isCurrent={false} />
          </>
        )}
        {may(inviteUser) && (
          <Step
            number={5}
            title="Invite your team"
            about="They get a link and choose their own password."
            done={hasInvited ? 'Done' : undefined}
            isCurrent={current === 5}
            action={
              hasInvited ? undefined : (
                <PlainButtonLink to="/admin/users" search={{ invite: '' }}>
                  Invite people
                </PlainButtonLink>
              )
            }
          />
        )}
      </ol>
      <p className={styles.foot}>
        {definition && connection.sdk && (
          <PrimaryButtonLink to="/p/$project/flags/$flag/$environment" params={flagParams}>
            Open {definition.name}
          </PrimaryButtonLink>
        )}
        <Button look="quiet" onClick={() => void navigate({ to: '/p/$project/flags', params })}>
          Go to flags
        </Button>
        This page stays in the menu under your name.
      </p>
    </>
  );
}

const afterConnecting = 'Once connected, change the flag here and watch your application answer.';
