import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { createProject } from '#contract/projects.ts';
import type { Project } from '#domain/projects.ts';
import { askSentence, useAdministrators } from '../kit/Denied.tsx';
import { Loaded } from '../kit/Loaded.tsx';
import { hasVisitedProject, projectsReading, useLikelyProject } from '../server/project.ts';
import { useMay, useMe } from '../server/session.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page, PageHead } from '../ui/Page.tsx';
import { PlainButtonLink, PrimaryButtonLink } from '../ui/TextLink.tsx';
import styles from './HomePage.module.css';

/** The start page: the flag list of the project visited last. People who have visited none choose one. */
export function HomePage() {
  const projects = useQuery(projectsReading);
  const project = useLikelyProject();
  const all = projects.data?.objects ?? [];
  if (all.length > 1 && !hasVisitedProject()) return <Choice projects={all} />;
  if (project) return <Navigate to="/p/$project/flags" params={{ project: project.name }} replace />;
  return (
    <Page>
      <Loaded query={projects}>{() => <NoProject />}</Loaded>
    </Page>
  );
}

function Choice({ projects }: { readonly projects: readonly Project[] }) {
  const { user } = useMe();
  return (
    <Page width="narrow">
      <PageHead
        title={`Welcome, ${user.name}`}
        lead="Which project do you work on? You can switch at any time, at the top of the navigation."
      />
      <ul className={styles.projects}>
        {projects.map(({ id, name }) => (
          <li key={id}>
            <PlainButtonLink to="/p/$project/flags" params={{ project: name }}>
              {name}
            </PlainButtonLink>
          </li>
        ))}
      </ul>
    </Page>
  );
}

function NoProject() {
  const may = useMay();
  return (
    <>
      <PageHead title="No project yet" />
      {may(createProject) ? (
        <EmptyState
          title="Flags live in projects"
          action={<PrimaryButtonLink to="/admin/settings">Create a project</PrimaryButtonLink>}
        >
          A project holds the flags and environments of a product.
        </EmptyState>
      ) : (
        <NoneOpen />
      )}
    </>
  );
}

const NoneOpen = () => (
  <EmptyState title="You cannot view any project yet">
    Someone has to give you access to one. {askSentence(useAdministrators())}
  </EmptyState>
);
