/** Differences between definitions in words: a title and a one-line summary. */
import type { Bucket } from '#domain/definitions/definition.ts';
import type { Difference, PlacedRule } from '#domain/definitions/differences.ts';
import { movedShares } from '#domain/definitions/shares.ts';
import { equalJson } from '#domain/json.ts';
import { excluded } from '#domain/segment-targeting.ts';
import { sharesInWords } from '../kit/treatments.ts';
import { matcherSentence } from './matcher-words.ts';

/** The title of a difference: "Everyone else", "Rule 2". The ladder counts rules from 1. */
export function differenceTitle(difference: Difference): string {
  switch (difference.kind) {
    case 'killed':
      return difference.after ? 'Killed' : 'Restored';
    case 'keys':
      return difference.treatment === excluded ? 'Excluded keys' : `Individual targets of ${difference.treatment}`;
    case 'segments':
      return difference.treatment === excluded ? 'Excluded segments' : `Targeted segments of ${difference.treatment}`;
    case 'trafficAllocation':
      return 'Traffic allocation';
    case 'rule':
      return ruleTitle(difference);
    case 'defaultRule':
      return 'Everyone else';
    case 'treatment':
      return treatmentTitle(difference);
    case 'treatmentOrder':
      return 'Order of the treatments';
    case 'defaultTreatment':
      return 'Served when killed';
    case 'baselineTreatment':
      return 'Baseline';
    case 'impressionsDisabled':
      return difference.after ? 'Impressions off' : 'Impressions on';
    case 'flagSets':
      return 'Flag sets';
    default:
      return difference.member;
  }
}

type Of<Kind extends Difference['kind']> = Extract<Difference, { kind: Kind }>;

const numberOf = (placed: PlacedRule | undefined): number => (placed?.at ?? 0) + 1;

function ruleTitle({ before, after, isMoved }: Of<'rule'>): string {
  const name = (after ?? before)?.rule.name;
  const called = name === undefined ? '' : `, ${name},`;
  if (!before) return `Rule ${numberOf(after)}${called} added`;
  if (!after) return `Rule ${numberOf(before)}${called} removed`;
  if (isMoved) return `Rule ${numberOf(before)}${called} is now rule ${numberOf(after)}`;
  return `Rule ${numberOf(after)}${called.slice(0, -1)}`;
}

function treatmentTitle({ before, after }: Of<'treatment'>): string {
  if (!before) return `Treatment ${after?.name} added`;
  if (!after) return `Treatment ${before.name} removed`;
  return before.name === after.name ? `Treatment ${after.name}` : `Treatment ${before.name} is now ${after.name}`;
}

/** One line for lists: "Everyone else: on 25%, off 75% → on 50%, off 50%". */
export function differenceLine(difference: Difference, trafficType: string): string {
  const title = differenceTitle(difference);
  switch (difference.kind) {
    case 'keys':
    case 'segments':
      return `${title}: ${listWords(difference)}`;
    case 'trafficAllocation':
      return `${title}: ${difference.before}% → ${difference.after}%`;
    case 'defaultRule':
      return `${title}: ${shareWords(difference.before, difference.after)}`;
    case 'defaultTreatment':
    case 'baselineTreatment':
      return `${title}: ${difference.before} → ${difference.after}`;
    case 'rule': {
      const placed = difference.after ?? difference.before;
      return `${title}: ${placed ? conditionSentence(placed, trafficType) : ''}`;
    }
    default:
      return title;
  }
}

/** If the leading treatment stays the same, its shares are enough: "on 25% → 50%". */
function shareWords(before: readonly Bucket[], after: readonly Bucket[]): string {
  const [old, now] = [before[0], after[0]];
  const isShort = before.length <= 2 && after.length <= 2 && old?.treatment === now?.treatment;
  if (isShort && old && now) return `${now.treatment} ${old.size}% → ${now.size}%`;
  return `${sharesInWords(before)} → ${sharesInWords(after)}`;
}

const conditionSentence = ({ rule }: PlacedRule, trafficType: string): string =>
  `if ${rule.condition.matchers.map((matcher) => matcherSentence(matcher, trafficType)).join(' and ')}`;

/** Additions and removals; with neither, only the order changed. */
export function listChanges({ before, after }: Of<'keys' | 'segments'>) {
  const old = new Set(before);
  const fresh = new Set(after);
  return { added: after.filter((text) => !old.has(text)), removed: before.filter((text) => !fresh.has(text)) };
}

function listWords(difference: Of<'keys' | 'segments'>): string {
  const { added, removed } = listChanges(difference);
  const words = [added.length > 0 && `${added.length} added`, removed.length > 0 && `${removed.length} removed`];
  return words.filter(Boolean).join(', ') || 'reordered';
}

/**
 * The percentage of a step's keys that move when its shares change; undefined if the difference is not about shares, or
 * if its condition matches different keys than before.
 */
export function movesOf(difference: Difference) {
  if (difference.kind === 'defaultRule') return movedShares(difference.before, difference.after);
  if (difference.kind !== 'rule' || !difference.before || !difference.after) return undefined;
  const [before, after] = [difference.before.rule, difference.after.rule];
  if (equalJson(before.buckets, after.buckets) || !equalJson(before.condition, after.condition)) return undefined;
  return movedShares(before.buckets, after.buckets);
}
