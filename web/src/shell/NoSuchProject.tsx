import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { listProjects } from '#contract/projects.ts';
import { askSentence, useAdministrators } from '../kit/Denied.tsx';
import { Loaded } from '../kit/Loaded.tsx';
import { reading } from '../server/api.ts';
import { projectsReading } from '../server/project.ts';
import { useMe } from '../server/session.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Page, PageHead } from '../ui/Page.tsx';
import { PlainButtonLink } from '../ui/TextLink.tsx';
import { PageSkeleton } from './PageSkeleton.tsx';

interface Props {
  readonly nameOrId: string;
  /** The project was open a moment ago. */
  readonly wasSeen: boolean;
}

/** Leads to the project that had this name before, or says that there is none. */
export function NoSuchProject({ nameOrId, wasSeen }: Props) {
  const renamed = useQuery(reading(listProjects, { query: { formerName: nameOrId, limit: 1 } }));
  return (
    <Loaded query={renamed} skeleton={<PageSkeleton />}>
      {({ objects: [project] }) =>
        project ? (
          <Navigate to="." params={(all) => ({ ...all, project: project.name })} search={true} hash={true} replace />
        ) : (
          <NoProject nameOrId={nameOrId} wasSeen={wasSeen} />
        )
      }
    </Loaded>
  );
}

function NoProject({ nameOrId, wasSeen }: Props) {
  const { data } = useQuery(projectsReading);
  const me = useMe();
  const people = useAdministrators();
  return (
    <Page>
      <PageHead title={wasSeen ? nameOrId : 'No such project'} />
      <EmptyState
        title={wasSeen && !me.administrator ? `You can no longer see ${nameOrId}` : `No project ${nameOrId}`}
        action={(data?.objects ?? []).slice(0, 8).map(({ id, name }) => (
          <PlainButtonLink key={id} to="/p/$project/flags" params={{ project: name }}>
            {name}
          </PlainButtonLink>
        ))}
      >
        {me.administrator
          ? 'It was deleted, or the name is wrong.'
          : `It is not open to you, it was deleted, or the name is wrong. ${askSentence(people)}`}
      </EmptyState>
    </Page>
  );
}
