/** Watching a flag: its watchers get a mail about changes that others made. */
import { type Static, Type } from 'typebox';
import { type Bucket, recordedTargeting } from './definitions/definition.ts';
import { type Difference, differencesBetween } from './definitions/differences.ts';
import { dayMs, hourMs } from './durations.ts';
import type { Flag } from './flags.ts';
import { Millis, Reference } from './schema.ts';

export const WatchedFlag = Type.Object({
  flag: Reference,
  project: Reference,
  archived: Type.Boolean(),
  since: Millis,
});
export type WatchedFlag = Static<typeof WatchedFlag>;

/** Bounds the list, which is not paged. */
export const maxWatches = 500;
/** Each change writes a row for each watcher. */
export const maxWatchers = 200;

export const watchMails = ['soon', 'daily', 'never'] as const;
export type WatchMails = (typeof watchMails)[number];

/** Changes within this time after the first one are in the same mail. */
export const bundleMs = 5 * 60_000;

/** The next 7:00 UTC. */
const nextDigestAt = (now: number): number => Math.ceil((now + 1 - 7 * hourMs) / dayMs) * dayMs + 7 * hourMs;

/** When the mail about a change made now is due. */
export const mailDueAt = (mails: Exclude<WatchMails, 'never'>, now: number): number =>
  mails === 'daily' ? nextDigestAt(now) : now + bundleMs;

/** The kind of its rows in the outbox. */
export const watchMailKind = 'watched-flags';

export interface WatchMail {
  readonly kind: typeof watchMailKind;
  readonly email: string;
  readonly name: string;
  readonly flags: readonly MailedFlag[];
  /** Changes that the mail leaves out. */
  readonly more: number;
}

export interface MailedFlag {
  readonly name: string;
  readonly project: Reference;
  readonly isDeleted: boolean;
  readonly changes: readonly MailedChange[];
}

export interface MailedChange {
  readonly at: number;
  readonly by: string;
  /** "changed it in Production" */
  readonly what: string;
  readonly details: readonly string[];
  /** The title and the comment of the change. */
  readonly note: string;
}

/** In one mail. */
export const maxMailedChanges = 50;

const sentences: Readonly<Record<string, string>> = {
  'flag.patched': 'changed its details',
  'flag.described': 'changed its description',
  'flag.tagged': 'tagged it',
  'flag.deleted': 'deleted it',
  'flag.archived': 'archived it',
  'flag.unarchived': 'unarchived it',
  'flag.kept': 'kept it from cleanup',
  'flag.unkept': 'stopped keeping it from cleanup',
  'definition.created': 'defined it in @',
  'definition.patched': 'changed it in @',
  'definition.replaced': 'replaced its definition in @',
  'definition.killed': 'killed it in @',
  'definition.restored': 'restored it in @',
  'definition.deleted': 'removed it from @',
  'definition.undeleted': 'restored its deleted definition in @',
};

export const sentenceOf = (action: string, environment: string | undefined): string =>
  (sentences[action] ?? 'changed it').replace('@', () => environment ?? 'an environment');

/** For each change. */
const maxDetails = 8;

/** The differences between two recorded states of a flag or a definition, one line each. */
export function detailsOf(type: string, before: unknown, after: unknown): string[] {
  const lines =
    type === 'definition'
      ? differencesBetween(recordedTargeting(before), recordedTargeting(after)).flatMap(lineOf)
      : flagLines(before as Partial<Flag>, after as Partial<Flag>);
  const more = lines.length - maxDetails;
  return more <= 1 ? lines : [...lines.slice(0, maxDetails), `and ${more} more`];
}

function flagLines(before: Partial<Flag>, after: Partial<Flag>): string[] {
  const tagsOf = ({ tags }: Partial<Flag>) => (tags ?? []).map(({ name }) => name).join(', ') || 'none';
  const changed = (title: string, old: string, now: string) => (old === now ? [] : [`${title}: ${old} → ${now}`]);
  return [
    ...changed('rollout status', before.rolloutStatus?.name ?? '', after.rolloutStatus?.name ?? ''),
    ...changed('tags', tagsOf(before), tagsOf(after)),
  ];
}

function lineOf(difference: Difference): string[] {
  switch (difference.kind) {
    case 'killed':
      // The sentence already says so.
      return [];
    case 'impressionsDisabled':
      return [difference.after ? 'impressions off' : 'impressions on'];
    case 'keys':
    case 'segments':
      return [
        `individual ${difference.kind} of ${difference.treatment}: ${difference.before.length} → ${difference.after.length}`,
      ];
    case 'trafficAllocation':
      return [`traffic allocation: ${difference.before}% → ${difference.after}%`];
    case 'rule':
      return [ruleLine(difference)];
    case 'defaultRule':
      return [`everyone else: ${shares(difference.before)} → ${shares(difference.after)}`];
    case 'treatment':
      return [treatmentLine(difference)];
    case 'treatmentOrder':
      return ['treatment order'];
    case 'defaultTreatment':
      return [`default treatment: ${difference.before} → ${difference.after}`];
    case 'baselineTreatment':
      return [`baseline treatment: ${difference.before} → ${difference.after}`];
    case 'flagSets':
      return ['flag sets'];
    case 'other':
      return [difference.member];
  }
}

function ruleLine({ before, after, isMoved }: Difference & { kind: 'rule' }): string {
  if (!before) return `rule ${(after?.at ?? 0) + 1} added`;
  if (!after) return `rule ${before.at + 1} removed`;
  return `rule ${after.at + 1} ${isMoved ? 'moved' : 'changed'}`;
}

function treatmentLine({ before, after }: Difference & { kind: 'treatment' }): string {
  if (!before) return `treatment ${after?.name} added`;
  if (!after) return `treatment ${before.name} removed`;
  return before.name === after.name
    ? `treatment ${after.name} changed`
    : `treatment ${before.name} renamed to ${after.name}`;
}

const shares = (buckets: readonly Bucket[]): string =>
  buckets.map(({ treatment, size }) => `${treatment} ${size}%`).join(', ');
