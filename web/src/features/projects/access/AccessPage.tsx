import { useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { changeProjectAccess } from '#contract/restrictions.ts';
import { everyoneReading, type GroupAnswer, groupsReading, readEveryone } from '../../../administration/whole-lists.ts';
import { askSentence, useAdministrators } from '../../../kit/Denied.tsx';
import { explain } from '../../../kit/explain.ts';
import { Failure } from '../../../kit/Failure.tsx';
import { Loaded } from '../../../kit/Loaded.tsx';
import { saveFile } from '../../../kit/save-file.ts';
import type { ApiProblem } from '../../../server/api-problem.ts';
import { useProject } from '../../../server/project.ts';
import { useMay } from '../../../server/session.ts';
import { toastFailure } from '../../../state/toasts.ts';
import { useLeaveWarning } from '../../../state/use-leave-warning.ts';
import { Button } from '../../../ui/Button.tsx';
import { CrumbLink, Page, PageHead } from '../../../ui/Page.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { SettingsTabs } from '../SettingsTabs.tsx';
import { AccessSaveBar } from './AccessSaveBar.tsx';
import { ApprovalLists } from './ApprovalLists.tsx';
import type { SavedAccess } from './access-draft.ts';
import { accessReading, EditingContext, useAccessEditing } from './access-editing.ts';
import { EnvironmentLists } from './EnvironmentLists.tsx';
import { csvOf, peopleOf, rightsOf } from './effective-rights.ts';
import { ProjectLists } from './ProjectLists.tsx';
import { RightsMatrix } from './RightsMatrix.tsx';

/** Who can view and edit a project, and who can edit and kill in its environments. */
export function AccessPage() {
  const project = useProject();
  const saved = useQuery(accessReading(project.id));
  return saved.data ? (
    <Access key={project.id} saved={saved.data} />
  ) : (
    <Page>
      <AccessHead />
      <Loaded query={saved} skeleton={<SkeletonRows />}>
        {() => null}
      </Loaded>
    </Page>
  );
}

function Access({ saved }: { readonly saved: SavedAccess }) {
  const editing = useAccessEditing(saved);
  const { base, access, changes } = editing;
  const groups = useQuery(groupsReading);
  const everyone = useQuery(everyoneReading);
  const people = useMemo(
    () => everyone.data && groups.data && peopleOf(everyone.data.people, groups.data),
    [everyone.data, groups.data],
  );
  const rows = useMemo(() => people && rightsOf(people, base, access), [people, base, access]);
  const failed = [groups, everyone].find(({ error, data }) => error && !data);
  useLeaveWarning(changes > 0);
  return (
    <EditingContext value={editing}>
      <Page>
        <AccessHead download={groups.data && { saved, groups: groups.data }} />
        <ProjectLists />
        {access.environments.length > 0 && (
          <>
            <EnvironmentLists />
            <ApprovalLists />
          </>
        )}
        {rows && everyone.data ? (
          <RightsMatrix rows={rows} isWhole={everyone.data.isWhole} />
        ) : failed?.error ? (
          <Failure problem={failed.error} onRetry={failed.refetch} />
        ) : (
          <SkeletonRows />
        )}
      </Page>
      {changes > 0 && <AccessSaveBar rows={rows} />}
    </EditingContext>
  );
}

interface DownloadProps {
  readonly saved: SavedAccess;
  readonly groups: readonly GroupAnswer[];
}

/** Reads everyone again, because the page may have only the first. */
function DownloadButton({ saved, groups }: DownloadProps) {
  const { mutate, isPending } = useMutation<string, ApiProblem>({
    mutationFn: async () => {
      const { people } = await readEveryone();
      return csvOf(rightsOf(peopleOf(people, groups), saved, saved));
    },
    onSuccess: (text) => saveFile(`access-${saved.name}.csv`, text),
    onError: (problem) => toastFailure(explain(problem)),
  });
  return (
    <Button look="quiet" isBusy={isPending} onClick={() => mutate()}>
      <Download size={15} aria-hidden /> Download as CSV
    </Button>
  );
}

function AccessHead({ download }: { readonly download?: DownloadProps | undefined }) {
  const project = useProject();
  const may = useMay();
  const params = { project: project.name };
  return (
    <>
      <PageHead
        title="Access"
        within={project.name}
        crumbs={
          <>
            <CrumbLink to="/p/$project/flags" params={params}>
              {project.name}
            </CrumbLink>
            <CrumbLink to="/p/$project/settings" params={params}>
              Project settings
            </CrumbLink>
          </>
        }
        lead={
          may(changeProjectAccess) ? (
            'Who can see this project, who can change it, and who can act in each environment.'
          ) : (
            <ReadOnly />
          )
        }
        tools={download && <DownloadButton {...download} />}
      />
      <SettingsTabs />
    </>
  );
}

function ReadOnly() {
  const people = useAdministrators();
  return <p>Only administrators can change access. {askSentence(people)}</p>;
}
