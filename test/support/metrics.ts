/** Scrapes a server's metrics like Prometheus, and parses them strictly. */
import assert from 'node:assert/strict';
import type { Server } from './process.ts';

export interface Scrape {
  /** Of each family, by its name. */
  readonly types: ReadonlyMap<string, string>;
  /** The value of the sample that has exactly these labels; undefined when there is none. */
  value(name: string, labels?: Record<string, string>): number | undefined;
  /** All samples of the name. */
  samples(name: string): readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Where a server that was started with METRICS_PORT=0 serves them. */
export const metricsUrl = async (server: Server): Promise<string> =>
  `http://127.0.0.1:${(await server.says(/"metricsPort":(\d+)/))[1]}/metrics`;

export async function scrape(server: Server): Promise<Scrape> {
  const reply = await fetch(await metricsUrl(server));
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const { types, samples } = parse(await reply.text());
  const key = (name: string, labels: Readonly<Record<string, string>>) =>
    JSON.stringify([name, Object.entries(labels).sort()]);
  const values = new Map(samples.map(({ name, labels, value }) => [key(name, labels), value]));
  assert.equal(values.size, samples.length, 'no sample stands there twice');
  return {
    types,
    value: (name, labels = {}) => values.get(key(name, labels)),
    samples: (name) => samples.filter((sample) => sample.name === name),
  };
}

const sampleLine = /^([a-z][a-z0-9_]*)(?:\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (\S+)$/;

/** Every line is one that the format knows, and every sample is below the description of its family. */
function parse(text: string) {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  assert.ok(text.endsWith('\n'));
  let family = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-z0-9_]+) \S.*$/.exec(line);
    const type = /^# TYPE ([a-z0-9_]+) (counter|gauge|histogram)$/.exec(line);
    if (help) {
      family = help[1] ?? '';
      assert.ok(!types.has(family), `${family} is described twice`);
    } else if (type) {
      assert.equal(type[1], family);
      types.set(family, type[2] ?? '');
    } else {
      samples.push(readSample(line, family, types.get(family)));
    }
  }
  return { types, samples };
}

function readSample(line: string, family: string, type: string | undefined): Sample {
  const [, name = '', labelText = '', value = ''] = sampleLine.exec(line) ?? [];
  assert.match(value, /^(?:-?\d[\d.]*(?:e[+-]\d+)?|\+Inf)$/, line);
  const parts = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  assert.ok(
    parts.some((part) => name === family + part),
    `${line} stands below ${family}`,
  );
  const labels = [...labelText.matchAll(/([a-z]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [
    label,
    text,
  ]);
  return { name, labels: Object.fromEntries(labels), value: Number(value.replace('Inf', 'Infinity')) };
}
