import type { Environment } from '#domain/environments.ts';
import { applyIdentityUpdate, checkIdentity, type Identity, type IdentityUpdate } from '#domain/identities.ts';
import { equalJson } from '#domain/json.ts';
import { Problem } from '#domain/problems.ts';
import type { TrafficType } from '#domain/traffic-types.ts';
import * as store from '#store/identities.ts';
import { lockTrafficType } from '#store/traffic-types.ts';
import { type Context, type Entry, type RecordingTx, write } from './context.ts';

/** Where identities belong. */
export interface IdentityPlace {
  readonly trafficType: TrafficType;
  readonly environment: Environment;
}

/** Creates identities, or overwrites those with the same keys. */
export const saveIdentities = (context: Context, place: IdentityPlace, updates: readonly IdentityUpdate[]) =>
  write(context, (tx) => changeIdentitiesIn(tx, place, { updates, merge: false }));

/** Changes the values that the update names and keeps the others. Creates the identity if there is none. */
export const patchIdentity = async (context: Context, place: IdentityPlace, update: IdentityUpdate) =>
  (await write(context, (tx) => changeIdentitiesIn(tx, place, { updates: [update], merge: true })))[0];

interface Changes {
  readonly updates: readonly IdentityUpdate[];
  /** Whether values that an update does not name are kept. */
  readonly merge: boolean;
}

/** The traffic type's row is the lock. */
export async function changeIdentitiesIn(tx: RecordingTx, place: IdentityPlace, { updates, merge }: Changes) {
  await lockTrafficType(tx, place.trafficType);
  const ids = { trafficTypeId: place.trafficType.id, environmentId: place.environment.id };
  const keys = updates.map(({ key }) => key);
  const before = new Map((await store.findIdentities(tx, ids, keys)).map((one) => [one.key, one]));
  const after = updates.map((update): Identity => {
    const stored = merge ? before.get(update.key)?.values : undefined;
    return { key: update.key, ...ids, values: applyIdentityUpdate(update, stored) };
  });
  for (const one of after) checkIdentity(one);
  const changed = after.filter((one) => !equalJson(one, before.get(one.key)));
  if (changed.length === 0) return tx.unchanged(after);
  await store.saveIdentities(tx, changed);
  for (const one of changed) {
    const old = before.get(one.key);
    const action = !old ? 'identity.created' : merge ? 'identity.patched' : 'identity.replaced';
    await tx.record({ ...entry(action, place, one), ...(old ? { before: old } : {}), after: one });
  }
  return after;
}

export const deleteIdentity = (context: Context, place: IdentityPlace, key: string) =>
  write(context, (tx) => deleteIdentityIn(tx, place, key));

export async function deleteIdentityIn(tx: RecordingTx, place: IdentityPlace, key: string) {
  await lockTrafficType(tx, place.trafficType);
  const ids = { trafficTypeId: place.trafficType.id, environmentId: place.environment.id };
  const [before] = await store.findIdentities(tx, ids, [key]);
  if (!before) throw new Problem('identity_not_found', { nameOrId: key });
  await store.deleteIdentity(tx, before);
  await tx.record({ ...entry('identity.deleted', place, before), before });
  return true as const;
}

/** Keys of two traffic types have nothing to do with each other, so the entry's object names both. */
const entry = (action: Entry['action'], { trafficType, environment }: IdentityPlace, { key }: Identity) => ({
  action,
  object: { type: 'identity' as const, id: `${trafficType.id}/${key}`, name: key },
  project: { id: trafficType.projectId },
  environment,
});
