import { listChanges } from '#contract/changes.ts';
import { createProject } from '#contract/projects.ts';
import type { ObjectType } from '#domain/changes.ts';
import { ChangeList } from '../../activity/ChangeList.tsx';
import { Denied } from '../../kit/Denied.tsx';
import { useEnvironments, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { Page, PageHead } from '../../ui/Page.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { ActivityFilters } from './ActivityFilters.tsx';
import { filterOf, useActivitySearch } from './activity-search.ts';
import { NoChanges } from './NoChanges.tsx';

const offered: readonly ObjectType[] = [
  'definition',
  'flag',
  'segment',
  'environment',
  'trafficType',
  'attribute',
  'identity',
  'flag_set',
  'workspace',
  'restriction',
  'api_key',
];

/** Activity in a project. */
export function ProjectActivityPage() {
  const project = useProject();
  const environments = useEnvironments();
  const may = useMay();
  const { search } = useActivitySearch();
  if (!may(listChanges)) return <Denied title="Activity" />;
  const isAdministrator = may(createProject);
  const environment = environments.find(({ name }) => name === search.env);
  return (
    <Page>
      <PageHead
        title="Activity"
        within={project.name}
        lead={
          isAdministrator && (
            <>
              Changes in {project.name}. For people, groups and other projects, see{' '}
              <TextLink to="/admin/activity">all activity</TextLink>.
            </>
          )
        }
      />
      <ActivityFilters
        // Only administrators can see changes to API keys.
        offered={isAdministrator ? offered : offered.filter((kind) => kind !== 'api_key')}
        environments={environments}
      />
      <ChangeList
        filter={{
          ...filterOf(search),
          workspaceId: project.id,
          // An unknown environment has no changes.
          environmentId: search.env === undefined ? undefined : (environment?.id ?? 'unknown'),
        }}
        empty={<NoChanges />}
      />
    </Page>
  );
}
