/** All Prometheus metrics. */

import type { DatabaseWork, WatchDatabase } from '#store/instrumented.ts';
import type { Reader } from '#store/sql.ts';
import { watchDatabase } from './database-figures.ts';
import { type Family, labelText, toText } from './exposition.ts';
import { Histogram } from './histogram.ts';
import { watchProcess } from './process-figures.ts';
import { type Answered, countRequests } from './requests.ts';

export interface Metrics {
  readonly answered: Answered;
  readonly watchDatabase: WatchDatabase;
  /** The whole text. Concurrent calls share one result. */
  text(): Promise<string>;
  stop(): void;
}

export interface MetricsOptions {
  /** Source of the database metrics; not the instrumented store, or each scrape would count itself. */
  readonly db: Reader;
  readonly version: string;
  readonly hasBackups: boolean;
  /** Metrics of other modules. */
  readonly more?: () => Family[];
}

export function collectMetrics({ db, version, hasBackups, more = () => [] }: MetricsOptions): Metrics {
  const requests = countRequests();
  const ofTheProcess = watchProcess(version);
  const ofTheDatabase = watchDatabase(db, { hasBackups });
  const databaseTime = { read: new Histogram(), write: new Histogram() } satisfies Record<DatabaseWork, Histogram>;
  const collect = async () =>
    toText([
      ...requests.families(),
      databaseFamily(databaseTime),
      ...(await ofTheDatabase()),
      ...ofTheProcess.families(),
      ...more(),
    ]);
  let underWay: Promise<string> | undefined;
  return {
    answered: requests.answered,
    watchDatabase: (work) => {
      const startedAt = performance.now();
      return () => databaseTime[work].observe((performance.now() - startedAt) / 1_000);
    },
    text: () => {
      underWay ??= collect().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
    stop: () => ofTheProcess.stop(),
  };
}

const databaseFamily = (time: Record<DatabaseWork, Histogram>): Family => ({
  name: 'burgee_database_duration_seconds',
  type: 'histogram',
  help: 'Duration of reads and of write transactions, including queueing.',
  lines: Object.entries(time).flatMap(([work, histogram]) =>
    histogram.lines('burgee_database_duration_seconds', labelText({ work })),
  ),
});
