/** Memory and open files of a server process. Reads /proc, so Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Server } from './process.ts';

export function residentBytes({ pid }: Server): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kilobytes) * 1_024;
}

export const openFiles = ({ pid }: Server): number => readdirSync(`/proc/${pid}/fd`).length;

/**
 * Clients that are connected to it now. A connection whose client has gone is none any more, though the server may
 * still hold its end.
 */
export function connectedClients({ url }: Server): number {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const established = '01';
  return readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${port}`) && state === established).length;
}
