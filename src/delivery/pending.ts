/**
 * Changes that streams were not told of yet, merged: of each flag and segment only the last, so that a burst of changes
 * takes no more memory than the environment.
 */
import { type FeedChange, type FlagChange, type KeysChange, maxListedKeys, type SegmentChange } from './feed.ts';
import { netOf } from './segments.ts';

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

/** Without lists if either has none, or if they become too long. */
function bothOf(earlier: KeysChange, { kind, name, number, added, removed }: KeysChange): KeysChange {
  if (!earlier.added || !earlier.removed || !added || !removed) return { kind, name, number };
  const net = netOf([
    { added: earlier.added, removed: earlier.removed },
    { added, removed },
  ]);
  const isLong = net.added.length + net.removed.length > maxListedKeys;
  return isLong ? { kind, name, number } : { kind, name, number, ...net };
}
