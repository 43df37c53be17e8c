import { Type } from 'typebox';
import {
  NewRolloutStatus,
  OwnRolloutStatus,
  RolloutStatus,
  RolloutStatusMove,
  RolloutStatusUpdate,
  UsedRolloutStatus,
} from '#domain/rollout-statuses.ts';
import { extend, OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { NoteQuery, ProjectNameOrId, True } from './parts.ts';

const read = { needs: 'rolloutStatus.read', scope: 'environment' } as const;
/** They are settings of the project. */
const write = { needs: 'project.write', scope: 'project' } as const;

export const listRolloutStatuses = endpoint({
  method: 'GET',
  path: '/rolloutStatuses',
  summary: 'List rollout statuses',
  description: 'The statuses of the project `wsId`, in order.',
  access: read,
  query: Type.Object({ wsId: ProjectNameOrId }),
  reply: Type.Array(RolloutStatus),
  problems: ['project_not_found'],
});

export const listRolloutStatusesOfProject = endpoint({
  method: 'GET',
  path: '/rolloutStatuses/ws/:project',
  summary: 'List rollout statuses by path',
  access: read,
  query: Type.Object({
    expand: Type.Optional(
      OneOf(['uses'], { description: 'adds how many flags have each status, and whether it is permanent' }),
    ),
  }),
  reply: Type.Array(UsedRolloutStatus),
  problems: [],
});

export const createRolloutStatus = endpoint({
  method: 'POST',
  path: '/rolloutStatuses/ws/:project',
  summary: 'Add a rollout status',
  description: 'It becomes the last; a project has at most 50. An addition to the vendor’s API.',
  access: write,
  body: NewRolloutStatus,
  reply: OwnRolloutStatus,
  problems: ['rollout_status_name_taken'],
});

export const updateRolloutStatus = endpoint({
  method: 'PUT',
  path: '/rolloutStatuses/ws/:project/:rolloutStatus',
  summary: 'Change a rollout status',
  description:
    'What the body leaves out stays. Flags refer to it by id, so they follow. An addition to the vendor’s API.',
  access: write,
  body: RolloutStatusUpdate,
  reply: OwnRolloutStatus,
  problems: ['rollout_status_not_found', 'rollout_status_name_taken'],
});

export const moveRolloutStatus = endpoint({
  method: 'POST',
  path: '/rolloutStatuses/ws/:project/:rolloutStatus/move',
  summary: 'Move a rollout status in the order of the project',
  description:
    'Responds with all statuses in the new order. New flags get the first one. An addition to the vendor’s API.',
  access: write,
  body: RolloutStatusMove,
  reply: Type.Array(RolloutStatus),
  problems: ['rollout_status_not_found'],
});

export const deleteRolloutStatus = endpoint({
  method: 'DELETE',
  path: '/rolloutStatuses/ws/:project/:rolloutStatus',
  summary: 'Delete a rollout status',
  description:
    'A status that flags have is deleted only with `moveTo`: these flags, archived ones included, get that status, up ' +
    'to 1,000 of them. That also needs `flag.write`, and the title and comment that the project may require. The last ' +
    'status cannot be deleted. An addition to the vendor’s API.',
  access: write,
  query: extend(
    NoteQuery,
    Type.Object({
      moveTo: Type.Optional(Type.String({ maxLength: 255, description: 'the id of the status that its flags get' })),
    }),
  ),
  reply: True,
  problems: ['rollout_status_not_found', 'rollout_status_in_use', 'rollout_status_last', 'note_required'],
});
