/**
 * Bounds what clients that read slowly hold in memory. Replies to polls are shared, but there is another one for each
 * number that an SDK can know, and a client-side key is public: without a bound, each connection could hold its own.
 */
import type { ServerResponse } from 'node:http';
import type { Body } from './respond.ts';

/** Twice what is kept of an environment for the next polls. */
const maxBytes = 64 * 1_048_576;

/** Call it with replies that the system did not take at once. Above the limit, connections are closed. */
export function boundUnsent(): (response: ServerResponse, body: Body['body']) => void {
  /** Oldest first. */
  const readersOf = new Map<Body['body'], Set<ServerResponse>>();
  let bytes = 0;

  const release = (response: ServerResponse, body: Body['body']): void => {
    const readers = readersOf.get(body);
    if (!readers?.delete(response) || readers.size > 0) return;
    readersOf.delete(body);
    bytes -= body.length;
  };

  /** Many clients that read the same do not pay for one that reads something else. */
  const closeOne = (): void => {
    let fewest: [Body['body'], Set<ServerResponse>] | undefined;
    for (const entry of readersOf) if (!fewest || entry[1].size < fewest[1].size) fewest = entry;
    const [body, readers] = fewest ?? [];
    for (const response of readers ?? []) {
      response.destroy();
      if (body !== undefined) release(response, body);
    }
  };

  return (response, body) => {
    const readers = readersOf.get(body) ?? new Set();
    if (readers.size === 0) {
      readersOf.set(body, readers);
      bytes += body.length;
    }
    readers.add(response);
    response.once('close', () => release(response, body));
    while (bytes > maxBytes && readersOf.size > 1) closeOne();
  };
}
