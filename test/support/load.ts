/** Clients in a separate process, so that they measure the server and not the test. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

export interface Asked {
  readonly method: 'GET' | 'PATCH' | 'POST';
  readonly path: string;
  /** In its texts `{n}` stands for a number that no other request has. */
  readonly body?: unknown;
}

interface Slow {
  readonly count: number;
  readonly requests: readonly Asked[];
}

export interface Order {
  readonly port: number;
  readonly key: string;
  /** Sent in a loop, over the connections in turn. */
  readonly requests: readonly Asked[];
  readonly connections: number;
  /** Beside the connections. They ask without a pause, and have no part in the pace. */
  readonly slowReaders: Slow;
  readonly slowWriters: Slow;
  readonly seconds: number;
  /** Requests begin at their times, whether those before are answered or not; without it, as soon as they may. */
  readonly perSecond?: number;
  readonly maxUnderWay: number;
  /** Times are told for each part. */
  readonly partSeconds: number;
}

export interface Part {
  readonly medianMs: number;
  readonly p99Ms: number;
}

export interface LoadResult {
  readonly answered: number;
  /** Those of them that changed something, by slow writers too. */
  readonly written: number;
  readonly slowlyRead: number;
  readonly slowlyWritten: number;
  /** The first of them in words. */
  readonly errors: readonly string[];
  readonly errorCount: number;
  /** Counted from the time at which a request should begin. Those of the slow ones are not among them. */
  readonly parts: readonly Part[];
}

export interface Load {
  run(order: Order): Promise<LoadResult>;
}

/** The process ends with the tests of the file. */
export function startLoad(): Load {
  const script = fileURLToPath(new URL('./load-process.ts', import.meta.url));
  const child: ChildProcess = fork(script, { execArgv: [], env: { PATH: process.env.PATH } });
  after(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code]): never => {
    throw new Error(`the process of the clients ended with ${code}`);
  });
  // Only callers that wait for a response care.
  ended.catch(() => undefined);
  return {
    run: async (order) => {
      child.send(order);
      const [result] = (await Promise.race([once(child, 'message'), ended])) as [LoadResult];
      return result;
    },
  };
}
