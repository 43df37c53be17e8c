import { Type } from 'typebox';
import { RolloutStatus } from '#domain/rollout-statuses.ts';
import { endpoint } from './endpoint.ts';
import { ProjectWord } from './parts.ts';

export const listRolloutStatuses = endpoint({
  method: 'GET',
  path: '/rolloutStatuses',
  summary: 'List rollout statuses',
  description: 'The statuses of the project `wsId`, in order.',
  access: { needs: 'rolloutStatus.read', scope: 'environment' },
  query: Type.Object({ wsId: ProjectWord }),
  reply: Type.Array(RolloutStatus),
  problems: ['project_not_found'],
});

export const listRolloutStatusesOfProject = endpoint({
  method: 'GET',
  path: '/rolloutStatuses/ws/:project',
  summary: 'List rollout statuses by path',
  access: { needs: 'rolloutStatus.read', scope: 'environment' },
  reply: Type.Array(RolloutStatus),
  problems: [],
});
