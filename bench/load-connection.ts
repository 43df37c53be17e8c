/** A connection for one request at a time. Over a plain socket, since asking must cost less than any server's answer. */
import { once } from 'node:events';
import { Socket } from 'node:net';

export interface Connection {
  /** Calls `done` with the status, and the beginning of the answer, when the answer is here to its last byte. */
  ask(request: Buffer | string, done: (status: number, text: string) => void): void;
  close(): void;
}

/** Larger than most answers, so that they come as one piece. */
const pieceBytes = 65_536;
const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = '0\r\n\r\n';

export async function openConnection(port: number, failed: (error: Error) => void): Promise<Connection> {
  let done: ((status: number, text: string) => void) | undefined;
  let status = 0;
  let text = '';
  /** Bytes to come; undefined before the head is read, infinite where the answer comes in chunks. */
  let missing: number | undefined;

  const receive = (length: number, buffer: Uint8Array): boolean => {
    const piece = Buffer.from(buffer.buffer, buffer.byteOffset, length);
    if (missing === undefined) {
      const head = readHead(piece);
      status = head.status;
      text = head.status < 300 ? '' : piece.toString('latin1', 0, 500);
      missing = head.total - length;
    } else {
      missing -= length;
    }
    const isWhole = Number.isFinite(missing)
      ? missing <= 0
      : piece.toString('latin1', length - lastChunk.length) === lastChunk;
    if (isWhole) {
      missing = undefined;
      done?.(status, text);
    }
    return true;
  };

  const socket = new Socket({ onread: { buffer: Buffer.alloc(pieceBytes), callback: receive } } as object);
  socket.connect(port, '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  const over = () => failed(new Error('the server closed the connection'));
  socket.on('error', failed).on('close', over);
  return {
    ask: (request, whenDone) => {
      done = whenDone;
      socket.write(request, 'latin1');
    },
    close: () => {
      socket.off('close', over);
      socket.destroy();
    },
  };
}

/** Heads are short and written at once, so they are whole in the first piece. */
function readHead(piece: Buffer): { status: number; total: number } {
  const end = piece.indexOf(headEnd);
  if (end < 0) throw new Error('the head of an answer came in pieces');
  const head = piece.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const length = status === 304 ? '0' : /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  const total = length === undefined ? Number.POSITIVE_INFINITY : end + headEnd.length + Number(length);
  return { status, total };
}
