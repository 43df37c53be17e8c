/** All Prometheus metrics. */

import type { DatabaseWork, WatchDatabase } from '#store/instrumented.ts';
import type { Reader } from '#store/sql.ts';
import { watchDatabase } from './database-figures.ts';
import { counter, type Family, gauge, labelText, toText } from './exposition.ts';
import { Histogram } from './histogram.ts';
import { watchProcess } from './process-figures.ts';
import { type Answered, countRequests } from './requests.ts';

export interface Metrics {
  readonly answered: Answered;
  readonly watchDatabase: WatchDatabase;
  /** Reports the streams of SDKs from now on. */
  watchStreams(figures: StreamFigures): void;
  /** The whole text. Concurrent calls share one result. */
  text(): Promise<string>;
  stop(): void;
}

export interface StreamFigures {
  readonly open: number;
  /** Since the start. */
  readonly dropped: number;
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
  let streams: StreamFigures | undefined;
  const collect = async () =>
    toText([
      ...requests.families(),
      databaseFamily(databaseTime),
      ...(await ofTheDatabase()),
      ...ofTheProcess.families(),
      ...(streams ? streamFamilies(streams) : []),
      ...more(),
    ]);
  let underWay: Promise<string> | undefined;
  return {
    answered: requests.answered,
    watchDatabase: (work) => {
      const startedAt = performance.now();
      return () => databaseTime[work].observe((performance.now() - startedAt) / 1_000);
    },
    watchStreams: (figures) => {
      streams = figures;
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

const streamFamilies = ({ open, dropped }: StreamFigures): Family[] => [
  gauge({ name: 'burgee_sdk_streams', help: 'Open streams of SDKs.' }, [{ value: open }]),
  counter(
    { name: 'burgee_sdk_streams_dropped_total', help: 'Streams closed because the client did not read fast enough.' },
    [{ value: dropped }],
  ),
];
