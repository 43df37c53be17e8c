/** Who is editing what. The stream with this news, `/internal/account/live`, is not JSON: see `http/live/`. */
import { Type } from 'typebox';
import { endpoint } from './endpoint.ts';
import { True } from './parts.ts';

export const announceEditing = endpoint({
  method: 'POST',
  path: '/editing/ws/:project/:flag/environments/:environment',
  summary: 'Announce unsaved changes',
  description:
    'Shows everyone who has the flag open that the caller is editing it in this environment, for 45 seconds. Nobody is kept from editing, and nothing is stored.',
  access: { needs: 'definition.read', scope: 'environment' },
  body: Type.Object({
    editing: Type.Boolean({ description: '`false` ends it before the 45 seconds are over' }),
  }),
  reply: True,
  problems: [],
});
