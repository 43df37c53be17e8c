/** Durations in buckets. An observation costs a few nanoseconds and allocates nothing. */
import { line } from './exposition.ts';

/** From one SQLite statement to the longest possible request. */
const bounds = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Histogram {
  readonly #counts = new Float64Array(bounds.length + 1);
  #sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1;
    (this.#counts[bucket] as number) += 1;
    this.#sum += seconds;
  }

  /** `labels` as `labelText` formats them. */
  lines(name: string, labels: string): string[] {
    const prefix = labels === '' ? '' : `${labels},`;
    let count = 0;
    const buckets = [...this.#counts].map((inBucket, index) => {
      count += inBucket;
      return line(`${name}_bucket`, `${prefix}le="${bounds[index] ?? '+Inf'}"`, count);
    });
    return [...buckets, line(`${name}_sum`, labels, this.#sum), line(`${name}_count`, labels, count)];
  }
}
