import { type Static, Type } from 'typebox';
import { equalJson } from './json.ts';
import { lacksSlash, mustBeginWithSlash, type Operation } from './json-patch.ts';
import { Problem, refuse } from './problems.ts';
import { booleanFromText, OneOf, patterns, Title } from './schema.ts';
import { shapeOf } from './shapes.ts';

export const userStatuses = ['PENDING', 'ACTIVE', 'DEACTIVATED'] as const;
export const UserStatus = OneOf(userStatuses);
export type UserStatus = Static<typeof UserStatus>;

const GroupReference = Type.Object({ id: Type.String(), type: Type.Literal('group') });
/** Without quotes: between them anything is an address, also what mail servers read as another one. */
export const Email = Type.String({ format: 'email', pattern: patterns.noQuotes, maxLength: 254 });

export const User = Type.Object({
  id: Type.String(),
  type: Type.Literal('user'),
  name: Type.String(),
  email: Type.String(),
  status: UserStatus,
  '2fa': Type.Boolean(),
  groups: Type.Optional(Type.Array(GroupReference, { description: 'left out for a user in no group' })),
});
type UserReply = Static<typeof User>;

/** A user as it is kept. */
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

/** So many groups are looked up at once, and no patch may grow the list further between two of its operations. */
const maxGroups = 200;

export const checkGroupCount = (groupIds: readonly string[]): void =>
  refuse('user_invalid', groupIds.length > maxGroups ? [`groups must not have more than ${maxGroups} items`] : []);

/** A full update: every field is required. */
export const UserUpdate = Type.Object({
  email: Email,
  name: Title,
  status: UserStatus,
  '2fa': Type.Boolean(),
  type: OneOf(['user']),
});

export const nameFromEmail = (email: string): string => email.slice(0, email.lastIndexOf('@'));

/** Addresses are compared without case. */
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

/** Reads the body of a PUT. All five fields are required, unless the server accepts less: then null is absent, too. */
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

/** The user after an update, which keeps what it leaves out, or the rule that forbids it. */
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
 * The user after a patch. Groups are a set: an index names the group that stands there now, adding one twice is no
 * change. The other fields follow the rules of a full update. Whether the groups exist is for the caller to see.
 */
export function patchUser(user: User, operations: readonly Operation[]): User {
  let groupIds = user.groupIds;
  const { email, name, status, twoFactor } = user;
  const current = { email, name, status, '2fa': twoFactor };
  const fields: Record<string, unknown> = { ...current };
  operations.forEach((operation, index) => {
    if (isGroupPath(operation.path)) {
      groupIds = patchGroups(groupIds, operation, index);
      checkGroupCount(groupIds);
    } else patchField(fields, operation, index);
  });
  // A name or address of an earlier release, which would be refused today, must not keep anyone from being deactivated.
  const changes = Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => value !== current[field as keyof typeof current]),
  );
  const missing = Object.keys(changes).filter((field) => changes[field] === undefined);
  refuse('user_invalid', [...missing.map((field) => `${field} is required`), ...partialShape.complaints(changes)]);
  return { ...applyUserUpdate(user, partialShape.clean(changes)), groupIds };
}

const refused = (index: number, complaint: string) =>
  new Problem('patch_invalid', { complaints: [`${index}/${complaint}`] });
const isGroupPath = (path: string) => path === '/groups' || path.startsWith('/groups/');

function patchField(fields: Record<string, unknown>, { op, path, value }: Operation, index: number): void {
  const field = path.slice(1);
  if (lacksSlash(path)) throw refused(index, `path: ${mustBeginWithSlash(path)}`);
  if (!Object.hasOwn(fields, field)) throw refused(index, `path: ${path} cannot be changed by a patch`);
  if (op === 'test') {
    if (fields[field] !== value) throw refused(index, `value: the test failed, ${path} has another value`);
  } else if (op === 'add' || op === 'replace') {
    fields[field] = field === '2fa' ? booleanFromText(value) : value;
  } else {
    throw refused(index, `op: ${op} is not possible at ${path}`);
  }
}

function patchGroups(groupIds: readonly string[], { op, path, value }: Operation, index: number): readonly string[] {
  const place = path.slice('/groups/'.length);
  const at = /^\d+$/.test(place) ? groupIds[Number(place)] : groupIds.find((id) => id === place);
  if (op === 'test') {
    testGroups(groupIds, path, value, index);
    return groupIds;
  }
  if (op === 'remove') return removeGroup(groupIds, path, idOf(value) ?? at, index);
  if (op !== 'add' && op !== 'replace') throw refused(index, `op: ${op} is not possible at ${path}`);
  if (path === '/groups') return allGroups(value, index);
  if (!/^(\d+|-)$/.test(place)) throw refused(index, `path: ${path} cannot be changed by a patch`);
  const id = idOf(value);
  if (id === undefined) throw refused(index, 'value must be a group: {"id", "type": "group"}');
  if (op === 'add') return [...new Set([...groupIds, id])];
  if (at === undefined) throw refused(index, `path: there is nothing at ${path}`);
  return [...new Set(groupIds.map((other) => (other === at ? id : other)))];
}

function removeGroup(groupIds: readonly string[], path: string, id: string | undefined, index: number) {
  if (path === '/groups' && id === undefined) return [];
  if (id === undefined || !groupIds.includes(id)) throw refused(index, `path: the user is in no such group at ${path}`);
  return groupIds.filter((other) => other !== id);
}

function testGroups(groupIds: readonly string[], path: string, value: unknown, index: number): void {
  if (path === '/groups' && equalJson(allGroups(value, index), groupIds)) return;
  const [, place, member] = /^\/groups\/(\d+)(\/id)?$/.exec(path) ?? [];
  const expected = member ? value : idOf(value);
  if (place === undefined || expected === undefined || groupIds[Number(place)] !== expected) {
    throw refused(index, `value: the test failed, ${path} has another value`);
  }
}

function allGroups(value: unknown, index: number): readonly string[] {
  const ids = Array.isArray(value) ? value.map(idOf) : [undefined];
  if (ids.some((id) => id === undefined)) throw refused(index, 'value must be a list of groups');
  return [...new Set(ids as string[])];
}

/** A group may be named by its id alone or by an object that has one. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id : undefined;
}
