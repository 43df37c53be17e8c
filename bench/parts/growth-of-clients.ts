/** The cost of a request that is asked for the first time against the number of clients who ask at once. */
import { join } from 'node:path';
import { fillCatalogue } from '../catalogue.ts';
import { type Curves, type Line, measureLine, type StepWork } from '../curves.ts';
import type { Asking } from '../measuring.ts';
import { getDefinitions, pages, patchDefinitions, uncached } from '../requests.ts';
import { startBurgee } from '../servers.ts';
import type { Bench } from '../workbench.ts';

const flags = 1_000;

const works: Record<string, (clients: number) => Asking> = {
  'GET definition': (clients) => ({ clients, requests: uncached(getDefinitions(flags)) }),
  'First page of 50 flags': (clients) => ({ clients, requests: uncached([pages.flags]) }),
  'PATCH definition': (clients) => ({ clients, requests: patchDefinitions(flags, clients), order: 'own' }),
};

export async function measureClients(bench: Bench, steps: readonly number[]): Promise<Curves> {
  const databaseUrl = `file:${join(bench.folder, 'clients.db')}`;
  await fillCatalogue(databaseUrl, { flags, people: 0 });
  const server = bench.started(await startBurgee(databaseUrl));
  const lines: Line[] = [];
  for (const [work, askingAt] of Object.entries(works)) {
    const ofSteps = new Map<number, StepWork>(steps.map((clients) => [clients, { server, asking: askingAt(clients) }]));
    lines.push(await measureLine(bench, { work, along: 'more clients' }, ofSteps));
  }
  await server.stop();
  return { title: 'More clients (SQLite, 1,000 flags)', axis: 'clients', steps, lines };
}
