/** Sockets that speak HTTP as badly as a test wants them to. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after } from 'node:test';
import type { Server } from './process.ts';

export interface Talk {
  readonly socket: Socket;
  /** All that the server said so far. */
  said(): string;
  /** Resolves when the connection is over, with the seconds that it lasted. */
  readonly ended: Promise<number>;
}

/** Connected, or refused already. */
export async function talkTo({ url }: Server): Promise<Talk> {
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
