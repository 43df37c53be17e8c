import { useQuery } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { objectTypes } from '#domain/changes.ts';
import { ChangeList } from '../../activity/ChangeList.tsx';
import { Denied } from '../../kit/Denied.tsx';
import { environmentsReading, projectsReading } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { FilterButton } from '../../ui/FilterButton.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { Picker } from '../../ui/Picker.tsx';
import { ActivityCalendar } from './ActivityCalendar.tsx';
import { ActivityFilters } from './ActivityFilters.tsx';
import { filterOf, useActivitySearch } from './activity-search.ts';
import { DownloadMenu } from './DownloadMenu.tsx';
import { NoChanges } from './NoChanges.tsx';

/** Activity across the account, as far as you can see it. */
export function AccountActivityPage() {
  const may = useMay();
  const { search } = useActivitySearch();
  const { data: projects } = useQuery(projectsReading);
  const project = projects?.objects.find(({ name }) => name === search.project);
  const environments = useQuery({
    ...environmentsReading(project?.id ?? ''),
    enabled: project !== undefined,
  });
  if (!may(listChanges)) return <Denied title="Audit log" />;
  const environment = environments.data?.find(({ name }) => name === search.env);
  const filter = {
    ...filterOf(search),
    // An unknown project or environment has no changes.
    workspaceId: search.project === undefined ? undefined : (project?.id ?? 'unknown'),
    environmentId: search.env === undefined ? undefined : (environment?.id ?? 'unknown'),
  };
  return (
    <Page>
      <PageHead
        title="Audit log"
        lead="Changes in every project, to people, groups and API keys, and sign-ins."
        tools={<DownloadMenu filter={filter} />}
      />
      <ActivityFilters offered={objectTypes} environments={project ? (environments.data ?? []) : []}>
        <ProjectFilter names={(projects?.objects ?? []).map(({ name }) => name)} />
      </ActivityFilters>
      <ActivityCalendar filter={filter} />
      <ChangeList filter={filter} namesProject empty={<NoChanges />} />
    </Page>
  );
}

function ProjectFilter({ names }: { readonly names: readonly string[] }) {
  const { search, change } = useActivitySearch();
  return (
    <FilterButton
      what="Project"
      value={search.project}
      onClear={() => change({ project: undefined, env: undefined })}
      picker={(trigger) => (
        <Picker
          label="Project"
          options={names.map((name) => ({ id: name, label: name }))}
          selected={search.project ?? ''}
          onChoose={(project) => change({ project: project === search.project ? undefined : project, env: undefined })}
          trigger={trigger}
        />
      )}
    />
  );
}
