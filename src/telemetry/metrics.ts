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
  /** Reports what SDKs do from now on. */
  watchSdks(figures: SdkFigures): void;
  /** The whole text. Concurrent calls share one result. */
  text(): Promise<string>;
  stop(): void;
}

/** What SDKs do at this node; counters since the start. */
export interface SdkFigures {
  readonly streams: { readonly open: number; readonly dropped: number };
  readonly traffic: {
    readonly evaluations: number;
    readonly events: number;
    /** By reason. */
    readonly dropped: Readonly<Record<string, number>>;
    /** Rows that wait to be written. */
    readonly waiting: number;
  };
  /** How many are connected, and how many of them do not have the newest change. */
  connected(): { readonly connected: number; readonly behind: number };
  /** Calls the listener with the time that each change takes to reach an SDK. */
  onArrival(listener: (milliseconds: number) => void): void;
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
  const arrival = new Histogram();
  let sdks: SdkFigures | undefined;
  const collect = async () =>
    toText([
      ...requests.families(),
      databaseFamily(databaseTime),
      ...(await ofTheDatabase()),
      ...ofTheProcess.families(),
      ...(sdks ? sdkFamilies(sdks, arrival) : []),
      ...more(),
    ]);
  let underWay: Promise<string> | undefined;
  return {
    answered: requests.answered,
    watchDatabase: (work) => {
      const startedAt = performance.now();
      return () => databaseTime[work].observe((performance.now() - startedAt) / 1_000);
    },
    watchSdks: (figures) => {
      sdks = figures;
      figures.onArrival((milliseconds) => arrival.observe(milliseconds / 1_000));
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

function sdkFamilies({ streams, traffic, connected: lookUp }: SdkFigures, arrival: Histogram): Family[] {
  const { connected, behind } = lookUp();
  const arrivalName = 'burgee_sdk_change_seconds';
  return [
    gauge({ name: 'burgee_sdk_streams', help: 'Open streams of SDKs.' }, [{ value: streams.open }]),
    counter(
      { name: 'burgee_sdk_streams_dropped_total', help: 'Streams closed because the client did not read fast enough.' },
      [{ value: streams.dropped }],
    ),
    gauge({ name: 'burgee_sdks', help: 'Connected SDKs of servers.' }, [
      { value: connected - behind, labels: { state: 'current' } },
      { value: behind, labels: { state: 'behind' } },
    ]),
    {
      name: arrivalName,
      type: 'histogram',
      help: 'Time from the commit of a change until an SDK has it.',
      lines: arrival.lines(arrivalName, ''),
    },
    counter({ name: 'burgee_sdk_evaluations_total', help: 'Evaluations that SDKs reported.' }, [
      { value: traffic.evaluations },
    ]),
    counter({ name: 'burgee_sdk_events_total', help: 'Events that SDKs reported.' }, [{ value: traffic.events }]),
    counter(
      { name: 'burgee_sdk_reports_dropped_total', help: 'Parts of reports that were not counted.' },
      Object.entries(traffic.dropped).map(([reason, value]) => ({ value, labels: { reason } })),
    ),
    gauge({ name: 'burgee_sdk_counts_waiting', help: 'Rows of counts that wait to be written.' }, [
      { value: traffic.waiting },
    ]),
  ];
}
