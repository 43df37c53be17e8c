/**
 * What a new snapshot changed, for streams. Changes that they were not told of yet are merged: of each flag and segment
 * only the last counts, so that a burst takes no more memory than the environment.
 */
import { entriesAfter } from './in-order.ts';
import { type KeyChanges, netOf } from './segments.ts';
import type { Published, Snapshot } from './snapshot.ts';

export interface FeedChange {
  readonly environmentId: string;
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** In order of number, which is in (before.flagsNumber, after.flagsNumber]. */
  readonly flags: readonly FlagChange[];
  /** In order of number, which is in (before.ruleBasedNumber, after.ruleBasedNumber]. */
  readonly ruleBasedSegments: readonly SegmentChange[];
  readonly segments: readonly KeysChange[];
  /** The database was restored to an earlier state: SDKs must read everything again. */
  readonly isRestored: boolean;
}

export interface FlagChange {
  readonly name: string;
  readonly number: number;
  /** JSON of spec 1.3; archived flags too. */
  readonly text: Buffer;
  /** Whether this change killed it. */
  readonly isKilled: boolean;
  readonly defaultTreatment: string;
}

/** A rule-based segment. */
export interface SegmentChange {
  readonly name: string;
  readonly number: number;
  /** JSON of spec 1.3; archived ones too. */
  readonly text: Buffer;
}

/** The keys of a segment changed, or are delivered from now on. */
export interface KeysChange {
  readonly kind: 'standard' | 'large';
  readonly name: string;
  readonly number: number;
  /** Absent for large segments and new ones, and if there are more than 10,000. No key is in both lists. */
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

/** A change of more keys has no lists. */
const maxListedKeys = 10_000;

export function toKeysChange(name: string, changes: readonly KeyChanges[]): KeysChange {
  const change = { kind: 'standard', name, number: changes.at(-1)?.number ?? -1 } as const;
  const net = netOf(changes);
  return net.added.length + net.removed.length > maxListedKeys ? change : { ...change, ...net };
}

export function flagChanges(before: Published, after: Published): FlagChange[] {
  const numbers = [before.snapshot.flagsNumber, after.snapshot.flagsNumber] as const;
  return within(after.snapshot.flagsInOrder, numbers).map(({ name, number, text, isKilled, defaultTreatment }) => ({
    name,
    number,
    text,
    isKilled: isKilled && !before.state.content.flags.get(name)?.isKilled,
    defaultTreatment,
  }));
}

export const segmentChanges = (before: Published, after: Published): SegmentChange[] =>
  within(after.snapshot.ruleBasedInOrder, [before.snapshot.ruleBasedNumber, after.snapshot.ruleBasedNumber]);

const within = <Entry extends { readonly number: number }>(
  entries: readonly Entry[],
  [from, to]: readonly [number, number],
): Entry[] => (from < to ? entriesAfter(entries, from).filter(({ number }) => number <= to) : []);

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

/** In order of change number, because SDKs ignore messages older than the last one. */
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
