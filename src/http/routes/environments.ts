import { createEnvironment, deleteEnvironment, patchEnvironment } from '#commands/environments.ts';
import * as contract from '#contract/environments.ts';
import { toEnvironmentDetails } from '#domain/environments.ts';
import { toBoolean } from '#domain/schema.ts';
import { listEnvironments } from '#store/environments.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';

export const environments = (db: Reader, accountId: string) =>
  implement(contract, {
    listEnvironments: async ({ actor, project }) => listEnvironments(db, project.id, actor.scope),
    createEnvironment: async ({ context, project, body }) => {
      const { name, production = false, changePermissions, dataExportPermissions } = body;
      const { environment, apiTokens } = await createEnvironment(context, project, {
        name,
        production: toBoolean(production),
        permissions: [changePermissions, dataExportPermissions],
      });
      return toEnvironmentDetails(environment, accountId, apiTokens);
    },
    patchEnvironment: async ({ context, environment, body }) => {
      const changed = await patchEnvironment(context, environment, body);
      return toEnvironmentDetails(changed.environment, accountId, changed.apiTokens);
    },
    deleteEnvironment: async ({ context, environment }) => deleteEnvironment(context, environment),
  });
