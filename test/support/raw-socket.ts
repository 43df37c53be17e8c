/** Bytes to a server as they are, for what no HTTP client would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // What the server cuts off while we write is what is under test.
  socket.on('error', () => undefined);
  return socket;
}

/** Writes the pieces and answers all that came back, once the server has closed the connection. */
export async function exchange(url: string, pieces: Iterable<string | Buffer>): Promise<string> {
  const socket = await openSocket(url);
  const received: Buffer[] = [];
  socket.on('data', (data) => received.push(data));
  const said = (event: string) => new Promise<void>((resolve) => socket.once(event, () => resolve()));
  const closed = said('close');
  for (const piece of pieces) {
    if (socket.destroyed) break;
    if (!socket.write(piece)) await Promise.race([said('drain'), closed]);
  }
  await closed;
  return Buffer.concat(received).toString('latin1');
}

/** The answers that stand one after the other in what came back: status line, headers and body. */
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
