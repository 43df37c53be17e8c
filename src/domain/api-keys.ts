import { type Static, Type } from 'typebox';
import { type KeyScope, type Role, roleNames } from './access.ts';
import { refuse } from './problems.ts';
import { Id, Millis, OneOf, patterns, Title } from './schema.ts';

export const apiKeyTypes = ['admin', 'server_side', 'client_side'] as const;
const ApiKeyType = OneOf(apiKeyTypes);
export type ApiKeyType = Static<typeof ApiKeyType>;

/** A stored key: its hash and its last four characters, never its text. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly type: ApiKeyType;
  readonly roles: readonly Role[];
  readonly scope: KeyScope;
  readonly lastFour: string;
  readonly createdAt: number;
  readonly createdBy: { readonly type: string; readonly id: string };
  readonly lastUsedAt: number | undefined;
  /** It works before this time; undefined: until it is revoked. */
  readonly expiresAt: number | undefined;
}

export const isExpired = ({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now: number): boolean =>
  expiresAt !== undefined && expiresAt <= now;

/** Refuses a time that has passed. Revoking ends a key at once. */
export function checkExpiry(expiresAt: number | undefined, now: number): void {
  refuse('api_key_invalid', isExpired({ expiresAt }, now) ? ['expiresAt must be in the future'] : []);
}

/** The year 9999: JavaScript, and people, read dates up to there. */
const maxTime = 253_402_300_799_999;

const NamedResource = Type.Object({ id: Id });

export const NewApiKey = Type.Object({
  name: Type.String({ pattern: patterns.name, maxLength: 100 }),
  apiKeyType: ApiKeyType,
  workspace: Type.Optional(NamedResource),
  environments: Type.Optional(Type.Array(NamedResource, { maxItems: 100 })),
  roles: Type.Optional(Type.Array(OneOf(roleNames), { maxItems: 100 })),
  expiresAt: Type.Optional(
    Type.Unsafe<number>({
      ...Millis,
      maximum: maxTime,
      description:
        'when it stops working, in milliseconds since the Unix epoch; absent: when it is revoked. An addition to the vendor’s API.',
    }),
  ),
});
export type NewApiKey = Static<typeof NewApiKey>;

/** Absent members stay as they are. Closed, so that null is not taken for absent. */
export const ApiKeyUpdate = Type.Object(
  {
    name: Type.Optional(NewApiKey.properties.name),
    expiresAt: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        maximum: maxTime,
        description: 'when it stops working, in milliseconds since the Unix epoch; null: when it is revoked',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ApiKeyUpdate = Static<typeof ApiKeyUpdate>;

const TypedId = Type.Object({ type: Type.String(), id: Type.String() });

const shown = {
  organization: TypedId,
  environments: Type.Array(TypedId),
  name: Title,
  createdBy: TypedId,
  createdAt: Millis,
  apiKeyType: ApiKeyType,
  workspace: Type.Optional(TypedId),
  roles: Type.Array(Type.String()),
  type: Type.Literal('api_key'),
  expiresAt: Type.Optional(
    Type.Unsafe<number>({ ...Millis, description: 'Only of a key that expires. An addition to the vendor’s API.' }),
  ),
};

/** What of a key can be shown at any time. */
export const ApiKeySummary = Type.Object({
  ...shown,
  id: Type.String(),
  lastFour: Type.String({ description: 'the last four characters of the key' }),
  lastUsedAt: Type.Optional(Type.Integer({ description: 'absent if the key was never used; precise to a minute' })),
});
export type ApiKeySummary = Static<typeof ApiKeySummary>;

/** The reply to creating a key, the only one that contains the key itself. */
export const CreatedApiKey = Type.Object({ ...shown, key: Type.String(), id: Type.String() });

/** The roles of a new key. SDK keys have none; an admin key without roles gets all. */
export function rolesOf({ apiKeyType, roles }: Pick<NewApiKey, 'apiKeyType' | 'roles'>): readonly Role[] {
  if (apiKeyType === 'admin') return roles?.length ? [...new Set(roles)] : ['API_ALL_GRANTED'];
  refuse('api_key_invalid', roles?.length ? [`roles must be empty for a ${apiKeyType} key`] : []);
  return [];
}

/** SDK keys belong to exactly one environment; environments require their project. */
export function checkKeyScope(type: ApiKeyType, scope: KeyScope): void {
  const single = scope.kind === 'environment' && scope.environmentIds.length === 1;
  refuse(
    'api_key_invalid',
    type === 'admin' || single ? [] : [`a ${type} key needs a workspace and exactly one environment`],
  );
}

export function toApiKeySummary(key: ApiKey, accountId: string): ApiKeySummary {
  const { id, name, type, roles, scope, lastFour, createdAt, createdBy, lastUsedAt, expiresAt } = key;
  return {
    organization: { type: 'Organization', id: accountId },
    environments: (scope.kind === 'environment' ? scope.environmentIds : ['<<GLOBAL>>']).map((environmentId) => ({
      type: 'Environment',
      id: environmentId,
    })),
    name,
    createdBy: { ...createdBy },
    createdAt,
    apiKeyType: type,
    ...(scope.kind === 'account' ? {} : { workspace: { type: 'workspace', id: scope.projectId } }),
    roles: [...roles],
    type: 'api_key',
    id,
    lastFour,
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
