import { type Static, Type } from 'typebox';
import { applyPatch, type Operation } from './json-patch.ts';
import { Problem, refuse } from './problems.ts';
import { type Circle, type EnvironmentAccess, Grantee, maxGrantees, NamedGrantee } from './rights.ts';
import { BooleanOrText, extend, Millis, OneOf, patterns, toBoolean } from './schema.ts';
import { shapeOf } from './shapes.ts';

export interface Environment {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly production: boolean;
  readonly createdAt: number;
}

/** The members of an environment in lists. */
export const EnvironmentSummary = Type.Object({ name: Type.String(), id: Type.String(), production: Type.Boolean() });

/** The summary as the caller sees it. */
export const EnvironmentForCaller = extend(
  EnvironmentSummary,
  Type.Object({
    needsApproval: Type.Optional(
      OneOf(['always', 'unless-kill'], {
        description:
          'only with `sort`: changes that the caller makes here need an approval; `unless-kill`: except to kill a flag',
      }),
    ),
    formerNames: Type.Optional(
      Type.Array(Type.String(), {
        description: 'only with `sort`: names that it had before and no other environment of the project has now',
      }),
    ),
  }),
);

/** The chosen order; environments that it does not list follow: production last, each by creation. */
export function inOrder<E extends { readonly id: string; readonly production: boolean }>(
  environments: readonly E[],
  order: readonly string[],
): E[] {
  const unlisted = (production: boolean) => (production ? order.length + 1 : order.length);
  const rank = new Map(order.map((id, index) => [id, index]));
  const rankOf = ({ id, production }: E) => rank.get(id) ?? unlisted(production);
  return environments.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** For an environment of production: the last one before it that is not, where changes are tried first. */
export function stagingOf<E extends { readonly id: string; readonly production: boolean }>(
  ordered: readonly E[],
  id: string,
): E | undefined {
  const place = ordered.findIndex((one) => one.id === id);
  return ordered[place]?.production ? ordered.slice(0, place).findLast(({ production }) => !production) : undefined;
}

export const EnvironmentMove = Type.Object({
  before: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: 255,
    description: 'the id or name of the environment that it comes before; null: it becomes the last',
  }),
});

/** In characters. */
export const environmentNameLimit = 20;
export const EnvironmentName = Type.String({ pattern: patterns.name, maxLength: environmentNameLimit });

/** Null stands for none, as clients send it. */
const Grantees = (description: string) =>
  Type.Unsafe<NamedGrantee[] | null>({
    type: ['array', 'null'],
    items: NamedGrantee,
    maxItems: maxGrantees,
    description,
  });
/** For a new environment, what is left out is open. */
const NewChangePermissions = Type.Object({
  areEditorsRestricted: Type.Optional(BooleanOrText),
  editors: Type.Optional(Grantees('can edit definitions if editors are restricted')),
  killers: Type.Optional(Grantees('can kill and restore in addition to the editors; Burgee’s own')),
  allowKills: Type.Optional(BooleanOrText),
  areApprovalsRequired: Type.Optional(BooleanOrText),
  areApproversRestricted: Type.Optional(BooleanOrText),
  approvers: Type.Optional(
    Grantees('can approve changes if approvers are restricted; keys can approve only if listed'),
  ),
  approvalSkippableBy: Type.Optional(Grantees('need no approval for their changes')),
});
type NewChangePermissions = Static<typeof NewChangePermissions>;
const DataExportPermissions = Type.Object({ areExportersRestricted: Type.Optional(BooleanOrText) });
type DataExportPermissions = Static<typeof DataExportPermissions>;

export const NewEnvironment = Type.Object({
  name: EnvironmentName,
  production: Type.Optional(BooleanOrText),
  changePermissions: Type.Optional(NewChangePermissions),
  dataExportPermissions: Type.Optional(DataExportPermissions),
});

const ApiToken = Type.Object({
  name: Type.String(),
  type: Type.Literal('api_key'),
  id: Type.String(),
  apiKeyType: Type.String({ description: '`browser` for client-side keys, `sdk` for server-side keys' }),
  key: Type.Optional(Type.String({ description: 'the key itself: only in the response that creates it' })),
});
export type ApiToken = Static<typeof ApiToken>;

/** Members that restrict nothing are left out. */
const ChangePermissions = Type.Object({
  areEditorsRestricted: Type.Optional(Type.Literal(true)),
  editors: Type.Optional(Type.Array(Grantee)),
  killers: Type.Optional(Type.Array(Grantee)),
  allowKills: Type.Optional(Type.Literal(true)),
  areApprovalsRequired: Type.Optional(Type.Literal(true)),
  areApproversRestricted: Type.Optional(Type.Literal(true)),
  approvers: Type.Optional(Type.Array(Grantee)),
  approvalSkippableBy: Type.Optional(Type.Array(Grantee)),
});
type ChangePermissions = Static<typeof ChangePermissions>;

/** The reply to creating and changing an environment. */
export const EnvironmentDetails = Type.Object({
  id: Type.String(),
  type: Type.Literal('environment'),
  name: Type.String(),
  environmentType: Type.String(),
  changePermissions: ChangePermissions,
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

interface NamedCircle {
  readonly restricted: boolean;
  readonly grantees: readonly NamedGrantee[];
}

/** The settings and lists of an environment in a request body. */
export interface Permissions {
  readonly editors: NamedCircle;
  readonly killers: readonly NamedGrantee[];
  readonly approvers: NamedCircle;
  /** They need no approval. */
  readonly skippers: readonly NamedGrantee[];
  readonly areApprovalsRequired: boolean;
  /** Kills need no approval. */
  readonly allowKills: boolean;
}

/** The same with the grantees' names, as stored. */
export interface StoredPermissions extends Pick<EnvironmentAccess, 'editors' | 'killers'> {
  readonly approvers: Circle;
  readonly skippers: readonly Grantee[];
  readonly areApprovalsRequired: boolean;
  readonly allowKills: boolean;
}

export const openPermissions: StoredPermissions = {
  editors: { restricted: false, grantees: [] },
  killers: [],
  approvers: { restricted: false, grantees: [] },
  skippers: [],
  areApprovalsRequired: false,
  allowKills: false,
};

/** Refuses a restriction that would not be enforced: of data export. */
export function parsePermissions(
  change: NewChangePermissions = {},
  dataExport: DataExportPermissions = {},
): Permissions {
  if (toBoolean(dataExport.areExportersRestricted ?? false)) {
    throw new Problem('permissions_unsupported', { member: 'areExportersRestricted' });
  }
  return {
    editors: { restricted: toBoolean(change.areEditorsRestricted ?? false), grantees: change.editors ?? [] },
    killers: change.killers ?? [],
    approvers: { restricted: toBoolean(change.areApproversRestricted ?? false), grantees: change.approvers ?? [] },
    skippers: change.approvalSkippableBy ?? [],
    areApprovalsRequired: toBoolean(change.areApprovalsRequired ?? false),
    allowKills: toBoolean(change.allowKills ?? false),
  };
}

const settings = shapeOf(
  Type.Object({
    name: EnvironmentName,
    production: BooleanOrText,
    changePermissions: Type.Optional(NewChangePermissions),
    dataExportPermissions: Type.Optional(DataExportPermissions),
  }),
  'environment',
);
/** A misspelled one is refused. */
const permissionMembers =
  'areEditorsRestricted|editors|killers|allowKills|areApprovalsRequired|areApproversRestricted|approvers|approvalSkippableBy';
const patchable = {
  mayName: new RegExp(
    `^/(name|production|changePermissions(/(${permissionMembers})(/[\\w-]+)*)?|dataExportPermissions(/(areExportersRestricted|exporters)(/[\\w-]+)*)?)$`,
  ),
  changeable: ['name', 'production', 'changePermissions', 'dataExportPermissions'],
};

/** The environment and its permissions after a patch, or `patch_invalid`, or `permissions_unsupported`. */
export function applyEnvironmentPatch(
  environment: Environment,
  { editors, killers, approvers, skippers, areApprovalsRequired, allowKills }: StoredPermissions,
  operations: readonly Operation[],
): { environment: Environment; permissions: Permissions } {
  const document = {
    ...environment,
    changePermissions: {
      areApprovalsRequired,
      areApproversRestricted: approvers.restricted,
      approvers: approvers.grantees,
      approvalSkippableBy: skippers,
      areEditorsRestricted: editors.restricted,
      editors: editors.grantees,
      killers,
      allowKills,
    },
    dataExportPermissions: { areExportersRestricted: false, exporters: [] },
  };
  const patched = applyPatch(document, operations, patchable);
  refuse('patch_invalid', settings.complaints(patched));
  const { name, production, changePermissions, dataExportPermissions } = settings.clean(patched);
  return {
    environment: { ...environment, name, production: toBoolean(production) },
    permissions: parsePermissions(changePermissions, dataExportPermissions),
  };
}

export function toChangePermissions(permissions: StoredPermissions): ChangePermissions {
  const { editors, killers, approvers, skippers, areApprovalsRequired, allowKills } = permissions;
  return {
    ...(editors.restricted ? { areEditorsRestricted: true } : {}),
    ...(editors.grantees.length > 0 ? { editors: [...editors.grantees] } : {}),
    ...(killers.length > 0 ? { killers: [...killers] } : {}),
    ...(allowKills ? { allowKills } : {}),
    ...(areApprovalsRequired ? { areApprovalsRequired } : {}),
    ...(approvers.restricted ? { areApproversRestricted: true } : {}),
    ...(approvers.grantees.length > 0 ? { approvers: [...approvers.grantees] } : {}),
    ...(skippers.length > 0 ? { approvalSkippableBy: [...skippers] } : {}),
  };
}

/** A key of an environment; with its text only right after creation. The types have the API's old names. */
export const toApiToken = (key: { id: string; name: string; type: string }, text?: string): ApiToken => ({
  name: key.name,
  type: 'api_key',
  id: key.id,
  apiKeyType: key.type === 'client_side' ? 'browser' : 'sdk',
  ...(text === undefined ? {} : { key: text }),
});

export interface EnvironmentWithKeys {
  readonly environment: Environment;
  readonly permissions: StoredPermissions;
  readonly apiTokens: ApiToken[];
}

export const toEnvironmentDetails = (
  { environment, permissions, apiTokens }: EnvironmentWithKeys,
  accountId: string,
): EnvironmentDetails => ({
  id: environment.id,
  type: 'environment',
  name: environment.name,
  environmentType: environment.production ? 'production' : 'pre_production',
  changePermissions: toChangePermissions(permissions),
  dataExportPermissions: {},
  orgId: accountId,
  creationTime: environment.createdAt,
  production: environment.production,
  status: 'ACTIVE',
  workspaceIds: [environment.projectId],
  permissioningEnabled: false,
  apiTokens,
});
