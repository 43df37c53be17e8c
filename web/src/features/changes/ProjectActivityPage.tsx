import { useQuery } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { getFlag } from '#contract/flags.ts';
import { createProject } from '#contract/projects.ts';
import { type ObjectType, objectTypes } from '#domain/changes.ts';
import { ChangeList } from '../../activity/ChangeList.tsx';
import { Denied } from '../../kit/Denied.tsx';
import { FlagFilter } from '../../kit/FlagFilter.tsx';
import { reading } from '../../server/api.ts';
import { useEnvironments, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { Page, PageHead } from '../../ui/Page.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { ActivityCalendar } from './ActivityCalendar.tsx';
import { ActivityFilters } from './ActivityFilters.tsx';
import { filterOf, useActivitySearch } from './activity-search.ts';
import { DownloadMenu } from './DownloadMenu.tsx';
import { NoChanges } from './NoChanges.tsx';

/** These are not in a project. */
const ofAccount: readonly ObjectType[] = ['user', 'group', 'import', 'account'];
const offered = objectTypes.filter((type) => !ofAccount.includes(type));

/** Activity in a project. */
export function ProjectActivityPage() {
  const project = useProject();
  const environments = useEnvironments();
  const may = useMay();
  const { search, change } = useActivitySearch();
  const { data: flag, error } = useQuery({
    ...reading(getFlag, { params: { project: project.id, flag: search.flag ?? '' } }),
    enabled: search.flag !== undefined,
    retry: false,
  });
  if (!may(listChanges)) return <Denied title="Activity" />;
  const isAdministrator = may(createProject);
  const environment = environments.find(({ name }) => name === search.env);
  // An unknown environment or flag has no changes.
  const filter = {
    ...filterOf(search),
    workspaceId: project.id,
    environmentId: search.env === undefined ? undefined : (environment?.id ?? 'unknown'),
    objectId: search.flag === undefined ? undefined : (flag?.id ?? 'unknown'),
  };
  const isReady = search.flag === undefined || flag !== undefined || error !== null;
  return (
    <Page>
      <PageHead
        title="Activity"
        within={project.name}
        tools={<DownloadMenu filter={filter} />}
        lead={
          isAdministrator && (
            <>
              Changes in {project.name}. For people, groups and other projects, see the{' '}
              <TextLink to="/admin/activity">audit log</TextLink>.
            </>
          )
        }
      />
      <ActivityFilters
        // Only administrators can see changes to API keys.
        offered={isAdministrator ? offered : offered.filter((kind) => kind !== 'api_key')}
        environments={environments}
      >
        <FlagFilter what="Flag" value={search.flag} onChange={(flag) => change({ flag })} />
      </ActivityFilters>
      {isReady && (
        <>
          <ActivityCalendar filter={filter} />
          <ChangeList filter={filter} empty={<NoChanges />} />
        </>
      )}
    </Page>
  );
}
