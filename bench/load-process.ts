/** The client process: `load.ts` starts it and tells it what to request. */
import type { Asked, Load, LoadAnswer, LoadResult } from './load.ts';
import { type Connection, openConnection } from './load-connection.ts';
import { median, quantile } from './ratios.ts';

process.on('disconnect', () => process.exit(0));
process.on('message', (loads: readonly Load[]) => {
  void Promise.all(loads.map(runLoad)).then(
    (results) => answer({ results }),
    (error: Error) => answer({ failed: error.message }),
  );
});

const answer = (message: LoadAnswer) => process.send?.(message);

/** Whole where nothing in it changes; else what is around the numbers. */
type Prepared = Buffer | readonly string[];

/** Of all loads of this process, so that what is created never exists already. */
let lastNumber = 1_000_000_000;

async function runLoad(load: Load): Promise<LoadResult> {
  const prepared = load.requests.map((asked) => prepare(asked, load.headers));
  const failed = Promise.withResolvers<never>();
  const clients = await Promise.all(
    Array.from({ length: load.clients }, () =>
      Promise.all(load.ports.map((port) => openConnection(port, failed.reject))),
    ),
  );
  const start = performance.now();
  try {
    const times = await Promise.race([
      failed.promise,
      Promise.all(clients.map((connections, client) => runClient(load, prepared, { client, connections, start }))),
    ]);
    return summed(times, Math.min(performance.now() - start, load.milliseconds));
  } finally {
    for (const connection of clients.flat()) connection.close();
  }
}

interface Client {
  readonly client: number;
  readonly connections: readonly Connection[];
  readonly start: number;
}

interface Times {
  /** How long each answer took. */
  readonly times: readonly number[];
  readonly served: number;
}

/** What is under way at the end is not among the times, but is waited for. */
function runClient(
  { milliseconds, maxTurns = Number.POSITIVE_INFINITY, requests, order, clients }: Load,
  prepared: readonly Prepared[],
  { client, connections, start }: Client,
): Promise<Times> {
  const end = start + milliseconds;
  const first = order === 'own' ? client : Math.floor((client * requests.length) / clients);
  const times: number[] = [];
  return new Promise((resolve, reject) => {
    let askedAt = start;
    const ask = () => {
      const turn = times.length;
      const number = (first + (order === 'own' ? 0 : turn)) % prepared.length;
      askedAt = performance.now();
      connections[(client + turn) % connections.length]?.ask(textOf(prepared[number] ?? []), (status, text) => {
        const now = performance.now();
        // 304: the peer has nothing new.
        if ((status < 200 || status > 299) && status !== 304) {
          reject(new Error(`${requests[number]?.method} ${requests[number]?.path} was answered: ${text}`));
          return;
        }
        if (now <= end) times.push(now - askedAt);
        if (now > end || times.length >= maxTurns) resolve({ times, served: turn + 1 });
        else ask();
      });
    };
    ask();
  });
}

function summed(clients: readonly Times[], elapsedMs: number): LoadResult {
  const all = clients.flatMap(({ times }) => times);
  return {
    answered: all.length,
    served: clients.reduce((sum, { served }) => sum + served, 0),
    elapsedMs,
    medianMs: median(all),
    p99Ms: quantile(all, 0.99),
    meansMs: clients.map(({ times }) => times.reduce((sum, time) => sum + time, 0) / times.length),
  };
}

function prepare({ method, path, body }: Asked, headers: Load['headers']): Prepared {
  const text = body === undefined ? '' : JSON.stringify(body);
  const length = Buffer.byteLength(text.replaceAll('{n}', '0123456789'));
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: bench',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(text === '' ? [] : ['content-type: application/json', `content-length: ${length}`]),
  ];
  const whole = `${lines.join('\r\n')}\r\n\r\n${text}`;
  return whole.includes('{n}') ? whole.split('{n}') : Buffer.from(whole, 'latin1');
}

function textOf(prepared: Prepared): Buffer | string {
  if (Buffer.isBuffer(prepared)) return prepared;
  lastNumber += 1;
  return prepared.join(String(lastNumber));
}
