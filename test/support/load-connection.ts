/**
 * A keep-alive connection for one request at a time, that writes and reads as slowly as `manner` says. Over a plain
 * socket, since a thousand of them must cost less than the server that they ask.
 */
import { once } from 'node:events';
import { Socket } from 'node:net';

/** So many bytes at a time, and a pause after each time. */
export interface Pace {
  readonly bytes: number;
  readonly everyMs: number;
}

export interface Manner {
  readonly reading?: Pace;
  readonly writing?: Pace;
}

export interface Connection {
  readonly isOpen: boolean;
  /** Resolves when the answer is here to its last byte. Rejects unless it is a success. */
  ask(request: Buffer): Promise<void>;
  /** In the middle of whatever is under way. */
  cut(): void;
}

/** Larger than most answers, so that they come as one piece. */
const pieceBytes = 65_536;

export async function openConnection(port: number, { reading, writing }: Manner = {}): Promise<Connection> {
  let asked: PromiseWithResolvers<void> | undefined;
  const fail = (why: string) => asked?.reject(new Error(why));
  const receive = answerReader((status, beginning) =>
    status >= 200 && status < 300 ? asked?.resolve() : fail(beginning),
  );
  const read = (length: number, buffer: Uint8Array): boolean => {
    receive(Buffer.from(buffer.buffer, buffer.byteOffset, length));
    if (!reading) return true;
    setTimeout(() => socket.resume(), reading.everyMs);
    return false;
  };
  const buffer = Buffer.alloc(reading?.bytes ?? pieceBytes);
  const socket = new Socket({ onread: { buffer, callback: read } } as object);
  socket.connect(port, '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  socket.on('error', ({ message }) => fail(message)).on('close', () => fail('the connection was closed'));
  return {
    get isOpen() {
      return !socket.destroyed;
    },
    ask: (request) => {
      asked = Promise.withResolvers();
      // The server has closed it since the last answer, which it must not do while clients use it.
      if (socket.destroyed) fail('the connection was closed between two requests');
      else if (writing) dribble(socket, request, writing);
      else socket.write(request);
      return asked.promise;
    },
    cut: () => socket.destroy(),
  };
}

function dribble(socket: Socket, rest: Buffer, pace: Pace): void {
  if (rest.length === 0 || socket.destroyed) return;
  socket.write(rest.subarray(0, pace.bytes));
  setTimeout(() => dribble(socket, rest.subarray(pace.bytes), pace), pace.everyMs);
}

/** Takes answers in pieces of any size. Every answer of ours says how long it is. */
function answerReader(whole: (status: number, beginning: string) => void): (piece: Buffer) => void {
  let beginning = '';
  /** Bytes to come; undefined before the head is whole. */
  let missing: number | undefined;
  return (piece) => {
    if (missing === undefined) {
      beginning += piece.toString('latin1');
      const bodyAt = beginning.indexOf('\r\n\r\n') + 4;
      if (bodyAt < 4) return;
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(beginning.slice(0, bodyAt))?.[1];
      if (length === undefined) throw new Error(`an answer without a length: ${beginning.slice(0, bodyAt)}`);
      missing = bodyAt + Number(length) - beginning.length;
    } else {
      missing -= piece.length;
    }
    if (missing > 0) return;
    const answer = beginning.slice(0, 500);
    beginning = '';
    missing = undefined;
    whole(Number(answer.slice(9, 12)), answer);
  };
}
