/** What SDKs read: a snapshot of each environment, kept current from whichever node changes it. */
import type { Snapshot } from './snapshot.ts';

export interface Feed {
  /** Undefined if the environment cannot be read. Waits while it is known to have changed, but not for long. */
  current(environmentId: string): Promise<Snapshot | undefined>;
  /** Calls the listener after each new snapshot: what it is told can be polled. */
  subscribe(listener: (change: FeedChange) => void): void;
  stop(): Promise<void>;
}

export interface FeedChange {
  readonly environmentId: string;
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** In order of number, which is in (before.flagsNumber, after.flagsNumber]. */
  readonly flags: readonly FlagChange[];
  /** In order of number, which is in (before.ruleBasedNumber, after.ruleBasedNumber]. */
  readonly ruleBasedSegments: readonly SegmentChange[];
  readonly segments: readonly KeysChange[];
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

/** The keys of a segment changed. */
export interface KeysChange {
  readonly kind: 'standard' | 'large';
  readonly name: string;
  readonly number: number;
  /** Absent for large segments, and if there are more than 10,000. No key is in both lists. */
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}
