import { type Static, Type } from 'typebox';
import { applyPatch, type Operation } from './json-patch.ts';
import { Problem, refuse } from './problems.ts';
import { BooleanOrText, Millis, patterns, toBoolean } from './schema.ts';
import { shapeOf } from './shapes.ts';

export interface Environment {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly production: boolean;
  readonly createdAt: number;
}

/** What the list shows: exactly this. */
export const EnvironmentSummary = Type.Object({ name: Type.String(), id: Type.String(), production: Type.Boolean() });

/** The longest name, in characters. */
export const environmentNameLimit = 20;
const EnvironmentName = Type.String({ pattern: patterns.name, maxLength: environmentNameLimit });
const Permissions = Type.Record(Type.String(), Type.Unknown());

export const NewEnvironment = Type.Object({
  name: EnvironmentName,
  production: Type.Optional(BooleanOrText),
  changePermissions: Type.Optional(Permissions),
  dataExportPermissions: Type.Optional(Permissions),
});

const ApiToken = Type.Object({
  name: Type.String(),
  type: Type.Literal('api_key'),
  id: Type.String(),
  apiKeyType: Type.String({ description: '`browser` for client-side keys, `sdk` for server-side keys' }),
  key: Type.Optional(Type.String({ description: 'the key itself: only in the answer that creates it' })),
});
export type ApiToken = Static<typeof ApiToken>;

/** What creating and changing an environment answers. */
export const EnvironmentDetails = Type.Object({
  id: Type.String(),
  type: Type.Literal('environment'),
  name: Type.String(),
  environmentType: Type.String(),
  changePermissions: Type.Object({}),
  dataExportPermissions: Type.Object({}),
  orgId: Type.String(),
  creationTime: Millis,
  production: Type.Boolean(),
  status: Type.Literal('ACTIVE'),
  workspaceIds: Type.Array(Type.String()),
  permissioningEnabled: Type.Boolean(),
  apiTokens: Type.Array(ApiToken),
});
export type EnvironmentDetails = Static<typeof EnvironmentDetails>;

/** The permissions of every environment as a patch sees them: everything is open, since nothing can be closed. */
const openPermissions = {
  changePermissions: {
    areApprovalsRequired: false,
    areApproversRestricted: false,
    approvers: [],
    areEditorsRestricted: false,
    editors: [],
  },
  dataExportPermissions: { areExportersRestricted: false, exporters: [] },
};

/** A setting that protects must not be taken and then not enforced: what would close something is refused. */
export function requireOpen(...permissions: (Record<string, unknown> | undefined)[]): void {
  const closes = ([name, value]: [string, unknown]) =>
    name.startsWith('are') && value !== false && value !== 'false' && value !== null;
  if (permissions.some((group) => Object.entries(group ?? {}).some(closes))) {
    throw new Problem('permissions_unsupported');
  }
}

const settings = shapeOf(
  Type.Object({
    name: EnvironmentName,
    production: BooleanOrText,
    changePermissions: Permissions,
    dataExportPermissions: Permissions,
  }),
  'environment',
);
const patchable = /^\/(name|production|changePermissions(\/\w+)*|dataExportPermissions(\/\w+)*)$/;

/** The environment after a patch, or `patch_invalid`, or `permissions_unsupported`. */
export function applyEnvironmentPatch(environment: Environment, operations: readonly Operation[]): Environment {
  const patched = applyPatch({ ...environment, ...openPermissions }, operations, { mayName: patchable });
  refuse('patch_invalid', settings.complaints(patched));
  const { name, production, changePermissions, dataExportPermissions } = settings.clean(patched);
  requireOpen(changePermissions, dataExportPermissions);
  return { ...environment, name, production: toBoolean(production) };
}

/** What a key of an environment shows; its text only when it was just made. The types have the API's old names. */
export const toApiToken = (key: { id: string; name: string; type: string }, text?: string): ApiToken => ({
  name: key.name,
  type: 'api_key',
  id: key.id,
  apiKeyType: key.type === 'client_side' ? 'browser' : 'sdk',
  ...(text === undefined ? {} : { key: text }),
});

export const toEnvironmentDetails = (
  environment: Environment,
  accountId: string,
  apiTokens: ApiToken[],
): EnvironmentDetails => ({
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
