/**
 * Changes that streams were not told of yet, merged: of each flag and segment only the last, so that a burst of changes
 * takes no more memory than the environment.
 */
import type { FeedChange, FlagChange, KeysChange, SegmentChange } from './feed.ts';

export interface Pending extends Pick<FeedChange, 'before' | 'flags' | 'ruleBasedSegments' | 'segments'> {}

export const merge = (earlier: Pending | undefined, later: FeedChange): Pending =>
  earlier
    ? {
        before: earlier.before,
        flags: latest<FlagChange>(earlier.flags, later.flags),
        ruleBasedSegments: latest<SegmentChange>(earlier.ruleBasedSegments, later.ruleBasedSegments),
        segments: latestKeys(earlier.segments, later.segments),
      }
    : later;

/** Stays in order of number: SDKs ignore what is older than what they were told. */
function latest<Each extends { readonly name: string }>(earlier: readonly Each[], later: readonly Each[]): Each[] {
  const byName = new Map(earlier.map((each) => [each.name, each]));
  for (const each of later) {
    byName.delete(each.name);
    byName.set(each.name, each);
  }
  return [...byName.values()];
}

function latestKeys(earlier: readonly KeysChange[], later: readonly KeysChange[]): KeysChange[] {
  const byName = new Map(earlier.map((each) => [`${each.kind} ${each.name}`, each]));
  for (const each of later) {
    const name = `${each.kind} ${each.name}`;
    const before = byName.get(name);
    byName.delete(name);
    byName.set(name, before ? bothOf(before, each) : each);
  }
  return [...byName.values()];
}

const maxKeys = 10_000;

/** Without lists if either has none, or if they become too long. */
function bothOf(earlier: KeysChange, { kind, name, number, added, removed }: KeysChange): KeysChange {
  if (!earlier.added || !earlier.removed || !added || !removed) return { kind, name, number };
  const all = new Map<string, boolean>();
  for (const { isIn, keys } of [
    { isIn: true, keys: earlier.added },
    { isIn: false, keys: earlier.removed },
    { isIn: true, keys: added },
    { isIn: false, keys: removed },
  ]) {
    for (const key of keys) all.set(key, isIn);
  }
  if (all.size > maxKeys) return { kind, name, number };
  const keysThat = (wanted: boolean) => [...all].flatMap(([key, isIn]) => (isIn === wanted ? key : []));
  return { kind, name, number, added: keysThat(true), removed: keysThat(false) };
}
