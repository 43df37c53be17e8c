/** Raw sockets that speak HTTP incorrectly on purpose. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after } from 'node:test';

export interface Talk {
  readonly socket: Socket;
  /** Everything that the server has sent so far. */
  said(): string;
  /** Resolves when the connection is over, with the seconds that it lasted. */
  readonly ended: Promise<number>;
}

/** Connected, or refused already. */
export async function talkTo(url: string): Promise<Talk> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  after(() => socket.destroy());
  const began = performance.now();
  let said = '';
  socket.on('data', (bytes) => {
    said += bytes.toString('latin1');
  });
  // A reset is an end like any other.
  const ended = new Promise<number>((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve((performance.now() - began) / 1000));
  });
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), ended]);
  return { socket, said: () => said, ended };
}

/** Writes the pieces and returns everything received, once the server has closed the connection. */
export async function exchange(url: string, pieces: Iterable<string | Buffer>): Promise<string> {
  const { socket, said, ended } = await talkTo(url);
  for (const piece of pieces) {
    if (socket.destroyed) break;
    if (!socket.write(piece)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), ended]);
  }
  await ended;
  return said();
}

/** Splits what was received into responses: status line, headers and body. */
export function answersIn(text: string): { status: number; headers: Record<string, string>; body: string }[] {
  const answers = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`not an answer: ${rest.slice(0, 200)}`);
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((one) => [one.split(':')[0]?.toLowerCase(), one.slice(one.indexOf(':') + 2)]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const status = Number(line.split(' ')[1]);
    answers.push({ status, headers, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/** Sends a piece every second until the connection is over. */
export function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 1_000);
  socket.once('close', () => clearInterval(timer));
}

/** Whether the process of the server still holds its end; the kernel may go on with it for a while. */
export function isHeldByServer({ localPort = 0, remotePort = 0 }: Socket): boolean {
  const inHex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
  // Local address, remote address, state, and at the tenth place the inode, which is 0 when no process has it.
  const ofServer = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, local, remote]) => local?.endsWith(`:${inHex(remotePort)}`) && remote?.endsWith(`:${inHex(localPort)}`));
  return ofServer !== undefined && ofServer[9] !== '0';
}
