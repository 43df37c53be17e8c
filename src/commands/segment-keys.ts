import { createHash } from 'node:crypto';
import type { Environment } from '#domain/environments.ts';
import { refuse } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { type Activation, maxKeys, type Segment } from '#domain/segments.ts';
import * as store from '#store/segment-keys.ts';
import { requireDirect } from './approvals.ts';
import { type Context, type RecordingTx, write } from './context.ts';
import { requireNote } from './projects.ts';
import { entry, type LockedPlace, lockPlace, lockSegment } from './segments.ts';

export interface KeysChange {
  readonly project: Project;
  readonly environment: Environment;
  readonly segment: Segment;
  /** As `parseKeys` returns them: sorted. */
  readonly keys: readonly string[];
  readonly note: Note;
  /** Where they come from: the name of a file, `api` or `hand`. */
  readonly source: string;
  /** The least change number, of an import; that of the clock if absent. */
  readonly atLeast?: number | undefined;
}

/** The segment after the change, where it was made. */
export type ChangedKeys = Omit<LockedPlace, 'changeNumber' | 'approvals'>;

/** Adds keys. Existing ones stay as they are. */
export const addKeys = (context: Context, change: KeysChange) => write(context, (tx) => addKeysIn(tx, change));

export const addKeysIn = (tx: RecordingTx, change: KeysChange): Promise<ChangedKeys> =>
  changeKeys(tx, change, 'segment.keys_added', async (at, changeNumber) => ({
    added: await store.addKeys(tx, at, change.keys, changeNumber),
    removed: 0,
  }));

/** Makes these keys the only ones. */
export const replaceKeys = (context: Context, change: KeysChange) => write(context, (tx) => replaceKeysIn(tx, change));

export const replaceKeysIn = (tx: RecordingTx, change: KeysChange): Promise<ChangedKeys> =>
  changeKeys(tx, change, 'segment.keys_replaced', async (at, changeNumber) => {
    const wanted = new Set(change.keys);
    let removed = 0;
    for await (const keys of store.listAllKeys(tx, at)) {
      const unwanted = keys.filter((key) => !wanted.has(key));
      removed += await store.removeKeys(tx, at, unwanted, changeNumber);
    }
    return { added: await store.addKeys(tx, at, change.keys, changeNumber), removed };
  });

/** Removes keys. Returns how many were there. */
export const removeKeys = (context: Context, change: KeysChange) => write(context, (tx) => removeKeysIn(tx, change));

export async function removeKeysIn(tx: RecordingTx, change: KeysChange): Promise<number> {
  let removed = 0;
  await changeKeys(tx, change, 'segment.keys_removed', async (at, changeNumber) => {
    removed = await store.removeKeys(tx, at, change.keys, changeNumber);
    return { added: 0, removed };
  });
  return removed;
}

type Counts = { readonly added: number; readonly removed: number };

async function changeKeys(
  tx: RecordingTx,
  { project, environment: where, segment, keys, note, source, atLeast }: KeysChange,
  action: 'segment.keys_added' | 'segment.keys_replaced' | 'segment.keys_removed',
  apply: (at: store.KeyPlace, changeNumber: number) => Promise<Counts>,
): Promise<ChangedKeys> {
  await requireNote(tx, project, note);
  const place = await lockPlace(tx, where, await lockSegment(tx, segment), atLeast);
  const { environment, changeNumber, activation } = place;
  const recording = await requireDirect(tx, place);
  const at = { environmentId: environment.id, segment: segment.name };
  const { added, removed } = await apply(at, changeNumber);
  if (added + removed === 0) return tx.unchanged(place);
  const keyCount = activation.keyCount + added - removed;
  const limit = `Segment ${segment.name} would have ${keyCount} keys in ${environment.name}; the limit is ${maxKeys}`;
  refuse('segment_invalid', keyCount > maxKeys ? [limit] : []);
  const { type, id, name } = tx.actor;
  const change = { at: changeNumber, editor: { type, id, name }, source, added, removed, keyCount };
  await store.insertKeyChange(tx, at, segment.id, change);
  await recording.record({
    ...entry(action, place.segment, environment),
    before: { name: segment.name, keyCount: activation.keyCount },
    after: { name: segment.name, keyCount, added, removed, source, ...excerptOf(keys) },
    note,
    notBefore: changeNumber,
  });
  const after: Activation = { ...activation, changeNumber, keyCount, updatedAt: tx.now };
  return { environment, segment: place.segment, activation: after };
}

/** What the audit log keeps of the keys of a call: whole lists would be most of the log. */
function excerptOf(keys: readonly string[]) {
  return { digest: createHash('sha256').update(keys.join('\n')).digest('hex'), keys: keys.slice(0, 100) };
}
