/** From the rows of a key or of a session to an actor: what it may do, and where. */
import { type Access, type Actor, allows, permissionsOf, permissionsOfPerson } from '#domain/access.ts';
import type { ApiKey } from '#domain/api-keys.ts';
import { Problem } from '#domain/problems.ts';
import { findApiKeyById } from '#store/api-keys.ts';
import { reaches } from '#store/scope-filter.ts';
import { findSignedInById, type SignedIn } from '#store/sessions.ts';
import type { Tx } from '#store/sql.ts';

/**
 * A key of the account sees a restricted project if the project lists it. One that may change project access sees all:
 * it could list itself.
 */
export function actorOfKey({ id, name, roles, scope }: ApiKey): Actor {
  const permissions = permissionsOf(roles);
  const isNarrowed = scope.kind === 'account' && !permissions.has('restriction.write');
  return { type: 'api_key', id, name, permissions, scope: isNarrowed ? { ...scope, viewerKeyId: id } : scope };
}

/** Administrators may do everything; other people what is theirs, in the projects that are open to them. */
export const actorOfPerson = ({ user, session, isAdministrator }: SignedIn): Actor => ({
  type: 'user',
  id: user.id,
  name: user.email,
  permissions: permissionsOfPerson(isAdministrator),
  scope: isAdministrator ? { kind: 'account' } : { kind: 'member', userId: user.id },
  sessionId: session.id,
});

/** Why a request was let in. */
export interface Grant {
  readonly access: Access;
  readonly project?: { readonly id: string; readonly name: string } | undefined;
}

/**
 * The actor as the rows of this transaction have it, which stays so until the commit: commands that end access wait for
 * it. The body of a request may take long to arrive, and meanwhile the actor may have been signed out, demoted, locked
 * out or revoked. Refuses then.
 */
export async function requireActor(tx: Tx, actor: Actor, grant: Grant | undefined): Promise<Actor> {
  const now = await actorNow(tx, actor);
  if (!now) throw new Problem(grant ? 'unauthenticated' : 'signed_out');
  if (!grant) return now;
  if (!allows(now, grant.access)) throw new Problem('forbidden');
  if (grant.project && !(await reaches(tx, now.scope, grant.project.id))) {
    throw new Problem('project_not_found', { nameOrId: grant.project.name });
  }
  return now;
}

/** Operators, the system and people who are not signed in hold nothing that could be taken from them. */
async function actorNow(tx: Tx, actor: Actor): Promise<Actor | undefined> {
  if (actor.type === 'api_key') {
    const key = await findApiKeyById(tx, actor.id);
    return key && actorOfKey(key);
  }
  if (actor.sessionId === undefined) return actor;
  const person = await findSignedInById(tx, actor.sessionId);
  return person && actorOfPerson(person);
}
