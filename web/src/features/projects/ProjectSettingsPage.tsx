import { useState } from 'react';
import { copyProject, deleteProject, patchProject } from '#contract/projects.ts';
import { askSentence, useAdministrators } from '../../kit/Denied.tsx';
import { useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { CopyProjectCard } from './CopyProjectCard.tsx';
import { DeleteProjectDialog } from './DeleteProjectDialog.tsx';
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

function DeleteProjectCard() {
  const project = useProject();
  const [isAsking, setAsking] = useState(false);
  return (
    <Card title="Delete" lead={`Deletes ${project.name} with everything in it.`}>
      <div>
        <Button look="danger" onClick={() => setAsking(true)}>
          Delete project
        </Button>
      </div>
      {isAsking && <DeleteProjectDialog onClose={() => setAsking(false)} />}
    </Card>
  );
}

function ViewOnly() {
  const people = useAdministrators();
  return <p>Only administrators can change these settings. {askSentence(people)}</p>;
}
