/** Many open streams in a separate process: each notes when a message of the given kind arrives. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { instant } from './measuring.ts';
import { answerOrders } from './reference/answers.ts';

export type StreamsOrder =
  | { readonly kind: 'open'; readonly port: number; readonly path: string; readonly count: number }
  /** Answered when every stream has got a message with this text, with when each did. Sent before the message is. */
  | { readonly kind: 'wait'; readonly text: string }
  | { readonly kind: 'close' };

/** Opened at a time: the queue of a listening socket is not endless. */
const atOnce = 200;
const timeoutMs = 30_000;

const sockets: Socket[] = [];
let arrived: (socket: Socket, piece: Buffer) => void = () => undefined;

answerOrders(async (order: StreamsOrder) => {
  if (order.kind === 'open') return openAll(order);
  if (order.kind === 'wait') return waitFor(order.text);
  for (const socket of sockets.splice(0)) socket.destroy();
  return true;
});

async function openAll({ port, path, count }: Extract<StreamsOrder, { kind: 'open' }>): Promise<number> {
  while (sockets.length < count) {
    const some = Math.min(atOnce, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: some }, () => open(port, path)))));
  }
  return sockets.length;
}

/** Resolves with the first bytes. */
async function open(port: number, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  const status = head.toString('latin1', 9, 12);
  if (status !== '200') throw new Error(`a stream was answered with ${head.toString('latin1', 0, 300)}`);
  socket.on('data', (piece: Buffer) => arrived(socket, piece));
  return socket;
}

function waitFor(text: string): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const wanted = Buffer.from(text);
    const times = new Map<Socket, number>();
    const late = () => reject(new Error(`${sockets.length - times.size} of ${sockets.length} streams got nothing`));
    const timer = setTimeout(late, timeoutMs);
    arrived = (socket, piece) => {
      if (times.has(socket) || !piece.includes(wanted)) return;
      times.set(socket, instant());
      if (times.size < sockets.length) return;
      clearTimeout(timer);
      arrived = () => undefined;
      resolve([...times.values()]);
    };
  });
}
