/** The effect of a change in words. */

import type { Flow } from '#domain/evaluation/effect-flows.ts';
import type { Decider, Question } from '#domain/evaluation/effect-sides.ts';
import { type Effect, type Group, isHarmless, movesIn, type Range } from '#domain/evaluation/effects.ts';
import { percent } from '../ui/percent.ts';

export const rangeWords = ({ min, max }: Range): string =>
  min === max ? percent(max) : `${percent(min).replace('%', '')}–${percent(max)}`;

const isEqual = (one: Range, other: Range): boolean => one.min === other.min && one.max === other.max;

/** The treatments whose share changes. The default treatment gets what the others lose, so it is left out. */
export function changedShares({ shares }: Effect, defaultTreatment: string) {
  const changed = shares.filter(({ before, after }) => !isEqual(before, after));
  const others = changed.filter(({ treatment }) => treatment !== defaultTreatment);
  return others.length > 0 ? others : changed;
}

/** The headline if no share changes. */
export function plainHeadline(effect: Effect): string {
  const { groups, named } = effect;
  if (groups.length === 0) return 'Cannot tell: there are too many rules to compare';
  if (isHarmless(effect)) return 'No key changes treatment';
  const moved = groups.map(({ flows }) => movesIn(flows).reduce((sum, { share }) => sum + share, 0));
  const range = { min: Math.min(...moved), max: Math.max(...moved) };
  if (range.max > 0) {
    const isBalanced = groups.every(({ flows }) => isBalancedBy(flows));
    return `${isBalanced ? 'Shares stay the same, but ' : ''}${rangeWords(range)} of all keys change treatment`;
  }
  const keys = named.moves.reduce((sum, move) => sum + move.keys, 0);
  if (named.unknown + named.notCompared > 0) return 'Only individually listed keys may change treatment';
  return keys === 1 ? 'One listed key changes treatment' : `${count(keys)} listed keys change treatment`;
}

/** Each treatment gains as many keys as it loses. Equal ranges alone do not prove that. */
function isBalancedBy(flows: readonly Flow[]): boolean {
  const net = new Map<string, number>();
  for (const { from, to, share } of flows) {
    net.set(from, (net.get(from) ?? 0) - share);
    net.set(to, (net.get(to) ?? 0) + share);
  }
  return [...net.values()].every((share) => Math.abs(share) < 0.001);
}

/** One line, without a full stop: "on 80% → 60% of all keys". */
export function effectLine(effect: Effect, defaultTreatment: string): string {
  const changed = changedShares(effect, defaultTreatment);
  if (changed.length === 0 || effect.groups.length === 0) return plainHeadline(effect);
  const words = changed.map(
    ({ treatment, before, after }) => `${treatment} ${rangeWords(before)} → ${rangeWords(after)}`,
  );
  return `${words.join(', ')} of all keys`;
}

const ruleNumber = (decider: Decider): string => (decider.kind === 'rule' ? `rule ${decider.index + 1}` : '');

/** Describes the keys in a group. If no rule decides on one side, only the other side is named. */
export function groupWords({ before, after }: Group, { groups }: Effect): string {
  const [was, is] = [matchWords(before), matchWords(after)];
  if (was === is) return `Keys that ${is}`;
  if (groups.every((group) => group.after.kind === 'rest')) return `Keys that ${was} now`;
  if (groups.every((group) => group.before.kind === 'rest')) return `Keys that ${is} after`;
  return `Keys that ${was} now and ${is} after`;
}

function matchWords(decider: Decider): string {
  if (decider.kind === 'segment') return `are in segment ${decider.segment}`;
  return decider.kind === 'rest' ? 'match no rule' : `match ${ruleNumber(decider)}`;
}

const maxUnknowns = 4;

/** What must be known for an exact answer: "rule 2 depends on `cart_value`". */
export function unknownWords({ unknowns }: Effect): string[] {
  const areBoth = unknowns.some(({ side }) => side === 'after');
  const words = unknowns.map(({ side, step, asksFor }) => {
    const asked = [...new Set(asksFor.map(questionWords))].join(' and ');
    const when = side === 'before' && areBoth ? ' (now)' : '';
    return step.kind === 'segment'
      ? `targets depend on ${asked}${when}`
      : `${ruleNumber(step)}${when} depends on ${asked}`;
  });
  const rest = words.length - maxUnknowns;
  return rest > 0 ? [...words.slice(0, maxUnknowns), `${rest} more rules`] : words;
}

function questionWords(question: Question): string {
  if (question.kind === 'key') return 'the key itself';
  if (question.kind === 'attribute') return `\`${question.name}\``;
  const words = `the ${question.kind} \`${question.name}\``;
  return question.kind === 'segment' && question.nobody ? `${words}, which ${question.nobody}` : words;
}

/** Sentences about keys listed in targets or rules. */
export function namedWords({ named }: Effect): string[] {
  const { moves, unknown, notCompared } = named;
  const keys = (number: number) => (number === 1 ? '1 listed key' : `${count(number)} listed keys`);
  return [
    ...moves.map((move) => `${keys(move.keys)} ${move.keys === 1 ? 'moves' : 'move'} from ${move.from} to ${move.to}.`),
    ...(unknown > 0 ? [`Cannot tell whether ${keys(unknown)} change treatment.`] : []),
    ...(notCompared > 0 ? [`${count(notCompared)} listed keys are too many to compare.`] : []),
  ];
}

const count = (number: number): string => number.toLocaleString('en');
