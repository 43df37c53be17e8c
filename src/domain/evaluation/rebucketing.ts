/**
 * Keys that change their treatment without need: buckets are given out in the order of the treatments, so another order,
 * or a lower share of one in the middle, moves keys between the others. Exact, since there are 100 buckets.
 */
import { type Static, Type } from 'typebox';
import type { Bucket, Targeting } from '../definitions/definition.ts';
import { type Move, movedShares } from '../definitions/shares.ts';
import { equalJson } from '../json.ts';
import { drawnFlows, type Effect, movesIn } from './effects.ts';
import type { Finding } from './findings.ts';

export const Rebucketing = Type.Object({
  rule: Type.Integer({ description: 'starts at 1; one more than there are rules: everyone else' }),
  moves: Type.Array(Type.Object({ from: Type.String(), to: Type.String(), share: Type.Integer() })),
  moved: Type.Integer({ description: 'percent of the keys of this step that get another treatment' }),
  needed: Type.Integer({ description: 'percent that would be enough for the new shares' }),
  order: Type.Optional(
    Type.Array(Type.String(), {
      description: 'of the treatments, with which fewer keys move; absent if there is none',
    }),
  ),
  movedInOrder: Type.Optional(Type.Integer({ description: 'percent that move with `order`' })),
});
export type Rebucketing = Static<typeof Rebucketing>;

/** For each step that is on both sides, if more keys move than are needed. */
export function rebucketingOf(before: Targeting, after: Targeting): Rebucketing[] {
  const left = [...before.rules];
  const steps = after.rules.map(({ condition, buckets }) => {
    const place = left.findIndex((rule) => equalJson(rule.condition, condition));
    return { was: place < 0 ? undefined : left.splice(place, 1)[0]?.buckets, is: buckets };
  });
  return [...steps, { was: before.defaultRule, is: after.defaultRule }].flatMap(({ was, is }, index) => {
    const found = was && rebucketed(was, is);
    return found ? [{ rule: index + 1, ...found }] : [];
  });
}

function rebucketed(was: readonly Bucket[], is: readonly Bucket[]): Omit<Rebucketing, 'rule'> | undefined {
  const moves = movedShares(was, is);
  const [moved, needed] = [totalOf(moves), neededFor(was, is)];
  if (moved <= needed) return undefined;
  const best = bestOrder(was, is);
  const isBetter = best.moved < moved;
  return {
    moves,
    moved,
    needed,
    ...(isBetter ? { order: best.order.map(({ treatment }) => treatment), movedInOrder: best.moved } : {}),
  };
}

const totalOf = (moves: readonly Move[]): number => moves.reduce((sum, { share }) => sum + share, 0);

const sizeIn = (buckets: readonly Bucket[], treatment: string): number =>
  buckets.find((bucket) => bucket.treatment === treatment)?.size ?? 0;

/** What treatments lose together. */
const neededFor = (was: readonly Bucket[], is: readonly Bucket[]): number =>
  was.reduce((sum, { treatment, size }) => sum + Math.max(0, size - sizeIn(is, treatment)), 0);

/** With more treatments, only the order from before is tried. */
const maxTreatments = 6;

/** The first of the best: the order as it is, then as it was, then all others. */
function bestOrder(was: readonly Bucket[], is: readonly Bucket[]): { order: readonly Bucket[]; moved: number } {
  const placeOf = ({ treatment }: Bucket) => {
    const place = was.findIndex((bucket) => bucket.treatment === treatment);
    return place < 0 ? was.length : place;
  };
  const asBefore = is.toSorted((one, other) => placeOf(one) - placeOf(other));
  const orders = [is, asBefore, ...(is.length <= maxTreatments ? permutationsOf(is) : [])];
  const tried = orders.map((order) => ({ order, moved: totalOf(movedShares(was, order)) }));
  return tried.reduce((best, one) => (one.moved < best.moved ? one : best));
}

const permutationsOf = <Item>(items: readonly Item[]): Item[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((first, index) => permutationsOf(items.toSpliced(index, 1)).map((rest) => [first, ...rest]));

/** What a person should know about keys that move. */
export function moveFindings(before: Targeting, after: Targeting, effect: Effect): Finding[] {
  const found = rebucketingOf(before, after).map(
    (one): Finding => ({
      kind: 'rebucketed',
      isProven: true,
      title: `${one.rule > after.rules.length ? 'Everyone else' : `Rule ${one.rule}`} moves more keys than needed`,
      text: `${movesWords(one, after)} ${adviceFor(one)}`,
      rule: one.rule,
    }),
  );
  return found.length > 0 ? found : bothWays(effect);
}

/** More keys switch than the net effect needs, because of several changes. */
function bothWays(effect: Effect): Finding[] {
  const moves = movesIn(drawnFlows(effect));
  return moves.flatMap(({ from, to, share }, index) => {
    const back = moves.slice(index).find((other) => other.from === to && other.to === from);
    if (!back) return [];
    const text = `${share}% move from ${from} to ${to}, and ${back.share}% move back.`;
    return [{ kind: 'bothWays', isProven: true, title: 'Keys move in both directions', text }];
  });
}

function movesWords({ rule, moves, moved, needed }: Rebucketing, { rules, defaultRule }: Targeting): string {
  const [there] = moves;
  const back = moves.find(({ from, to }) => from === there?.to && to === there?.from);
  if (!there || !back) return `${moved}% of its keys get another treatment; ${needed}% would be enough.`;
  const share = sizeIn(rules[rule - 1]?.buckets ?? defaultRule, there.from);
  const ways = `${there.share}% of its keys go from ${there.from} to ${there.to} and ${back.share}% from ${there.to} to ${there.from}`;
  return there.share === back.share ? `${ways}, although ${there.from} stays at ${share}%.` : `${ways}.`;
}

function adviceFor({ order, movedInOrder }: Rebucketing): string {
  if (!order) return 'No order of the treatments avoids it.';
  return `With the order ${order.join(', ')}, ${movedInOrder === 0 ? 'none' : `only ${movedInOrder}%`} would move.`;
}
