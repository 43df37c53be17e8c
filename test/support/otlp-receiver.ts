/** An OpenTelemetry collector for traces: OTLP over HTTP as JSON, on a free local port. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startedAt: bigint;
  readonly endedAt: bigint;
  readonly isFailed: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Receiver {
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  readonly headers: readonly IncomingHttpHeaders[];
  readonly resources: readonly Readonly<Record<string, string>>[];
  /** answers: 200. refuses: 503. silent: takes the body and says nothing. */
  manner: 'answers' | 'refuses' | 'silent';
  /** How often something was sent to it. */
  readonly deliveries: number;
}

/** Closed after the test that calls it, or after the file's tests. */
export async function startReceiver(): Promise<Receiver> {
  const spans: ReceivedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const resources: Record<string, string>[] = [];
  let deliveries = 0;
  const server = createServer(async (request, response) => {
    assert.equal(`${request.method} ${request.url}`, 'POST /v1/traces');
    assert.equal(request.headers['content-type'], 'application/json');
    deliveries += 1;
    const body = JSON.parse(await text(request)) as Delivery;
    if (receiver.manner === 'silent') return;
    if (receiver.manner === 'refuses') return void response.writeHead(503).end();
    headers.push(request.headers);
    for (const { resource, scopeSpans } of body.resourceSpans) {
      resources.push(attributesOf(resource.attributes));
      for (const scope of scopeSpans) spans.push(...scope.spans.map(toSpan));
    }
    response.setHeader('content-type', 'application/json').end('{"partialSuccess":{}}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const receiver: Receiver = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    resources,
    manner: 'answers',
    get deliveries() {
      return deliveries;
    },
  };
  return receiver;
}

type Attributes = readonly { key: string; value: { stringValue?: string; intValue?: string } }[];

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly status: { code?: number };
}

interface Delivery {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** Refuses what the protocol does not have. */
function toSpan(span: OtlpSpan): ReceivedSpan {
  const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status } = span;
  const known = ['traceId', 'spanId', 'parentSpanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano'];
  assert.deepEqual(
    Object.keys(span).filter((key) => ![...known, 'attributes', 'status'].includes(key)),
    [],
  );
  assert.match(traceId, /^[\da-f]{32}$/);
  assert.match(spanId, /^[\da-f]{16}$/);
  const [startedAt, endedAt] = [BigInt(startTimeUnixNano), BigInt(endTimeUnixNano)];
  return {
    traceId,
    spanId,
    name,
    kind,
    startedAt,
    endedAt,
    isFailed: status.code === 2,
    attributes: attributesOf(attributes),
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
  };
}

const attributesOf = (attributes: Attributes): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']));
