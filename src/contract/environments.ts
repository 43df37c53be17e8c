import { Type } from 'typebox';
import {
  EnvironmentDetails,
  EnvironmentForCaller,
  EnvironmentMove,
  EnvironmentSummary,
  NewEnvironment,
} from '#domain/environments.ts';
import { Patch } from '#domain/json-patch.ts';
import { OneOf } from '#domain/schema.ts';
import { endpoint } from './endpoint.ts';
import { True } from './parts.ts';

export const listEnvironments = endpoint({
  method: 'GET',
  path: '/environments/ws/:project',
  summary: 'List environments',
  description:
    'The project’s environments within the caller’s scope, in order of creation unless `sort` says otherwise.',
  access: { needs: 'project.read', scope: 'environment' },
  query: Type.Object({
    sort: Type.Optional(
      OneOf(['position'], {
        description:
          'in the order that people chose for the project; without one, production comes last. Then each also says ' +
          'whether changes need an approval, and the names that it had before. An addition to the vendor’s API.',
      }),
    ),
  }),
  reply: Type.Array(EnvironmentForCaller),
  problems: [],
});

export const createEnvironment = endpoint({
  method: 'POST',
  path: '/environments/ws/:project',
  summary: 'Create an environment',
  description: 'Also creates one client-side and one server-side key. Only this response contains them.',
  access: { needs: 'environment.write', scope: 'project' },
  body: NewEnvironment,
  reply: EnvironmentDetails,
  showsSecret: true,
  problems: ['environment_name_taken', 'permissions_unsupported', 'restriction_invalid'],
});

export const patchEnvironment = endpoint({
  method: 'PATCH',
  path: '/environments/ws/:project/:environment',
  summary: 'Change an environment',
  description:
    'JSON Patch on `/name`, `/production` and `/changePermissions`: who can edit definitions in the environment (`areEditorsRestricted`, `editors`), and who else can kill and restore (`killers`).',
  access: { needs: 'environment.write', scope: 'project' },
  body: Patch,
  reply: EnvironmentDetails,
  problems: ['patch_invalid', 'environment_name_taken', 'permissions_unsupported', 'restriction_invalid'],
});

export const moveEnvironment = endpoint({
  method: 'POST',
  path: '/environments/ws/:project/:environment/move',
  summary: 'Move an environment in the order of the project',
  description: 'Responds with all environments of the project in the new order. An addition to the vendor’s API.',
  access: { needs: 'environment.write', scope: 'project' },
  body: EnvironmentMove,
  reply: Type.Array(EnvironmentSummary),
  problems: [],
});

export const deleteEnvironment = endpoint({
  method: 'DELETE',
  path: '/environments/ws/:project/:environment',
  summary: 'Delete an environment',
  description: 'Only if it has neither API keys nor definitions.',
  access: { needs: 'environment.write', scope: 'project' },
  reply: True,
  problems: ['environment_has_keys', 'environment_in_use'],
});
