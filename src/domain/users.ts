import { type Static, Type } from 'typebox';
import { applyPatch, type Operation, Refusal } from './json-patch.ts';
import { Problem, refuse } from './problems.ts';
import { booleanFromText, OneOf, patterns, Title } from './schema.ts';
import { shapeOf } from './shapes.ts';

export const userStatuses = ['PENDING', 'ACTIVE', 'DEACTIVATED'] as const;
export const UserStatus = OneOf(userStatuses);
export type UserStatus = Static<typeof UserStatus>;

const GroupReference = Type.Object({ id: Type.String(), type: Type.Literal('group') });
type GroupReference = Static<typeof GroupReference>;
/** Without quoted local parts: they may contain anything, including what mail servers read as another address. */
export const Email = Type.String({ format: 'email', pattern: patterns.noQuotes, maxLength: 254 });

export const User = Type.Object({
  id: Type.String(),
  type: Type.Literal('user'),
  name: Type.String(),
  email: Type.String(),
  status: UserStatus,
  '2fa': Type.Boolean(),
  groups: Type.Optional(Type.Array(GroupReference, { description: 'absent if the user is in no group' })),
});
type UserReply = Static<typeof User>;

/** A stored user. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly status: UserStatus;
  readonly twoFactor: boolean;
  readonly groupIds: readonly string[];
  readonly createdAt: number;
}

export const Invitation = Type.Object({
  email: Email,
  groups: Type.Optional(
    Type.Array(
      Type.Unsafe<string | { id: string }>({
        type: ['string', 'object'],
        required: ['id'],
        properties: { id: { type: 'string' } },
      }),
    ),
  ),
});
export type Invitation = Static<typeof Invitation>;

/** Maximum number of groups that are looked up, and that a patch may grow the list to between two operations. */
const maxGroups = 200;

export const requireGroupCount = (count: number): void =>
  refuse('user_invalid', count > maxGroups ? [`groups must not have more than ${maxGroups} items`] : []);

/** A full update; every field is required. */
export const UserUpdate = Type.Object({
  email: Email,
  name: Title,
  status: UserStatus,
  '2fa': Type.Boolean(),
  type: OneOf(['user']),
});

export const nameFromEmail = (email: string): string => email.slice(0, email.lastIndexOf('@'));

/** Addresses compare case-insensitively. */
export const emailKey = (email: string): string => email.toLowerCase();

const emailShape = shapeOf(Email, 'email');
export const isEmail = (text: string): boolean => emailShape.complaints(text).length === 0;

export const invitedGroupIds = ({ groups = [] }: Invitation): string[] => [
  ...new Set(groups.map((group) => (typeof group === 'string' ? group : group.id))),
];

export function toUserReply(user: User): UserReply {
  const groups = user.groupIds.map((id) => ({ id, type: 'group' as const }));
  const { id, name, email, status, twoFactor } = user;
  return { id, type: 'user', name, email, status, '2fa': twoFactor, ...(groups.length > 0 ? { groups } : {}) };
}

const statusChanges: Record<UserStatus, readonly UserStatus[]> = {
  PENDING: ['PENDING'],
  ACTIVE: ['ACTIVE', 'DEACTIVATED'],
  DEACTIVATED: ['DEACTIVATED', 'ACTIVE'],
};

const { properties } = UserUpdate;
const PartialUserUpdate = Type.Object({
  email: Type.Optional(properties.email),
  name: Type.Optional(properties.name),
  status: Type.Optional(properties.status),
  '2fa': Type.Optional(properties['2fa']),
  type: Type.Optional(properties.type),
});
export type PartialUserUpdate = Static<typeof PartialUserUpdate>;

const updateShape = shapeOf(UserUpdate);
const partialShape = shapeOf(PartialUserUpdate);

/**
 * Parses the body of a PUT. All five fields are required, unless the server accepts partial updates; then null means
 * absent.
 */
export function parseUserUpdate(body: unknown, acceptPartial: boolean): PartialUserUpdate {
  if (!acceptPartial) {
    const [first = '', ...others] = updateShape.complaints(body);
    refuse('user_invalid', first === '' ? [] : [first.endsWith(' is required') ? first + hint : first, ...others]);
    return updateShape.clean(body);
  }
  const present = typeof body === 'object' && body !== null && !Array.isArray(body) ? withoutNulls(body) : body;
  refuse('user_invalid', partialShape.complaints(present));
  return partialShape.clean(present);
}

const hint = '. To send only some fields, use PATCH, or set ACCEPT_PARTIAL_PUT=true on the server';

const withoutNulls = (body: object) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

/** Returns the user after an update, which keeps what it leaves out, or refuses. */
export function applyUserUpdate(user: User, update: PartialUserUpdate): User {
  const { email = user.email, name = user.name, status = user.status, '2fa': twoFactor = user.twoFactor } = update;
  if (!statusChanges[user.status].includes(status)) {
    throw new Problem('status_change_refused', { from: user.status, to: status });
  }
  if (twoFactor && !user.twoFactor) throw new Problem('two_factor_not_enabled_here');
  if (user.status !== 'PENDING') return { ...user, email, name, status, twoFactor };
  if (emailKey(email) !== emailKey(user.email)) throw new Problem('pending_email_fixed');
  return { ...user, name, status, twoFactor };
}

/**
 * Returns the user after a patch. Groups are a set: an index names the group at that position, and adding one twice has
 * no effect. Other fields follow the rules of a full update. The caller checks that the groups exist.
 */
export function patchUser(user: User, operations: readonly Operation[]): User {
  const { email, name, status, twoFactor } = user;
  const current = { email, name, status, '2fa': twoFactor };
  const { groups, ...fields } = applyPatch({ ...current, groups: user.groupIds.map(toGroup) }, operations, {
    mayName: /^\/(?:name|email|status|2fa|groups(?:\/.*)?)$/s,
    changeable: ['name', 'email', 'status', '2fa', 'groups'],
    interpret,
  }) as typeof current & { groups: GroupReference[] };
  // A name or address from an earlier release that would be refused today must not prevent deactivation.
  const changes = Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => value !== current[field as keyof typeof current]),
  );
  refuse('user_invalid', partialShape.complaints(changes));
  return { ...applyUserUpdate(user, partialShape.clean(changes)), groupIds: groups.map(({ id }) => id) };
}

/** JSON Patch as clients of this API write it; the tests list every form of adding and removing groups. */
function interpret(operation: Operation, document: unknown): Operation | undefined {
  const { op, path, value } = operation;
  const isGroup = /^\/groups(?:\/|$)/.test(path);
  if (op === 'move' || op === 'copy' || (op === 'remove' && !isGroup)) {
    throw new Refusal(`op: ${op} is not possible at ${path}`);
  }
  if (isGroup) return interpretGroup(operation, (document as { groups: GroupReference[] }).groups);
  return path === '/2fa' ? { op, path, value: booleanFromText(value) } : operation;
}

function interpretGroup({ op, path, value }: Operation, groups: readonly GroupReference[]): Operation | undefined {
  if (op === 'remove') return removal(path, idOf(value), groups);
  if (path === '/groups') return { op, path, value: toGroups(value) };
  const place = path.slice('/groups/'.length);
  if (op === 'test') return { op, path, value: /^\d+$/.test(place) ? toGroup(idOf(value)) : value };
  if (!/^(?:\d+|-)$/.test(place)) throw new Refusal(`path: ${path} cannot be changed by a patch`);
  const group = toGroup(idOf(value));
  const others = groups.filter((_, index) => op === 'add' || index !== Number(place));
  const isThere = others.some(({ id }) => id === group.id);
  if (op === 'replace') return isThere ? { op: 'remove', path } : { op, path, value: group };
  if (isThere) return undefined;
  requireGroupCount(groups.length + 1);
  return { op, path: '/groups/-', value: group };
}

/** By index, by group id in the path, or by the group as value; `/groups` alone removes all. */
function removal(path: string, id: string | undefined, groups: readonly GroupReference[]): Operation {
  if (path === '/groups' && id === undefined) return { op: 'replace', path, value: [] };
  const place = id ?? path.slice('/groups/'.length);
  if (id === undefined && /^\d+$/.test(place)) return { op: 'remove', path };
  const index = groups.findIndex((group) => group.id === place);
  if (index === -1) throw new Refusal(`path: the user is in no such group at ${path}`);
  return { op: 'remove', path: `/groups/${index}` };
}

function toGroups(value: unknown): GroupReference[] {
  const ids = Array.isArray(value) ? value.map(idOf) : [undefined];
  if (ids.includes(undefined)) throw new Refusal('value must be a list of groups');
  const distinct = [...new Set(ids)];
  requireGroupCount(distinct.length);
  return distinct.map(toGroup);
}

function toGroup(id: string | undefined): GroupReference {
  if (id === undefined) throw new Refusal('value must be a group: {"id", "type": "group"}');
  return { id, type: 'group' };
}

/** A group can be given as its id or as an object with an id. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id : undefined;
}
