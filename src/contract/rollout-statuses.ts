import { Type } from 'typebox';
import { RolloutStatus } from '#domain/rollout-statuses.ts';
import { endpoint } from './endpoint.ts';
import { ProjectWord } from './parts.ts';

export const listRolloutStatuses = endpoint({
  method: 'GET',
  path: '/rolloutStatuses',
  summary: 'List rollout statuses',
  description: 'Those of the project `wsId`, in their order.',
  access: { needs: 'rolloutStatus.read', scope: 'environment' },
  query: Type.Object({ wsId: ProjectWord }),
  reply: Type.Array(RolloutStatus),
  problems: ['project_not_found'],
});

export const listRolloutStatusesOfProject = endpoint({
  method: 'GET',
  path: '/rolloutStatuses/ws/:project',
  summary: 'List rollout statuses, the project in the path',
  access: { needs: 'rolloutStatus.read', scope: 'environment' },
  reply: Type.Array(RolloutStatus),
  problems: [],
});
