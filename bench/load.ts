/**
 * Clients that ask without a pause: each asks, reads the whole answer, and asks again. Over plain sockets, since the
 * load shares the machine with what it measures and should cost little.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Asked {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

export interface Load {
  /** Of the servers on this machine. Every client asks them in turn, as one behind a load balancer does. */
  readonly ports: readonly number[];
  readonly clients: number;
  readonly milliseconds: number;
  readonly key: string;
  ask(client: number, turn: number): Asked;
}

/** Answers how many requests were answered in the time. Throws on any answer but 200. */
export async function runLoad(load: Load): Promise<number> {
  const end = performance.now() + load.milliseconds;
  const counts = await Promise.all(Array.from({ length: load.clients }, (_, client) => runClient(load, client, end)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function runClient(load: Load, client: number, end: number): Promise<number> {
  const connections = await Promise.all(load.ports.map(openConnection));
  try {
    for (let turn = 0; ; turn += 1) {
      const connection = connections[(client + turn) % connections.length];
      const asked = load.ask(client, turn);
      const { status, text } = (await connection?.(textOf(asked, load.key))) ?? { status: 0, text: '' };
      if (status !== 200) throw new Error(`${asked.method} ${asked.path} was answered with ${status}: ${text}`);
      // What was under way at the end does not count.
      if (performance.now() > end) return turn;
    }
  } finally {
    for (const connection of connections) connection.close();
  }
}

function textOf({ method, path, body }: Asked, key: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${key}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  const text = JSON.stringify(body);
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Connection {
  (request: string): Promise<Answer>;
  close(): void;
}

/** One request at a time, each answered with a body of a stated length: that is how Burgee answers. */
async function openConnection(port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  let waiting: PromiseWithResolvers<Answer> | undefined;
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
    const answer = wholeAnswer(received);
    if (!answer) return;
    received = '';
    waiting?.resolve(answer);
  });
  rejectWhenOver(socket, (error) => waiting?.reject(error));
  const ask = (request: string) => {
    waiting = Promise.withResolvers();
    socket.write(request);
    return waiting.promise;
  };
  return Object.assign(ask, { close: () => socket.destroy() });
}

function rejectWhenOver(socket: Socket, reject: (error: Error) => void): void {
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the server closed the connection')));
}

function wholeAnswer(received: string): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = Number(/^content-length: (\d+)/im.exec(received.slice(0, headEnd))?.[1]);
  const text = received.slice(headEnd + 4);
  return text.length < length ? undefined : { status: Number(received.slice(9, 12)), text };
}
