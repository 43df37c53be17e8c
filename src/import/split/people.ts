/** Users, groups and access lists. Accounts that moved to Harness no longer have them. */
import type { Person, SourceGroup, SourceUser } from '#domain/import/source.ts';
import { isObject, type Members } from '#domain/json.ts';
import { memberIn, objectsIn, readByMarker, readByOffset, textIn } from './lists.ts';
import { type Named, type Reading, v2 } from './reading.ts';

export interface People {
  readonly users: readonly SourceUser[];
  readonly groups: readonly SourceGroup[];
  /** The person that a reference in the source names, or undefined. */
  readonly personOf: (reference: Members) => Person | undefined;
}

export async function readPeople(reading: Reading): Promise<People> {
  const { api, attempt } = reading;
  if (!reading.wants('people')) return { users: [], groups: [], personOf: byName };
  const [groupItems, ...userLists] = await Promise.all([
    attempt('Groups', () => readByOffset(api, `${v2}/groups`, { limit: 200 }), []),
    // Without a status, the pending ones are left out.
    attempt('Users', () => readUsers(reading, {}), []),
    attempt('Users', () => readUsers(reading, { status: 'PENDING' }), []),
  ]);
  const groups = new Map(groupItems.map((item) => [textIn(item, 'id'), toGroup(item)]));
  const users = new Map(userLists.flat().map((item) => [textIn(item, 'id'), toUser(item, groups)]));
  const personOf = (reference: Members): Person | undefined => {
    const id = textIn(reference, 'id');
    const user = users.get(id);
    if (user) return { kind: 'user', name: user.email };
    const group = groups.get(id);
    return group ? { kind: 'group', name: group.name } : byName(reference);
  };
  return { users: [...users.values()], groups: [...groups.values()], personOf };
}

const readUsers = ({ api }: Reading, query: Readonly<Record<string, string>>) =>
  readByMarker(api, `${v2}/users`, { query: { ...query, limit: 200 }, after: 'after' });

const toGroup = (item: Members): SourceGroup => ({
  name: textIn(item, 'name'),
  description: textIn(item, 'description'),
});

const toUser = (item: Members, groups: ReadonlyMap<string, SourceGroup>): SourceUser => ({
  email: textIn(item, 'email'),
  name: textIn(item, 'name'),
  isActive: item.status !== 'DEACTIVATED',
  groups: objectsIn(item, 'groups').flatMap((group) => groups.get(textIn(group, 'id'))?.name ?? []),
});

/** Access lists also have names. A user's may or may not be an email address. */
function byName(reference: Members): Person | undefined {
  const [name, kind] = [textIn(reference, 'name'), textIn(reference, 'type').toLowerCase()];
  if (kind === 'group' || kind === 'api_key') return name === '' ? undefined : { kind, name };
  return kind === 'user' && name.includes('@') ? { kind, name } : undefined;
}

export interface Access {
  readonly viewers: readonly Person[] | undefined;
  /** Editors of the whole project. */
  readonly projectEditors?: readonly Person[] | undefined;
  /** By environment id; only restricted environments. */
  readonly editors: ReadonlyMap<string, readonly Person[]>;
}

export async function readAccess(reading: Reading, { id, name }: Named, { personOf }: People): Promise<Access> {
  const named = (list: readonly Members[], what: string): Person[] =>
    list.flatMap((grantee) => {
      const person = personOf(grantee);
      if (!person)
        reading.leaveOut(
          `${what}: ${textIn(grantee, 'name') || textIn(grantee, 'id')}`,
          'No user, group or key has this id.',
        );
      return person ?? [];
    });
  if (reading.isBurgee) return readOwnAccess(reading, { id, name }, named);
  const query = { resource_type: 'workspace', resource_id: id, limit: 200 };
  const items = await reading.attempt(
    'Project viewers',
    () => readByOffset(reading.api, `${v2}/restrictions`, query),
    [],
  );
  const [restriction] = items.filter((item) => memberIn(item.operations, 'view') === true);
  const viewers = restriction && named(objectsIn(restriction.resourcePermissions, 'view'), `Viewers of ${name}`);
  return { viewers, editors: new Map() };
}

type NameAll = (list: readonly Members[], what: string) => Person[];

/** Burgee returns all lists of a project at once, with those of environments, which the vendor's API does not show. */
async function readOwnAccess(reading: Reading, { id, name }: Named, named: NameAll): Promise<Access> {
  const access = await reading.attempt(
    `Access to ${name}`,
    async () => (await reading.api.get(`${v2}/workspaces/${id}/access`)).body,
    undefined,
  );
  const circleOf = (circle: unknown, what: string) =>
    memberIn(circle, 'restricted') === true ? named(objectsIn(circle, 'grantees'), what) : undefined;
  const body = isObject(access) ? access : {};
  const editors = objectsIn(body, 'environments').flatMap((environment) => {
    const people = circleOf(environment.editors, `Editors of ${name}/${textIn(environment, 'name')}`);
    return people ? [[textIn(environment, 'id'), people] as const] : [];
  });
  return {
    viewers: circleOf(body.view, `Viewers of ${name}`),
    projectEditors: circleOf(body.edit, `Editors of ${name}`),
    editors: new Map(editors),
  };
}
