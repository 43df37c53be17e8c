/**
 * Sends finished spans to an OpenTelemetry collector: OTLP over HTTP, as JSON.
 *
 * Invariants
 * 1. Nothing waits for it: `add` queues the span and returns.
 * 2. The queue is bounded: if the collector is down or slow, the oldest spans are dropped and counted.
 * 3. One delivery at a time, each with a timeout.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** Both by `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isFailed: boolean;
}

export interface SpanExporter {
  add(span: FinishedSpan): void;
  sent(): number;
  dropped(): number;
  /** Delivers what is queued, if that is quick. */
  stop(): Promise<void>;
}

export interface ExporterOptions {
  /** Without the signal's path, as in OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly version: string;
  readonly log: Logger;
}

const maxWaiting = 2_048;
const maxAtOnce = 512;
const gatherMs = 1_000;
const deliveryMs = 5_000;
const farewellMs = 1_000;
const longestPauseMs = 30_000;
const clockWasSetMs = 100;

export function exportSpans({ endpoint, headers, serviceName, version, log }: ExporterOptions): SpanExporter {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  let waiting: FinishedSpan[] = [];
  let sent = 0;
  let dropped = 0;
  let failures = 0;
  /** The wall-clock time at which `performance.now()` was 0. */
  let originMs = performance.timeOrigin;
  let timer: NodeJS.Timeout | undefined;
  let delivering: Promise<void> | undefined;

  // The system clock may be adjusted while we run. It has whole milliseconds, so reading it for each delivery would
  // shift the spans of one trace against each other.
  const currentOrigin = (): number => {
    const now = Date.now() - performance.now();
    if (Math.abs(now - originMs) > clockWasSetMs) originMs = now;
    return originMs;
  };
  const post = async (spans: readonly FinishedSpan[], timeoutMs: number): Promise<void> => {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(toOtlp(spans, { originMs: currentOrigin(), serviceName, version })),
      redirect: 'error',
      signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
    });
    await reply.body?.cancel();
    if (!reply.ok) throw new Refusal(reply.status);
  };
  const deliver = async (timeoutMs: number): Promise<void> => {
    const spans = waiting.splice(0, maxAtOnce);
    try {
      await post(spans, timeoutMs);
      sent += spans.length;
      if (failures > 0) log.info('traces are delivered again');
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures === 1) log.warn({ err: error }, 'traces cannot be delivered');
      if (error instanceof Refusal && !error.mayPass) dropped += spans.length;
      else putBack(spans);
    }
  };
  const putBack = (spans: readonly FinishedSpan[]) => {
    const all = [...spans, ...waiting];
    waiting = all.slice(-maxWaiting);
    dropped += all.length - waiting.length;
  };
  const schedule = () => {
    if (timer || delivering || waiting.length === 0) return;
    const isFull = waiting.length >= maxAtOnce;
    const pauseMs = failures > 0 ? Math.min(longestPauseMs, gatherMs * 2 ** failures) : isFull ? 0 : gatherMs;
    timer = setTimeout(() => {
      timer = undefined;
      delivering = deliver(deliveryMs).finally(() => {
        delivering = undefined;
        schedule();
      });
    }, pauseMs).unref();
  };
  return {
    add: (span) => {
      waiting.push(span);
      if (waiting.length > maxWaiting) {
        waiting.shift();
        dropped += 1;
      }
      schedule();
    },
    sent: () => sent,
    dropped: () => dropped,
    stop: async () => {
      clearTimeout(timer);
      const deadline = performance.now() + farewellMs;
      await Promise.race([delivering, pause(farewellMs, undefined, { ref: false })]);
      while (waiting.length > 0 && failures === 0 && performance.now() < deadline) {
        await deliver(deadline - performance.now());
      }
    },
  };
}

class Refusal extends Error {
  /** Whether the protocol allows a retry. */
  readonly mayPass: boolean;

  constructor(status: number) {
    super(`the receiver answered ${status}`);
    this.mayPass = [408, 429, 502, 503, 504].includes(status);
  }
}

interface Sender {
  readonly originMs: number;
  readonly serviceName: string;
  readonly version: string;
}

function toOtlp(spans: readonly FinishedSpan[], { originMs, serviceName, version }: Sender) {
  const nanoseconds = (ms: number) => `${Math.round((originMs + ms) * 1_000)}000`;
  const resource = { attributes: attributesOf({ 'service.name': serviceName, 'service.version': version }) };
  const scope = { name: 'burgee', version };
  return {
    resourceSpans: [
      {
        resource,
        scopeSpans: [
          {
            scope,
            spans: spans.map(({ startedAt, endedAt, attributes, isFailed, ...span }) => ({
              ...span,
              startTimeUnixNano: nanoseconds(startedAt),
              endTimeUnixNano: nanoseconds(endedAt),
              attributes: attributesOf(attributes),
              status: isFailed ? { code: 2 } : {},
            })),
          },
        ],
      },
    ],
  };
}

const attributesOf = (attributes: FinishedSpan['attributes']) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
