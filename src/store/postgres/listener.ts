/**
 * Receives notices on its own connection. They are lost while it is disconnected, so listeners get `missed` after each
 * reconnect.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { decodeNotice, missed, type Received } from '../notices.ts';

export const channel = 'burgee';

const comeBackMs = 500;
/** A connection can be dead without an error. */
const heartbeatMs = 10_000;
const answerMs = 5_000;

export interface Listener {
  close(): Promise<void>;
}

export function startListener(connection: ClientConfig, onNotice: (received: Received) => void): Listener {
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
      // The error is not reported: requests meet the same one and report it.
      await listenOnce().catch(() => undefined);
      await pause(comeBackMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  /** Rejects when the connection ends. */
  async function listenOnce(): Promise<void> {
    const client = new Client({ ...connection, connectionTimeoutMillis: answerMs, query_timeout: answerMs });
    const over = new AbortController();
    client.once('end', () => over.abort());
    const signal = AbortSignal.any([over.signal, closing.signal]);
    client.on('error', () => undefined);
    client.on('notification', ({ payload = '' }) => {
      const received = decodeNotice(payload);
      if (received) onNotice(received);
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      onNotice(missed);
      for (;;) {
        await pause(heartbeatMs, undefined, { signal });
        await client.query('select 1');
      }
    } finally {
      void client.end().catch(() => undefined);
    }
  }
}
