/** The cost of a request that is asked for the first time against the length of the audit log. */
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { prefix } from '#contract/parts.ts';
import { fillAuditRows } from '../audit-rows.ts';
import { fillCatalogue, flagName, projectName } from '../catalogue.ts';
import { type Curves, type Line, measureLine, type StepWork } from '../curves.ts';
import type { Asked } from '../load.ts';
import type { Asking } from '../measuring.ts';
import { answerOf, getDefinitions, pages, patchDefinitions, uncached } from '../requests.ts';
import { grouped } from '../rows.ts';
import { type Server, startBurgee } from '../servers.ts';
import type { Bench } from '../workbench.ts';

const flags = 1_000;
const clients = 8;
/** What a row takes with its indexes, with room to spare. */
const bytesPerRow = 1_500;

/** So many entries in the short log: enough for a full page of the history of a flag. */
const few = 10_000;

/** `max`: how many entries the long log has. */
export async function measureAuditLog(bench: Bench, max: number): Promise<Curves> {
  const { bavail, bsize } = statfsSync(bench.folder);
  if (bavail * bsize < max * bytesPerRow) {
    throw new Error(
      `${grouped(max)} entries need ${gigabytes(max * bytesPerRow)}; ${bench.folder} has ${gigabytes(bavail * bsize)}`,
    );
  }
  const steps = [few, max];
  const servers = new Map<number, Server>();
  for (const entries of steps) {
    bench.tell(`Filling an audit log with ${grouped(entries)} entries`);
    const file = join(bench.folder, `audit-${entries}.db`);
    await fillCatalogue(`file:${file}`, { flags, people: 0 });
    fillAuditRows(file, { from: 0, to: entries });
    servers.set(entries, bench.started(await startBurgee(`file:${file}`)));
  }
  const lines: Line[] = [];
  for (const [work, askingOf] of Object.entries(works)) {
    const ofSteps = new Map<number, StepWork>();
    for (const [entries, server] of servers) ofSteps.set(entries, { server, asking: await askingOf(server) });
    lines.push(await measureLine(bench, { work, along: 'longer audit log' }, ofSteps));
  }
  for (const server of servers.values()) await server.stop();
  return {
    title: `A longer audit log (SQLite, 1,000 flags, ${clients} clients)`,
    axis: 'entries',
    steps,
    lines,
  };
}

const works: Record<string, (server: Server) => Asking | Promise<Asking>> = {
  'GET definition': () => ({ clients, requests: uncached(getDefinitions(flags)) }),
  'PATCH definition': () => ({ clients, requests: patchDefinitions(flags, clients), order: 'own' }),
  'Newest 50 entries': () => ({ clients, requests: uncached([pages.changes]) }),
  'History of a flag': async (server) => {
    const flag: Asked = { method: 'GET', path: `${prefix}/splits/ws/${projectName}/${flagName(50)}` };
    const { id } = await answerOf<{ id: string }>(server, flag);
    return { clients, requests: uncached([{ method: 'GET', path: `${prefix}/auditLogs?limit=50&objectId=${id}` }]) };
  },
};

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
