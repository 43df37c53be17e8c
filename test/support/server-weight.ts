/** What the process of a server holds, seen from outside of it. Reads /proc, so it is for Linux. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { after } from 'node:test';
import type { Server } from './process.ts';

/** For the start of a server whose live memory is looked at. */
export const measurable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

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

interface HeapUsage {
  readonly usedSize: number;
  /** Of buffers. */
  readonly backingStorageSize: number;
}

export interface Memory {
  /** What objects and buffers hold. */
  readonly inUse: number;
  /** All that the process has of the machine, with what its allocators keep for later. */
  readonly resident: number;
}

/** Says what is left when the garbage is collected. Stays connected until the tests are over. */
export async function watchMemory(server: Server): Promise<() => Promise<Memory>> {
  const socket = new WebSocket(/ws:\/\/\S+/.exec(server.stderr())?.[0] ?? '');
  after(() => socket.close());
  await once(socket, 'open');
  let lastId = 0;
  const command = async (method: string): Promise<unknown> => {
    lastId += 1;
    socket.send(JSON.stringify({ id: lastId, method }));
    const [{ data }] = (await once(socket, 'message')) as [{ data: string }];
    return (JSON.parse(data) as { result: unknown }).result;
  };
  return async () => {
    // What the first time finds may have held other things.
    for (let time = 0; time < 2; time += 1) await command('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize } = (await command('Runtime.getHeapUsage')) as HeapUsage;
    return { inUse: usedSize + backingStorageSize, resident: residentBytes(server) };
  };
}
