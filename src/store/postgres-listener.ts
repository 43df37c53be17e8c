/**
 * Hears what commits announce, on a connection of its own. Notices are lost while it is away, so listeners are told
 * `missed` whenever it is back.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import type { Heard } from './sql.ts';

export const channel = 'burgee';

const comeBackMs = 500;
/** A connection can be dead without anybody having been told. */
const heartbeatMs = 10_000;
const answerMs = 5_000;

export interface Listener {
  close(): Promise<void>;
}

export function startListener(connection: ClientConfig, hear: (heard: Heard) => void): Listener {
  const closing = new AbortController();
  const running = keepListening();
  return {
    close: async () => {
      closing.abort();
      await running;
    },
  };

  async function keepListening(): Promise<void> {
    while (!closing.signal.aborted) {
      // What ended the connection matters to nobody: requests meet the same, and tell of it.
      await listenOnce().catch(() => undefined);
      await pause(comeBackMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  /** Resolves or rejects when the connection is over. */
  async function listenOnce(): Promise<void> {
    const client = new Client({ ...connection, connectionTimeoutMillis: answerMs, query_timeout: answerMs });
    const over = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => hear(payload as Heard));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      hear('missed');
      while (!closing.signal.aborted) {
        await Promise.race([over.then(complain), pause(heartbeatMs, undefined, { signal: closing.signal })]);
        await client.query('select 1');
      }
    } finally {
      void client.end().catch(() => undefined);
    }
  }
}

function complain(): never {
  throw new Error('the connection ended');
}
