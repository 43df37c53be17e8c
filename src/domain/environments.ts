import Type, { type Static } from 'typebox';
import { Problem } from './problems.ts';
import { BooleanOrText, Millis } from './schema.ts';

export interface Environment {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly production: boolean;
  readonly createdAt: number;
}

/** What the list shows: exactly this. */
export const EnvironmentSummary = Type.Object({ name: Type.String(), id: Type.String(), production: Type.Boolean() });

const EnvironmentName = Type.String({ pattern: '\\S', maxLength: 20 });
const Permissions = Type.Record(Type.String(), Type.Unknown());

export const NewEnvironment = Type.Object({
  name: EnvironmentName,
  production: Type.Optional(BooleanOrText),
  changePermissions: Type.Optional(Permissions),
  dataExportPermissions: Type.Optional(Permissions),
});

/** What a patch may change. */
export const EnvironmentSettings = Type.Object({
  name: EnvironmentName,
  production: BooleanOrText,
  changePermissions: Permissions,
  dataExportPermissions: Permissions,
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
export const openPermissions = {
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
  const closes = ([name, value]: [string, unknown]) => name.startsWith('are') && value !== false && value !== 'false';
  if (permissions.some((group) => Object.entries(group ?? {}).some(closes))) {
    throw new Problem('permissions_unsupported');
  }
}
