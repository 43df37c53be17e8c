import { type Attribute, type AttributeSettings, applyAttributePatch, maxAttributes } from '#domain/attributes.ts';
import { equalJson } from '#domain/json.ts';
import { Problem } from '#domain/problems.ts';
import type { TrafficType } from '#domain/traffic-types.ts';
import * as store from '#store/attributes.ts';
import type { Tx } from '#store/sql.ts';
import { lockTrafficType } from '#store/traffic-types.ts';
import { type Context, type Entry, type RecordingTx, write } from './context.ts';

/** Creates attributes, or overwrites those with the same ids. Returns all of them. */
export const saveAttributes = (context: Context, trafficType: TrafficType, settings: readonly AttributeSettings[]) =>
  write(context, (tx) => saveAttributesIn(tx, trafficType, settings));

export async function saveAttributesIn(
  tx: RecordingTx,
  trafficType: TrafficType,
  settings: readonly AttributeSettings[],
): Promise<Attribute[]> {
  await lockTrafficType(tx, trafficType);
  const before = new Map((await store.listAttributes(tx, trafficType.id)).map((one) => [one.id, one]));
  const after = settings.map((one) => ({ ...one, trafficTypeId: trafficType.id }));
  const changed = after.filter((one) => !equalJson(one, before.get(one.id)));
  if (changed.length === 0) return tx.unchanged(after);
  const created = changed.filter(({ id }) => !before.has(id)).length;
  if (before.size + created > maxAttributes) throw new Problem('too_many_attributes', { max: maxAttributes });
  await store.saveAttributes(tx, changed);
  for (const one of changed) {
    const old = before.get(one.id);
    const action = old ? 'attribute.replaced' : 'attribute.created';
    await tx.record({ ...entry(action, trafficType, one), ...(old ? { before: old } : {}), after: one });
  }
  return after;
}

interface AttributeChange {
  readonly trafficType: TrafficType;
  readonly id: string;
}

/** Changes the members that the body has; null resets one. */
export const patchAttribute = (context: Context, change: AttributeChange & { readonly body: unknown }) =>
  write(context, (tx) => patchAttributeIn(tx, change));

export async function patchAttributeIn(
  tx: RecordingTx,
  { trafficType, id, body }: AttributeChange & { readonly body: unknown },
): Promise<Attribute> {
  const before = await lockAttribute(tx, trafficType, id);
  const after = { ...applyAttributePatch(before, body), trafficTypeId: trafficType.id };
  if (equalJson(after, before)) return tx.unchanged(before);
  await store.saveAttributes(tx, [after]);
  await tx.record({ ...entry('attribute.patched', trafficType, after), before, after });
  return after;
}

/** Rules that use the attribute keep working. */
export const deleteAttribute = (context: Context, change: AttributeChange) =>
  write(context, (tx) => deleteAttributeIn(tx, change));

export async function deleteAttributeIn(tx: RecordingTx, { trafficType, id }: AttributeChange) {
  const before = await lockAttribute(tx, trafficType, id);
  await store.deleteAttribute(tx, before);
  await tx.record({ ...entry('attribute.deleted', trafficType, before), before });
  return true as const;
}

/** Its traffic type is the lock. */
async function lockAttribute(tx: Tx, trafficType: TrafficType, id: string): Promise<Attribute> {
  await lockTrafficType(tx, trafficType);
  const attribute = await store.findAttribute(tx, trafficType.id, id);
  if (!attribute) throw new Problem('attribute_not_found', { nameOrId: id });
  return attribute;
}

/** Attributes of two traffic types can have the same id, so the entry's object names both. */
const entry = (action: Entry['action'], trafficType: TrafficType, { id }: Attribute) => ({
  action,
  object: { type: 'attribute' as const, id: `${trafficType.id}/${id}`, name: id },
  project: { id: trafficType.projectId },
});
