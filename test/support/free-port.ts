/** Free ports, for servers that need a fixed port or return to their old one. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Nobody listens there, and nobody will by chance before the server does, or while it is away: systems give ports from
 * 32768 on to who asks for any, and one that was given back goes to the next who asks about once in 10,000 times.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_768);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  await once(probe.close(), 'close');
  return true;
}
