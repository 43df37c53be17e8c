/** The client process: `load.ts` starts it and sends it the requests to make. Errors end it. */
import type { Asked, LoadResult, Order } from './load.ts';
import { type Connection, type Manner, openConnection } from './load-connection.ts';
import { createTally, type Tally } from './load-tally.ts';

process.on('disconnect', () => process.exit(0));
process.on('message', async (order: Order) => process.send?.(await run(order)));

/** The server accepts more, but not all in the same moment. */
const openedAtOnce = 100;
/** Slow enough to last for seconds, quick enough for the limits of the server: a body has 30 s. */
const slowReading: Manner = { reading: { bytes: 8_192, everyMs: 20 } };
const slowWriting: Manner = { writing: { bytes: 16, everyMs: 50 } };
/** Requests without a response this long after the end count as unanswered. */
const timeoutMs = 60_000;

async function run(order: Order): Promise<LoadResult> {
  const { slowReaders, slowWriters } = order;
  const tally = createTally();
  const connections = await openConnections(order.port, order.connections);
  const readers = await openConnections(order.port, slowReaders.count, slowReading);
  const writers = await openConnections(order.port, slowWriters.count, slowWriting);
  let isOver = false;
  const isRunning = () => !isOver;
  const nextToRead = inTurn(order, slowReaders.requests);
  const nextToWrite = inTurn(order, slowWriters.requests);
  const slow = [
    ...readers.map((one) => askRepeatedly(one, nextToRead, tally.slowReading, isRunning)),
    ...writers.map((one) => askRepeatedly(one, nextToWrite, tally.slowWriting, isRunning)),
  ];
  await askAtTheirTimes(connections, order, tally);
  isOver = true;
  // In the middle of the slow requests, as real clients disconnect.
  for (const connection of [...connections, ...readers, ...writers]) connection.cut();
  await Promise.all(slow);
  return tally.result();
}

async function openConnections(port: number, count: number, manner?: Manner): Promise<Connection[]> {
  const opened: Connection[] = [];
  while (opened.length < count) {
    const more = Math.min(openedAtOnce, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: more }, () => openConnection(port, manner)))));
  }
  return opened;
}

async function askRepeatedly(
  connection: Connection,
  next: () => Prepared,
  tally: Pick<Tally, 'answered' | 'failed'>,
  isRunning: () => boolean,
): Promise<void> {
  while (connection.isOpen && isRunning()) {
    const request = next();
    await connection.ask(textOf(request)).then(
      () => tally.answered(request.asked),
      (error: Error) => isRunning() && tally.failed(request.asked, error),
    );
  }
}

function askAtTheirTimes(connections: readonly Connection[], order: Order, tally: Tally): Promise<void> {
  const { perSecond, maxUnderWay } = order;
  const endMs = order.seconds * 1_000;
  const next = inTurn(order, order.requests);
  const start = performance.now();
  const free = [...connections];
  let begun = 0;
  let underWay = 0;
  /** When the next request should begin, counted from the start. */
  const dueMs = (now: number) => (perSecond === undefined ? now : (begun * 1_000) / perSecond);
  const begin = async (connection: Connection, plannedMs: number) => {
    const request = next();
    begun += 1;
    underWay += 1;
    await connection.ask(textOf(request)).then(
      () => {
        tally.answered(request.asked);
        tally.took(performance.now() - start - plannedMs, Math.floor(plannedMs / (order.partSeconds * 1_000)));
      },
      (error: Error) => tally.failed(request.asked, error),
    );
    underWay -= 1;
    if (connection.isOpen) free.push(connection);
  };
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now() - start;
      for (let due = dueMs(now); due <= now && due < endMs && underWay < maxUnderWay; due = dueMs(now)) {
        const connection = free.shift();
        if (!connection) break;
        void begin(connection, due);
      }
      const isAnswered = dueMs(now) >= endMs && underWay === 0;
      if (!isAnswered && now < endMs + timeoutMs) return;
      clearInterval(timer);
      if (!isAnswered) tally.unanswered(underWay);
      resolve();
    }, 1);
  });
}

interface Prepared {
  readonly asked: Asked;
  /** What is around the numbers. */
  readonly texts: readonly string[];
}

/** Of all loads of this process, and always of ten digits. */
let lastNumber = 1_000_000_000;

function textOf({ texts }: Prepared): Buffer {
  lastNumber += 1;
  return Buffer.from(texts.join(String(lastNumber)), 'latin1');
}

/** The requests in turn, without end. */
function inTurn({ key }: { key: string }, requests: readonly Asked[]): () => Prepared {
  const prepared = requests.map((asked) => prepare(asked, key));
  let turn = 0;
  return () => {
    turn += 1;
    return prepared[turn % prepared.length] as Prepared;
  };
}

function prepare(asked: Asked, key: string): Prepared {
  const body = asked.body === undefined ? '' : JSON.stringify(asked.body);
  const length = body.replaceAll('{n}', String(lastNumber)).length;
  const head = [
    `${asked.method} ${asked.path} HTTP/1.1`,
    'host: flags.test',
    `authorization: Bearer ${key}`,
    ...(body === '' ? [] : ['content-type: application/json', `content-length: ${length}`]),
  ].join('\r\n');
  return { asked, texts: `${head}\r\n\r\n${body}`.split('{n}') };
}
