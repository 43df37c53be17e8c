/** Tells open pages on all nodes that someone has unsaved changes. Nothing is stored, so there is no audit entry. */
import type { Actor } from '#domain/access.ts';
import type { Reference } from '#domain/schema.ts';
import { findUser } from '#store/users.ts';
import { type Context, prepare } from './context.ts';

interface Where {
  readonly project: Reference;
  readonly environment: Reference;
  readonly flag: Reference;
}

export const announceEditing = (
  context: Context,
  { id, type, name }: Actor,
  { project, environment, flag }: Where,
  isEditing: boolean,
): Promise<true> =>
  prepare(context, async (tx) => {
    // People have a name beside the address that identifies them.
    const actorName = type === 'user' ? (await findUser(tx, id, { kind: 'account' })).name : name;
    const place = { projectId: project.id, environmentId: environment.id, flagId: flag.id };
    tx.announce({ kind: 'editing', isEditing, actorId: id, actorName, ...place });
    return true as const;
  });
