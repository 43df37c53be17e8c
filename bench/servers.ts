/** Real servers of Burgee, each in a process of its own, as operators run them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/support/postgres-server.ts';

export const adminKey = 'a-key-for-measurements-only';

export interface BurgeeServer {
  readonly port: number;
  /** The processor time that the process has taken so far, in milliseconds; undefined where the system does not say. */
  processorMs(): number | undefined;
  stop(): Promise<void>;
}

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Resolves when it is ready. `folder`: where it runs. */
export async function startBurgee(databaseUrl: string, folder: string): Promise<BurgeeServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [main, 'serve'], {
    cwd: folder,
    // Lines about each write would be measured, too.
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      BURGEE_ADMIN_API_KEY: adminKey,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`Burgee did not start: it ended with ${child.exitCode}`);
    await pause(50);
  }
  return {
    port,
    processorMs: () => processorMs(child.pid),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/ready`).then(
    (reply) => reply.ok,
    () => false,
  );

/** Of every Linux that Node runs on. */
const ticksPerSecond = 100;

function processorMs(pid: number | undefined): number | undefined {
  try {
    // The name of the program is in brackets and may contain anything; what follows is numbers.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [user, system] = [Number(fields[11]), Number(fields[12])];
    return ((user + system) * 1_000) / ticksPerSecond;
  } catch {
    return undefined;
  }
}
