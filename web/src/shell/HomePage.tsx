import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { createProject } from '#contract/projects.ts';
import { askSentence, useAdministrators } from '../kit/Denied.tsx';
import { Loaded } from '../kit/Loaded.tsx';
import { projectsReading, useLikelyProject } from '../server/project.ts';
import { useMay } from '../server/session.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page, PageHead } from '../ui/Page.tsx';
import { PrimaryButtonLink } from '../ui/TextLink.tsx';

/** The start page: the flag list of the project visited last. */
export function HomePage() {
  const projects = useQuery(projectsReading);
  const project = useLikelyProject();
  if (project) return <Navigate to="/p/$project/flags" params={{ project: project.name }} replace />;
  return (
    <Page>
      <Loaded query={projects}>{() => <NoProject />}</Loaded>
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
