import { Type } from 'typebox';
import { RolloutHistory } from '#domain/rollouts.ts';
import { endpoint } from './endpoint.ts';

export const getRolloutHistory = endpoint({
  method: 'GET',
  path: '/splits/ws/:project/:flag/environments/:environment/rollout',
  summary: 'Get the rollout history of a definition',
  description:
    'The shares of keys that match no target and no rule, after each change, and who made it. Long histories are thinned: ' +
    'of changes close to each other only the newest has a point, and `leftOut` counts the others. Kills and restores are ' +
    'never left out. An addition to the vendor’s API: the audit log has the same data at a hundred times the size.',
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
