import { createEnvironment, deleteEnvironment, patchEnvironment, toApiToken } from '#commands/environments.ts';
import * as contract from '#contract/environments.ts';
import { type ApiToken, type Environment, type EnvironmentDetails, requireOpen } from '#domain/environments.ts';
import { toBoolean } from '#domain/schema.ts';
import { listApiKeysOfEnvironment } from '#store/api-keys.ts';
import { listEnvironments } from '#store/environments.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../implement.ts';

export const environments = (db: Reader, accountId: string) =>
  implement(contract, {
    listEnvironments: async ({ actor, project }) => listEnvironments(db, project.id, actor.scope),
    createEnvironment: async ({ context, project, body }) => {
      requireOpen(body.changePermissions, body.dataExportPermissions);
      const fields = { name: body.name, production: toBoolean(body.production ?? false) };
      const { environment, apiTokens } = await createEnvironment(context, project, fields);
      return toDetails(environment, accountId, apiTokens);
    },
    patchEnvironment: async ({ context, environment, body }) => {
      const changed = await patchEnvironment(context, environment, body);
      const keys = await listApiKeysOfEnvironment(db, environment.id);
      return toDetails(
        changed,
        accountId,
        keys.map((key) => toApiToken(key)),
      );
    },
    deleteEnvironment: async ({ context, environment }) => deleteEnvironment(context, environment),
  });

const toDetails = (environment: Environment, accountId: string, apiTokens: ApiToken[]): EnvironmentDetails => ({
  id: environment.id,
  type: 'environment',
  name: environment.name,
  environmentType: environment.production ? 'production' : 'pre_production',
  changePermissions: {},
  dataExportPermissions: {},
  orgId: accountId,
  creationTime: environment.createdAt,
  production: environment.production,
  status: 'ACTIVE',
  workspaceIds: [environment.projectId],
  permissioningEnabled: false,
  apiTokens,
});
