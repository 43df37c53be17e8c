/** Starts metrics and traces if they are configured; otherwise they are not even loaded. */
import type { Logger } from 'pino';
import { instrumented } from '#store/instrumented.ts';
import type { Store } from '#store/sql.ts';
import type { SdkFigures } from './metrics.ts';
import type { Answered } from './requests.ts';
import type { ExporterOptions } from './span-exporter.ts';
import type { Traces } from './traces.ts';

export interface TelemetryOptions {
  readonly store: Store;
  readonly log: Logger;
  readonly version: string;
  readonly databaseSystem: 'sqlite' | 'postgresql';
  /** Whether this node makes nightly backups. */
  readonly hasBackups: boolean;
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly tracing: (Pick<ExporterOptions, 'endpoint' | 'headers' | 'serviceName'> & { share: number }) | undefined;
}

export interface Telemetry {
  /** Use this store instead of the given one: it is instrumented. */
  readonly store: Store;
  readonly answered: Answered | undefined;
  readonly traces: Traces | undefined;
  watchSdks(figures: SdkFigures): void;
  stop(): Promise<void>;
}

/** Rejects with the socket's error if the metrics cannot be served. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const traces = await startTraces(options);
  const metrics = await startMetrics(options, traces);
  let { store } = options;
  if (traces) store = instrumented(store, traces.watchDatabase);
  if (metrics) store = instrumented(store, metrics.watchDatabase);
  return {
    store,
    answered: metrics?.answered,
    traces,
    watchSdks: (figures) => metrics?.watchSdks(figures),
    stop: async () => {
      await Promise.all([traces?.stop(), metrics?.stop()]);
    },
  };
}

async function startTraces({ tracing, log, version, databaseSystem }: TelemetryOptions): Promise<Traces | undefined> {
  if (!tracing) return undefined;
  const { traceWith } = await import('./traces.ts');
  const { exportSpans } = await import('./span-exporter.ts');
  return traceWith({ exporter: exportSpans({ ...tracing, version, log }), share: tracing.share, databaseSystem });
}

async function startMetrics(options: TelemetryOptions, traces: Traces | undefined) {
  const { metrics, store, log, version, hasBackups } = options;
  if (!metrics) return undefined;
  const { collectMetrics } = await import('./metrics.ts');
  const { serveMetrics } = await import('./metrics-server.ts');
  const collected = collectMetrics({ db: store, version, hasBackups, ...(traces ? { more: traces.families } : {}) });
  const server = await serveMetrics(collected, metrics.host, metrics.port);
  log.info({ metricsPort: server.port }, 'metrics are served at /metrics');
  return { ...collected, stop: server.stop };
}
