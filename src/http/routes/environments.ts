import { createEnvironment, deleteEnvironment, patchEnvironment } from '#commands/environments.ts';
import * as contract from '#contract/environments.ts';
import { parsePermissions, toEnvironmentDetails } from '#domain/environments.ts';
import { toBoolean } from '#domain/schema.ts';
import { listEnvironments } from '#store/environments.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';

export const environments = (db: Reader, accountId: string) =>
  implement(contract, {
    listEnvironments: async ({ actor, project }) => listEnvironments(db, project.id, actor.scope),
    createEnvironment: async ({ context, project, body }) => {
      const { name, production = false, changePermissions, dataExportPermissions } = body;
      const permissions = parsePermissions(changePermissions, dataExportPermissions);
      const fields = { name, production: toBoolean(production), permissions };
      return toEnvironmentDetails(await createEnvironment(context, project, fields), accountId);
    },
    patchEnvironment: async ({ context, environment, body }) =>
      toEnvironmentDetails(await patchEnvironment(context, environment, body), accountId),
    deleteEnvironment: async ({ context, environment }) => deleteEnvironment(context, environment),
  });
