import { Type } from 'typebox';
import { RolloutHistory } from '#domain/rollouts.ts';
import { endpoint } from './endpoint.ts';

export const getRolloutHistory = endpoint({
  method: 'GET',
  path: '/splits/ws/:project/:flag/environments/:environment/rollout',
  summary: 'Read how a definition was rolled out',
  description:
    'What the keys got that no target and no rule takes, from one change to the next. An addition to the vendor’s API: ' +
    'the same follows from the audit log, at a hundred times the size.',
  access: { needs: 'audit.read', scope: 'environment' },
  showsHousekeeping: true,
  query: Type.Object({
    from: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'milliseconds since the Unix epoch',
    }),
  }),
  reply: RolloutHistory,
  problems: [],
});
