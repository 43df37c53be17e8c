/**
 * Shares in percent: after every edit they add up to 100 and keep their order. Buckets are assigned in list order, so
 * another order would change people's treatments.
 */

import { treatmentAt } from '../bucketing.ts';
import { equalJson } from '../json.ts';
import type { Bucket } from './definition.ts';

/**
 * A series of changes to one share. Each is computed from the shares at the start of the series, so setting the share
 * back restores the others in spite of rounding.
 */
export interface ShareChange {
  readonly start: readonly Bucket[];
  readonly treatment: string;
  readonly result: readonly Bucket[];
  /** Shares that were typed earlier: they stay fixed while the others can still add up to 100. */
  readonly typed: readonly string[];
}

interface NewShare {
  readonly treatment: string;
  readonly share: number;
  readonly isTyped: boolean;
  readonly saved: readonly Bucket[];
}

/**
 * Sets the share of a treatment. The others divide the rest in proportion. `previous` is ignored if the shares were
 * changed in another way since.
 */
export function changeShare(
  buckets: readonly Bucket[],
  previous: ShareChange | undefined,
  { treatment, share, isTyped, saved }: NewShare,
): ShareChange {
  const last = previous && equalJson(previous.result, buckets) ? previous : undefined;
  const start = last?.treatment === treatment ? last.start : buckets;
  const typed = isTyped ? [...new Set([...(last?.typed ?? []), treatment])] : [];
  const fixed = typed.filter((name) => name !== treatment);
  return { start, treatment, result: setShare(start, { treatment, share, fixed, saved }), typed };
}

interface ShareRequest {
  readonly treatment: string;
  readonly share: number;
  readonly fixed: readonly string[];
  readonly saved: readonly Bucket[];
}

function setShare(buckets: readonly Bucket[], { treatment, share, fixed, saved }: ShareRequest): Bucket[] {
  const others = buckets.filter((bucket) => bucket.treatment !== treatment);
  if (others.length === 0) return [...buckets];
  const size = clamp(share, 0, 100);
  const kept = others.filter((bucket) => fixed.includes(bucket.treatment));
  const free = others.filter((bucket) => !kept.includes(bucket));
  const rest = 100 - size - total(kept.map((bucket) => bucket.size));
  // Typed shares are changed if they leave too little, or if nothing else can take the rest.
  const mustGive = rest < 0 || free.length === 0;
  const sizes = new Map([
    ...others.map((bucket) => [bucket.treatment, mustGive ? 0 : bucket.size] as const),
    ...(mustGive ? divide(100 - size, kept, saved) : divide(rest, free, saved)),
    [treatment, size],
  ]);
  return buckets.map((bucket) => ({ ...bucket, size: sizes.get(bucket.treatment) ?? 0 }));
}

/** Whole percents in proportion, by largest remainder. If all are 0, in proportion to the saved shares. */
function divide(percents: number, buckets: readonly Bucket[], saved: readonly Bucket[]): [string, number][] {
  const savedSize = (treatment: string) => saved.find((bucket) => bucket.treatment === treatment)?.size ?? 0;
  const weights = [
    buckets.map(({ size }) => size),
    buckets.map(({ treatment }) => savedSize(treatment)),
    buckets.map((_, place) => (place === buckets.length - 1 ? 1 : 0)),
  ].find((all) => total(all) > 0) as number[];
  const whole = total(weights);
  const floors = weights.map((weight) => Math.floor((percents * weight) / whole));
  const missing = percents - total(floors);
  const remainders = weights.map((weight, place) => ({ place, left: (percents * weight) % whole }));
  const larger = new Set(
    remainders
      .toSorted((one, other) => other.left - one.left)
      .slice(0, missing)
      .map(({ place }) => place),
  );
  return buckets.map(({ treatment }, place) => [treatment, (floors[place] ?? 0) + (larger.has(place) ? 1 : 0)]);
}

const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** Where each bucket except the last ends, in percent from the start. */
export function bordersOf(buckets: readonly Bucket[]): number[] {
  let end = 0;
  return buckets.slice(0, -1).map(({ size }) => {
    end += size;
    return end;
  });
}

/** Moves the border after a bucket, up to its neighbours. */
export function moveBorder(buckets: readonly Bucket[], border: number, to: number): Bucket[] {
  const borders = bordersOf(buckets);
  const place = clamp(to, borders[border - 1] ?? 0, borders[border + 1] ?? 100);
  const moved = borders.with(border, place);
  return buckets.map((bucket, index) => ({ ...bucket, size: (moved[index] ?? 100) - (moved[index - 1] ?? 0) }));
}

/** Removes a treatment; its share goes to the last remaining one, or to `heir` if none remains. */
export function withoutTreatment(buckets: readonly Bucket[], treatment: string, heir: string): Bucket[] {
  const gone = buckets.find((bucket) => bucket.treatment === treatment);
  if (!gone) return [...buckets];
  const rest = buckets.filter((bucket) => bucket !== gone);
  const last = rest.at(-1);
  if (!last) return [{ treatment: heir, size: 100 }];
  return rest.map((bucket) => (bucket === last ? { ...bucket, size: bucket.size + gone.size } : bucket));
}

/** Appends missing treatments with a share of 0. */
export const withTreatments = (buckets: readonly Bucket[], names: readonly string[]): Bucket[] => [
  ...buckets,
  ...names
    .filter((name) => !buckets.some(({ treatment }) => treatment === name))
    .map((treatment) => ({ treatment, size: 0 })),
];

/**
 * Removes empty buckets that the saved list does not have: all of them if that leaves the saved list, so that trying a
 * treatment leaves no difference, otherwise those at the end.
 */
export function withoutUnused(buckets: readonly Bucket[], saved: readonly Bucket[]): Bucket[] {
  const isMeant = ({ treatment, size }: Bucket) => size > 0 || saved.some((bucket) => bucket.treatment === treatment);
  const meant = buckets.filter(isMeant);
  return equalJson(meant, saved) ? meant : buckets.slice(0, buckets.findLastIndex(isMeant) + 1);
}

const clamp = (value: number, min: number, max: number): number =>
  Math.min(max, Math.max(min, Number.isFinite(value) ? Math.round(value) : min));

export interface Move {
  readonly from: string;
  readonly to: string;
  /** Percent of the keys that the shares apply to. */
  readonly share: number;
}

/** How many keys get another treatment when shares change, largest move first. Exact: keys are spread over 100 buckets. */
export function movedShares(before: readonly Bucket[], after: readonly Bucket[]): Move[] {
  const moves = new Map<string, Move>();
  for (let bucket = 1; bucket <= 100; bucket += 1) {
    const from = treatmentAt(before, bucket);
    const to = treatmentAt(after, bucket);
    if (from === undefined || to === undefined || from === to) continue;
    const way = `${from} ${to}`;
    moves.set(way, { from, to, share: (moves.get(way)?.share ?? 0) + 1 });
  }
  return [...moves.values()].sort((one, other) => other.share - one.share);
}
