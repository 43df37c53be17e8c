/** The results of a load, as its clients saw them. */
import type { Asked, LoadResult, Part } from './load.ts';

export interface Tally {
  answered(asked: Asked): void;
  /** How long an answer took to a request of the part. */
  took(milliseconds: number, part: number): void;
  failed(asked: Asked, error: Error): void;
  unanswered(count: number): void;
  /** The same for those who take their time. */
  readonly slowReading: Pick<Tally, 'answered' | 'failed'>;
  readonly slowWriting: Pick<Tally, 'answered' | 'failed'>;
  result(): LoadResult;
}

const errorsInWords = 5;

export function createTally(): Tally {
  const counts = { answered: 0, written: 0, slowlyRead: 0, slowlyWritten: 0, errorCount: 0 };
  const errors: string[] = [];
  const times: number[][] = [];
  const answered = ({ method }: Asked) => {
    counts.answered += 1;
    if (method !== 'GET') counts.written += 1;
  };
  const failed = ({ method, path }: Asked, error: Error) => {
    counts.errorCount += 1;
    if (errors.length < errorsInWords) errors.push(`${method} ${path}: ${error.message}`);
  };
  const slow = (count: 'slowlyRead' | 'slowlyWritten') => ({
    failed,
    answered: (asked: Asked) => {
      answered(asked);
      counts[count] += 1;
    },
  });
  return {
    answered,
    failed,
    took: (milliseconds, part) => {
      times[part] ??= [];
      times[part].push(milliseconds);
    },
    unanswered: (count) => {
      counts.errorCount += count;
      errors.push(`${count} requests were not answered`);
    },
    slowReading: slow('slowlyRead'),
    slowWriting: slow('slowlyWritten'),
    result: () => ({ ...counts, errors, parts: times.map(partOf) }),
  };
}

function partOf(times: readonly number[]): Part {
  const sorted = times.toSorted((one, other) => one - other);
  const quantile = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return { medianMs: quantile(0.5), p99Ms: quantile(0.99) };
}
