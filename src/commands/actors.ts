/** Turns the row of a key or a session into an actor: its permissions and its scope. */
import {
  type Access,
  type Actor,
  allows,
  mayGrant,
  permissionsOf,
  permissionsOfPerson,
  rolesWith,
} from '#domain/access.ts';
import { type ApiKey, isExpired } from '#domain/api-keys.ts';
import { whyNot } from '#domain/explained-rights.ts';
import { Problem } from '#domain/problems.ts';
import { type Right, rightNeeded, rightsFrom } from '#domain/rights.ts';
import type { Reference } from '#domain/schema.ts';
import type { User } from '#domain/users.ts';
import { findApiKeyById } from '#store/api-keys.ts';
import { listGroupsOfUser } from '#store/groups.ts';
import { findProjectAccess } from '#store/restrictions.ts';
import { listAdministratorNames, listStandings } from '#store/rights.ts';
import { reaches } from '#store/scope-filter.ts';
import { findSignedInById, type SignedIn } from '#store/sessions.ts';
import type { Reader, Tx } from '#store/sql.ts';

/**
 * An account key sees a restricted project only if the project lists it. A key that may change project access sees all
 * projects, since it could list itself.
 */
export function actorOfKey({ id, name, roles, scope }: ApiKey): Actor {
  const permissions = permissionsOf(roles);
  const isNarrowed = scope.kind === 'account' && !permissions.has('restriction.write');
  return { type: 'api_key', id, name, permissions, scope: isNarrowed ? { ...scope, viewerKeyId: id } : scope };
}

export const actorOfPerson = ({ user, session, isAdministrator }: SignedIn): Actor => ({
  ...actorOfUser(user, isAdministrator),
  sessionId: session.id,
});

/**
 * Administrators may do everything. Other people have the permissions of members, in the projects that they can see.
 */
export const actorOfUser = ({ id, email }: Pick<User, 'id' | 'email'>, isAdministrator: boolean): Actor => ({
  type: 'user',
  id,
  name: email,
  permissions: permissionsOfPerson(isAdministrator),
  scope: isAdministrator ? { kind: 'account' } : { kind: 'member', userId: id },
});

/** Refuses a person who must set up a second factor first. What people do about their own sign-in needs no permission. */
export function requireSecondFactor({ lacksSecondFactor }: SignedIn): void {
  if (lacksSecondFactor) throw new Problem('second_factor_required');
}

/** The permission that let a request in. */
export interface Grant {
  readonly access: Access;
  /** What the path names. */
  readonly project?: Reference | undefined;
  readonly environment?: Reference | undefined;
  readonly flag?: Reference | undefined;
}

/**
 * Reads the actor again inside the transaction. The result holds until the commit, because commands that end access
 * wait for this transaction. A request body can take long to arrive; if the actor was signed out, demoted or revoked
 * meanwhile, this refuses.
 */
export async function requireActor(tx: Tx, actor: Actor, grant: Grant | undefined): Promise<Actor> {
  const now = await actorNow(tx, actor, grant);
  if (!now) throw new Problem(grant ? 'unauthenticated' : 'signed_out');
  if (!grant) return now;
  await requirePermission(tx, now, grant);
  return now;
}

/** Refuses unless the actor, as it was read, has the permission and the right that it needs. */
export async function requirePermission(db: Reader, actor: Actor, grant: Grant): Promise<void> {
  if (!allows(actor, grant.access)) throw await roleMissing(db, actor, grant.access);
  await requireGranted(db, actor, grant);
}

/** Refuses unless the actor has the right that the permission needs at the place that the path names. */
export async function requireGranted(db: Reader, actor: Actor, grant: Grant): Promise<void> {
  const { access, project, environment, flag } = grant;
  const right = rightNeeded[access.needs];
  if (project) await requireRight(db, actor, { right, project, environments: environment ? [environment] : [], flag });
}

/** A right, and where it is needed. */
export interface NeededRight {
  readonly right: Right;
  readonly project: Reference;
  /** For a right in environments: it is needed in each of them. */
  readonly environments: readonly Reference[];
  readonly flag?: Reference | undefined;
}

/** Refuses unless the actor has the right now: 404 for a project that it cannot see, otherwise 403. */
export async function requireRight(db: Reader, actor: Actor, needed: NeededRight): Promise<void> {
  const { right, project, environments, flag } = needed;
  // Made only when thrown: an Error takes 5 % of the time of a PATCH.
  const notFound = () => new Problem('project_not_found', { nameOrId: project.name });
  if (right === 'view' || mayGrant(actor)) {
    if (!(await reaches(db, actor.scope, project.id))) throw notFound();
    return;
  }
  const environmentIds = environments.map(({ id }) => id);
  const standings = await listStandings(db, actor, { projectId: project.id, environmentIds, flagId: flag?.id });
  const all = standings.map((one) => ({ rights: rightsFrom(one), environmentId: one.environmentId }));
  if (!all[0]?.rights.view) throw notFound();
  const missing = all.find(({ rights }) => !rights[right]);
  if (missing) throw await rightMissing(db, actor, { right, project, environmentId: missing.environmentId });
}

interface Missing {
  readonly right: Right;
  readonly project: Reference;
  readonly environmentId: string | undefined;
}

/** For an actor whose role or scope does not allow the endpoint at all: what is missing, and who can grant it. */
export async function roleMissing(db: Reader, actor: Actor, { needs, scope }: Access): Promise<Problem> {
  if (actor.type !== 'api_key') {
    const reason = `Only administrators can do this: it needs the permission ${needs}.`;
    return new Problem('forbidden', { reason, ask: await whomToAsk(db) });
  }
  const reason = actor.permissions.has(needs)
    ? `This needs a key for ${scope === 'account' ? 'the whole account' : 'a whole project'}; the key ${actor.name} is limited to ${actor.scope.kind === 'project' ? 'a project' : 'environments'}.`
    : `The key ${actor.name} lacks the permission ${needs}, which these roles have: ${rolesWith(needs).join(', ')}.`;
  return new Problem('forbidden', {
    reason,
    ask: 'Ask an administrator for another key: the roles and the scope of a key cannot be changed.',
  });
}

/** For an actor that an access list does not name: what is missing, and who can grant it. */
async function rightMissing(db: Reader, actor: Actor, { right, project, environmentId }: Missing): Promise<Problem> {
  const access = await findProjectAccess(db, project.id);
  if (!access) return new Problem('project_not_found', { nameOrId: project.name });
  const isKey = actor.type === 'api_key';
  const subject = {
    type: isKey ? ('api_key' as const) : ('user' as const),
    id: actor.id,
    groups: isKey ? [] : await listGroupsOfUser(db, actor.id),
    mayGrant: false,
  };
  const environment = access.environments.find(({ id }) => id === environmentId);
  // The actor sees the project: otherwise it would have got 404. A key limited to the project need not be listed.
  const seen = { ...access, view: { restricted: false, grantees: [] } };
  const reason = whyNot(right, seen, environment, subject);
  if (isKey) return new Problem('right_missing', { reason, ask: `An administrator can add the key ${actor.name}.` });
  return new Problem('right_missing', { reason, ask: await whomToAsk(db) });
}

/** "Ask an administrator, for example Ana Ruiz." */
export async function whomToAsk(db: Reader): Promise<string> {
  const names = await listAdministratorNames(db, 2);
  return `Ask an administrator${names.length > 0 ? `, for example ${names.join(' or ')}` : ''}.`;
}

/** Operators, the system and anonymous callers have no rows that could be revoked. */
async function actorNow(tx: Tx, actor: Actor, grant: Grant | undefined): Promise<Actor | undefined> {
  if (actor.type === 'api_key') {
    const key = await findApiKeyById(tx, actor.id);
    return key && !isExpired(key, tx.now) ? actorOfKey(key) : undefined;
  }
  if (actor.sessionId === undefined) return actor;
  const person = await findSignedInById(tx, actor.sessionId);
  if (person && grant) requireSecondFactor(person);
  return person && actorOfPerson(person);
}
