import { copyProject, deleteProject, patchProject } from '#contract/projects.ts';
import { askSentence, useAdministrators } from '../../kit/Denied.tsx';
import { useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { Page, PageHead } from '../../ui/Page.tsx';
import { CopyProjectCard } from './CopyProjectCard.tsx';
import { DeleteProjectCard } from './DeleteProjectCard.tsx';
import { GeneralCard } from './GeneralCard.tsx';
import { RolloutStatusesCard } from './RolloutStatusesCard.tsx';
import { SettingsTabs } from './SettingsTabs.tsx';
import { TrafficTypesCard } from './TrafficTypesCard.tsx';

/** Settings of a project, except its flags, environments and access. */
export function ProjectSettingsPage() {
  const project = useProject();
  const may = useMay();
  return (
    <Page width="narrow">
      <PageHead title="Project settings" within={project.name} lead={!may(patchProject) && <ViewOnly />} />
      <SettingsTabs />
      <GeneralCard key={project.id} />
      <TrafficTypesCard />
      <RolloutStatusesCard />
      {may(copyProject) && <CopyProjectCard />}
      {may(deleteProject) && <DeleteProjectCard />}
    </Page>
  );
}

function ViewOnly() {
  const people = useAdministrators();
  return <p>Only administrators can change these settings. {askSentence(people)}</p>;
}
