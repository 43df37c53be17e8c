/** Burgee servers, each in its own process, as operators run them. */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/support/free-port.ts';
import { type Place, type Process, type Start, startProcess } from './processes.ts';

export const adminKey = 'a-key-for-measurements-only';

/** How a load reaches a server. */
export interface Server extends Process {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** As `npm start` has it, where `npm run bench` has told. */
const { NODE_COMPILE_CACHE } = process.env;
const compileCache: Record<string, string> = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Resolves when it is ready. `metricsPort`: where it shows its metrics, if it should. */
export async function startBurgee(
  databaseUrl: string,
  place: Place = 'serving',
  metricsPort?: number,
): Promise<Server> {
  const port = await freePort();
  return startServer({
    port,
    path: '/ready',
    headers: { authorization: `Bearer ${adminKey}` },
    start: {
      args: [main, 'serve'],
      place,
      env: {
        DATABASE_URL: databaseUrl,
        PORT: String(port),
        BURGEE_ADMIN_API_KEY: adminKey,
        // Lines about each write would be measured, too.
        LOG_LEVEL: 'warn',
        ...(metricsPort === undefined ? {} : { METRICS_PORT: String(metricsPort) }),
        ...compileCache,
      },
    },
  });
}

export interface ServerStart {
  readonly port: number;
  /** What is answered with 200 once it is ready. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly start: Start;
}

/** How exactly the time to a ready server is known. */
const pauseMs = 5;

export async function startServer({ port, path, headers, start }: ServerStart): Promise<Server> {
  const process = startProcess(start);
  while (!(await isReady(`http://127.0.0.1:${port}${path}`))) {
    process.requireRunning();
    await pause(pauseMs);
  }
  return { ...process, port, headers };
}

const isReady = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (reply) => {
      await reply.text();
      return reply.ok;
    },
    () => false,
  );
