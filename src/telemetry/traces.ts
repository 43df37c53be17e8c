/**
 * OpenTelemetry spans of requests and their database work.
 *
 * Loaded only if traces are configured. Callers that send `traceparent` (W3C Trace Context) decide whether their
 * request is traced; of the others, the configured share is.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { Problem } from '#domain/problems.ts';
import type { WatchDatabase } from '#store/instrumented.ts';
import { counter, type Family } from './exposition.ts';
import type { SpanExporter } from './span-exporter.ts';

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly isSampled: boolean;
  /** By `performance.now()`. */
  readonly startedAt: number;
}

export interface AnsweredRequest {
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly transactionId: string;
  readonly problem: string | undefined;
}

export interface Traces {
  /** Starts the span of a request, with its `traceparent` header and, if not now, its start time. */
  begin(traceparent: string | string[] | undefined, startedAt?: number): Span;
  /** Database work in `body` belongs to the span. */
  within<Result>(span: Span, body: () => Result): Result;
  end(span: Span, request: AnsweredRequest): void;
  readonly watchDatabase: WatchDatabase;
  families(): Family[];
  stop(): Promise<void>;
}

export interface TracesOptions {
  readonly exporter: SpanExporter;
  /** From 0 to 1. */
  readonly share: number;
  /** OpenTelemetry's name. */
  readonly databaseSystem: 'sqlite' | 'postgresql';
}

const kinds = { server: 2, client: 3 } as const;

export function traceWith({ exporter, share, databaseSystem }: TracesOptions): Traces {
  const current = new AsyncLocalStorage<Span>();
  const begin: Traces['begin'] = (traceparent, startedAt = performance.now()) => {
    const caller = readTraceparent(traceparent);
    return {
      traceId: caller?.traceId ?? randomId(16),
      spanId: randomId(8),
      parentSpanId: caller?.spanId,
      isSampled: caller?.isSampled ?? Math.random() < share,
      startedAt,
    };
  };
  const watchDatabase: WatchDatabase = (work, query) => {
    const parent = current.getStore();
    // Work outside requests (jobs, scrapes) is not traced.
    if (!parent?.isSampled) return () => undefined;
    const startedAt = performance.now();
    return (error) =>
      exporter.add({
        traceId: parent.traceId,
        spanId: randomId(8),
        parentSpanId: parent.spanId,
        name: work === 'read' ? 'database read' : 'database transaction',
        kind: kinds.client,
        startedAt,
        endedAt: performance.now(),
        // Statement texts contain placeholders, never values.
        attributes: { 'db.system.name': databaseSystem, ...(query ? { 'db.query.text': query.text } : {}) },
        isFailed: error !== undefined && !isRefusal(error),
      });
  };
  return {
    begin,
    within: (span, body) => current.run(span, body),
    end: ({ isSampled, ...span }, request) => {
      if (!isSampled) return;
      exporter.add({
        ...span,
        name: request.route === undefined ? request.method : `${request.method} ${request.route}`,
        kind: kinds.server,
        endedAt: performance.now(),
        // Not the path, which may contain a key or a token.
        attributes: {
          'http.request.method': request.method,
          ...(request.route === undefined ? {} : { 'http.route': request.route }),
          'http.response.status_code': request.status,
          'burgee.transaction_id': request.transactionId,
          ...(request.problem === undefined ? {} : { 'burgee.problem': request.problem }),
        },
        isFailed: request.status >= 500,
      });
    },
    watchDatabase,
    families: () => [
      counter({ name: 'burgee_trace_spans_total', help: 'Spans, by outcome.' }, [
        { value: exporter.sent(), labels: { outcome: 'sent' } },
        { value: exporter.dropped(), labels: { outcome: 'dropped' } },
      ]),
    ],
    stop: () => exporter.stop(),
  };
}

/** A refused transaction is not an error. */
const isRefusal = (error: unknown): boolean => error instanceof Problem && error.code !== 'unavailable';

const randomId = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Later versions may append fields, which we ignore; `ff` is not a version, and zeros are not ids. */
const traceparentShape = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

function readTraceparent(header: string | string[] | undefined) {
  const [, version, traceId, spanId, flags = '', more] = traceparentShape.exec(String(header)) ?? [];
  if (!traceId || !spanId || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId, isSampled: Number.parseInt(flags, 16) % 2 === 1 };
}
