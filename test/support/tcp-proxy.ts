/** Stands between a node and PostgreSQL, and loses what it is told to lose. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

/**
 * passes: as one wishes. swallows: nothing comes through, and nobody is told; connections that lived to see it stay
 * dead. Where a question of the node has the text: question: it is cut off before the server has it. answer: it is cut
 * off when the server has answered. rest: from there on everything is swallowed.
 */
type Manner = 'passes' | 'swallows' | { readonly loses: 'question' | 'answer' | 'rest'; readonly at: string };

interface Network {
  /** Applies to all that comes from now on. */
  manner: Manner;
  /** How many connections were made. */
  connections: number;
  /** How often something was lost at a text. */
  losses: number;
}

export interface TcpProxy extends Network {
  /** The same database, through the proxy. */
  readonly url: string;
}

/** Listens on a free port; gone after the tests of the file, or of the test that asks. */
export async function startProxy(databaseUrl: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(databaseUrl);
  const network: Network = { manner: 'passes', connections: 0, losses: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      // A connection that is cut is what this is for.
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    }
    network.connections += 1;
    relay(network, near, far);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(async () => {
    const closed = once(server.close(), 'close');
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(network, { url: url.href });
}

/** One connection: `near` is the node, `far` the server. */
function relay(network: Network, near: Socket, far: Socket): void {
  let isDead = false;
  let isLastQuestion = false;
  const passes = () => {
    isDead ||= network.manner === 'swallows';
    return !isDead;
  };
  const cut = () => {
    near.destroy();
    far.destroy();
  };
  const lossAt = (question: Buffer) => {
    const { manner } = network;
    return typeof manner === 'object' && question.includes(manner.at) ? manner.loses : undefined;
  };
  passes();
  near.on('data', (question) => {
    if (!passes()) return;
    const loss = lossAt(question);
    if (loss) network.losses += 1;
    if (loss === 'question') return cut();
    isDead = loss === 'rest';
    isLastQuestion ||= loss === 'answer';
    if (!isDead) far.write(question);
  });
  far.on('data', (answer) => {
    if (!passes()) return;
    if (isLastQuestion) cut();
    else near.write(answer);
  });
  near.once('close', cut);
  far.once('close', () => {
    if (passes()) cut();
  });
}
