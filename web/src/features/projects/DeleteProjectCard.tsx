import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { listApiKeys } from '#contract/api-keys.ts';
import { deleteProject } from '#contract/projects.ts';
import { countOf, listed } from '../../administration/count.ts';
import { Obstacle, Obstacles } from '../../administration/Obstacles.tsx';
import { apiKeysReading } from '../../administration/whole-lists.ts';
import { FormModal } from '../../kit/FormModal.tsx';
import { useForm } from '../../kit/form.ts';
import { call } from '../../server/api.ts';
import { useEnvironments, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { useFlagCount, useRefreshProjects, useTrafficTypes } from './project-changes.ts';
import { trafficTypesId } from './TrafficTypesCard.tsx';

/** Deletes an empty project, or says what to remove first, in order. */
export function DeleteProjectCard() {
  const project = useProject();
  const environments = useEnvironments();
  const flags = useFlagCount() ?? 0;
  const trafficTypes = useTrafficTypes().data;
  const [isAsking, setAsking] = useState(false);
  const params = { project: project.name };
  const isEmpty = flags === 0 && environments.length === 0 && trafficTypes?.length === 0;
  return (
    <Card
      title="Delete"
      lead={
        isEmpty
          ? 'It is empty, so you can delete it.'
          : 'You can delete only an empty project. First remove, in this order:'
      }
    >
      {!isEmpty && (
        <Obstacles>
          <Obstacle isThere={flags > 0} title={countOf(flags, 'flag')}>
            <TextLink to="/p/$project/flags" params={params}>
              Delete them
            </TextLink>
          </Obstacle>
          <Obstacle isThere={environments.length > 0} title={countOf(environments.length, 'environment')}>
            {listed(environments.map(({ name }) => name))}.{' '}
            <TextLink to="/p/$project/environments" params={params}>
              Delete them
            </TextLink>
          </Obstacle>
          <Obstacle
            isThere={trafficTypes === undefined || trafficTypes.length > 0}
            title={countOf(trafficTypes?.length ?? 0, 'traffic type')}
          >
            {listed((trafficTypes ?? []).map(({ name }) => name))}.{' '}
            <TextLink to="." hash={trafficTypesId}>
              Delete them
            </TextLink>
          </Obstacle>
        </Obstacles>
      )}
      <div>
        <Button look="danger" disabled={!isEmpty} onClick={() => setAsking(true)}>
          Delete project
        </Button>
      </div>
      {isAsking && <DeleteProjectDialog onClose={() => setAsking(false)} />}
    </Card>
  );
}

function DeleteProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const project = useProject();
  const may = useMay();
  const navigate = useNavigate();
  const refresh = useRefreshProjects();
  const keys = useQuery({ ...apiKeysReading, enabled: may(listApiKeys) });
  const ending = (keys.data ?? []).filter(({ workspace }) => workspace?.id === project.id).map(({ name }) => name);
  const { form, problem, isSending } = useForm({
    rules: {},
    send: () => call(deleteProject, { params: { project: project.id } }),
    onDone: async () => {
      toast(`Deleted ${project.name}.`);
      await navigate({ to: '/admin/settings' });
      await refresh();
    },
  });
  return (
    <FormModal
      kind="alert"
      title={`Delete ${project.name}?`}
      about={
        ending.length === 0
          ? 'Its activity is kept. No API key is for this project.'
          : `Its activity is kept. ${countOf(ending.length, 'API key stops', 'API keys stop')} working: ${listed(ending)}.`
      }
      form={form}
      problem={problem}
      isSending={isSending}
      submit="Delete project"
      look="danger-fill"
      onClose={onClose}
    />
  );
}
