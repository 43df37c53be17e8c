/** Documents, dashboard and alerts name only metrics that a server has. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { type Scrape, scrape } from '../support/metrics.ts';
import { startNode } from '../support/nodes.ts';
import { startReceiver } from '../support/otlp-receiver.ts';
import { anInstallation } from '../support/process.ts';
import { until } from '../support/until.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

let figures: Scrape;
before(async () => {
  const { endpoint } = await startReceiver();
  const client = await startNode(anInstallation(), {
    METRICS_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    BACKUP_FOLDER: './backups',
  });
  await client.get('/workspaces');
  await until('everything was counted', async () => {
    figures = await scrape(client.node);
    return figures.types.has('burgee_audit_entries') && figures.types.has('burgee_backup_age_seconds');
  });
});

/** The names as an expression uses them: of the samples, not of the family. */
function namesIn(text: string): string[] {
  return [...new Set(text.match(/\b(?:burgee|nodejs|process)_[a-z0-9_]+/g))].sort();
}

const sampleNames = () =>
  [...figures.types].flatMap(([name, type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  );

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(read('examples/monitoring/burgee-dashboard.json')) as { panels: readonly Panel[] };
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

test('every metric of the dashboard and of the alerts is served', () => {
  assert.ok(expressions.length > 20);
  const named = namesIn([...expressions, read('examples/monitoring/burgee-alerts.yml')].join('\n'));
  assert.deepEqual(
    named.filter((name) => !sampleNames().includes(name)),
    [],
  );
});

test('every metric that is served is on the dashboard, but for the sum of two that are', () => {
  const shown = namesIn(expressions.join('\n')).map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
  assert.deepEqual(
    [...figures.types.keys()].filter((name) => !shown.includes(name)),
    ['process_cpu_seconds_total'],
  );
});

test('every label that an expression asks for is one of the metric', () => {
  for (const expression of expressions) {
    for (const [, name = '', selector = ''] of expression.matchAll(/([a-z_0-9]+)\{([^}]*)\}/g)) {
      const labels = [...selector.matchAll(/([a-z]+)=/g)].map(([, label = '']) => label);
      const known = ['job', 'instance', ...Object.keys(figures.samples(name)[0]?.labels ?? {})];
      assert.deepEqual(
        labels.filter((label) => !known.includes(label)),
        [],
        expression,
      );
    }
  }
});

test('docs/operating/monitoring.md has a line for every metric, with its type and labels, and for no other', () => {
  const [, section = ''] = /\n## Metrics\n([\s\S]*?)\n## /.exec(read('docs/operating/monitoring.md')) ?? [];
  const documented = [...section.matchAll(/^\| (`.+?) \| (\w+) \| (.*?) ?\| /gm)].flatMap(
    ([, names = '', type = '', labels = '']) => namesIn(names).map((name) => [name, type, namesOf(labels)]),
  );
  const served = [...figures.types].map(([name, type]) => {
    const { le: _, ...labels } = figures.samples(type === 'histogram' ? `${name}_bucket` : name)[0]?.labels ?? {};
    return [name, type, Object.keys(labels)];
  });
  assert.deepEqual(documented.sort(), served.sort());
});

const namesOf = (cell: string): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
