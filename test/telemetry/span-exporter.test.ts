import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { exportSpans, type FinishedSpan } from '#telemetry/span-exporter.ts';
import { startReceiver } from '../support/otlp-receiver.ts';
import { until } from '../support/until.ts';

const span: FinishedSpan = {
  traceId: 'ab'.repeat(16),
  spanId: 'cd'.repeat(8),
  parentSpanId: undefined,
  name: 'GET',
  kind: 2,
  startedAt: 1_000.25,
  endedAt: 1_001.5,
  attributes: {},
  isFailed: false,
};

test('events of the same moment have the same time, even in different exports', async () => {
  const receiver = await startReceiver();
  const { endpoint } = receiver;
  const log = pino({ level: 'silent' });
  const exporter = exportSpans({ endpoint, headers: {}, serviceName: 'burgee', version: '1', log });
  after(exporter.stop);
  for (const delivered of [1, 2, 3]) {
    exporter.add(span);
    await until(`${delivered} spans have arrived`, () => receiver.spans.length === delivered);
  }
  assert.equal(receiver.deliveries, 3);
  const times = receiver.spans.map(({ startedAt, endedAt }) => [startedAt, endedAt].join());
  assert.equal(new Set(times).size, 1, times.join(' '));
});
