/**
 * Shares in percent: whatever is done to them, they add up to 100 and keep their order. Keys are placed by walking the
 * list, so another order would give other people another treatment.
 */
import type { Bucket } from '#domain/definitions.ts';

/** Gives a bucket its share; the others give or take from the last on. */
export function setShare(buckets: readonly Bucket[], index: number, share: number): Bucket[] {
  const size = clamp(share, 0, 100);
  let missing = size - (buckets[index]?.size ?? 0);
  const resized = buckets.map((bucket) => ({ ...bucket }));
  for (const [place, bucket] of [...resized.entries()].reverse()) {
    if (place === index) continue;
    const given = missing > 0 ? Math.min(bucket.size, missing) : missing;
    bucket.size -= given;
    missing -= given;
  }
  const total = resized.reduce((sum, bucket, place) => (place === index ? sum : sum + bucket.size), 0);
  return resized.map((bucket, place) => (place === index ? { ...bucket, size: 100 - total } : bucket));
}

/** Where each bucket but the last ends, in percent from the start. */
export function bordersOf(buckets: readonly Bucket[]): number[] {
  let end = 0;
  return buckets.slice(0, -1).map(({ size }) => {
    end += size;
    return end;
  });
}

/** Moves the border after a bucket, as far as its neighbours. */
export function moveBorder(buckets: readonly Bucket[], border: number, to: number): Bucket[] {
  const borders = bordersOf(buckets);
  const place = clamp(to, borders[border - 1] ?? 0, borders[border + 1] ?? 100);
  const moved = borders.with(border, place);
  return buckets.map((bucket, index) => ({ ...bucket, size: (moved[index] ?? 100) - (moved[index - 1] ?? 0) }));
}

/** The list without a treatment, whose share goes to the last that stays; `heir` takes all when none does. */
export function withoutTreatment(buckets: readonly Bucket[], treatment: string, heir: string): Bucket[] {
  const gone = buckets.find((bucket) => bucket.treatment === treatment);
  if (!gone) return [...buckets];
  const rest = buckets.filter((bucket) => bucket !== gone);
  const last = rest.at(-1);
  if (!last) return [{ treatment: heir, size: 100 }];
  return rest.map((bucket) => (bucket === last ? { ...bucket, size: bucket.size + gone.size } : bucket));
}

/** The list with treatments that it does not have yet at its end, with nothing. */
export const withTreatments = (buckets: readonly Bucket[], names: readonly string[]): Bucket[] => [
  ...buckets,
  ...names
    .filter((name) => !buckets.some(({ treatment }) => treatment === name))
    .map((treatment) => ({ treatment, size: 0 })),
];

/** The list without the empty buckets at its end that the saved list has not: trying a treatment leaves no trace. */
export function withoutEmptyEnd(buckets: readonly Bucket[], saved: readonly Bucket[]): Bucket[] {
  const isMeant = ({ treatment, size }: Bucket) => size > 0 || saved.some((bucket) => bucket.treatment === treatment);
  return buckets.slice(0, buckets.findLastIndex(isMeant) + 1);
}

const clamp = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, Number.isFinite(value) ? Math.round(value) : least));
