/** The cost of a request that is asked for the first time against the number of flags, each in three environments. */
import { join } from 'node:path';
import { fillCatalogue } from '../catalogue.ts';
import { type Curves, type Line, measureLine, type StepWork } from '../curves.ts';
import type { Asking } from '../measuring.ts';
import { createFlag, getDefinitions, getFlags, pages, patchDefinitions, uncached } from '../requests.ts';
import { type Server, startBurgee } from '../servers.ts';
import type { Bench } from '../workbench.ts';

const clients = 8;

const works: Record<string, (flags: number) => Asking> = {
  'GET definition': (flags) => ({ clients, requests: uncached(getDefinitions(flags)) }),
  'GET flag': (flags) => ({ clients, requests: uncached(getFlags(flags)) }),
  'First page of 50 flags': () => ({ clients, requests: uncached([pages.flags]) }),
  'First page, by a word in the name': () => ({ clients, requests: uncached([pages.flagsByName]) }),
  'First page, by tag': () => ({ clients, requests: uncached([pages.flagsByTag]) }),
  'Last page, by offset': (flags) => ({ clients, requests: uncached([pages.lastOfFlags(flags)]) }),
  'PATCH definition': (flags) => ({ clients, requests: patchDefinitions(flags, clients), order: 'own' }),
  'Create a flag': () => ({ clients, requests: [createFlag] }),
};

export async function measureFlags(bench: Bench, steps: readonly number[]): Promise<Curves> {
  const servers = new Map<number, Server>();
  for (const flags of steps) {
    bench.tell(`Filling a catalogue of ${flags} flags`);
    const databaseUrl = `file:${join(bench.folder, `flags-${flags}.db`)}`;
    await fillCatalogue(databaseUrl, { flags, people: 0 });
    servers.set(flags, bench.started(await startBurgee(databaseUrl)));
  }
  const lines: Line[] = [];
  for (const [work, askingAt] of Object.entries(works)) {
    const steps = new Map<number, StepWork>(
      [...servers].map(([flags, server]) => [flags, { server, asking: askingAt(flags) }]),
    );
    lines.push(await measureLine(bench, { work, along: 'more flags' }, steps));
  }
  for (const server of servers.values()) await server.stop();
  return { title: `More flags (SQLite, ${clients} clients)`, axis: 'flags', steps, lines };
}
