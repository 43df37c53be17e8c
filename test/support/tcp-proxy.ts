/** A proxy between a node and PostgreSQL that drops data on demand. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

/**
 * passes: as one wishes. swallows: nothing comes through, and nobody is told; connections that lived to see it stay
 * dead. Where a question of the node has the text: question: it is cut off before the server has it. answer: it is cut
 * off when the server has answered. rest: from there on everything is swallowed.
 */
type Manner = 'passes' | 'swallows' | { readonly loses: 'question' | 'answer' | 'rest'; readonly at: string };

export interface TcpProxy {
  /** The same database, through the proxy. */
  readonly url: string;
  /** Applies to all that comes from now on. */
  manner: Manner;
  /** New connections go to this server; those that are open stay where they are. */
  pointTo(port: number): void;
  /** How many connections were made to it. */
  readonly connections: number;
  /** How often something was lost as `manner` said. */
  readonly losses: number;
}

/** Listens on a free port; gone after the tests of the file, or of the test that asks. */
export async function startProxy(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    // A connection that is cut is what this is for.
    return socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  let connections = 0;
  let losses = 0;
  const server = createServer((near) => {
    const far = track(connect(Number(target.port), target.hostname));
    track(near);
    connections += 1;
    let isDead = false;
    let losesAnswer = false;
    const end = () => {
      near.destroy();
      far.destroy();
    };
    const lose = () => {
      losses += 1;
      end();
    };
    const passes = () => {
      isDead ||= proxy.manner === 'swallows';
      return !isDead;
    };
    passes();
    near.on('data', (question) => {
      if (!passes()) return;
      const { manner } = proxy;
      const isMeant = typeof manner === 'object' && question.includes(manner.at);
      if (isMeant && manner.loses === 'question') return lose();
      if (isMeant && manner.loses === 'rest') {
        losses += 1;
        isDead = true;
        return;
      }
      losesAnswer ||= isMeant;
      far.write(question);
    });
    far.on('data', (answer) => {
      if (!passes()) return;
      if (losesAnswer) return lose();
      near.write(answer);
    });
    near.once('close', end);
    far.once('close', () => {
      if (passes()) end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(async () => {
    const closed = once(server.close(), 'close');
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  url.hostname = '127.0.0.1';
  const proxy: TcpProxy = {
    url: url.href,
    manner: 'passes',
    pointTo: (port) => {
      target.port = String(port);
    },
    get connections() {
      return connections;
    },
    get losses() {
      return losses;
    },
  };
  return proxy;
}
