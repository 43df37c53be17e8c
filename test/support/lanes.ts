/** Processes that each run many test files, one after another. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Task } from './lane.ts';
import type { FileReport } from './lane-reporter.ts';

export interface Outcome extends FileReport {
  /** With what loading the file and cleaning up behind it took. */
  readonly durationMs: number;
}

export interface Lane {
  /** Resolves in any case: a process that ends or hangs meanwhile is a failure of the file. */
  run(task: Task): Promise<Outcome>;
  /** Not after a failure: who knows what that left behind. */
  isUsable(): boolean;
  /** Waits until the process has ended. Answers what is wrong with how it did, if anything. */
  end(): Promise<string | undefined>;
  /** Ends it and all that it started. */
  interrupt(): void;
}

/** More than the lane needs to give up a test that hangs, and more than connections that tests leave need to close. */
const graceMs = 30_000;

export function startLane(environment: NodeJS.ProcessEnv): Lane {
  const child = spawn(
    process.execPath,
    [`--test-reporter=${pathOf('lane-reporter.ts')}`, '--test-reporter-destination=stdout', pathOf('lane.ts')],
    // In a process group of its own, so that the servers it starts can be ended with it.
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { ...process.env, ...environment }, detached: true },
  );
  let hasFailed = false;
  const ended = once(child, 'exit');
  // What cannot be sent any more: `ended` says why.
  child.on('error', () => undefined);
  const interrupt = () => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
  };
  const within = async <Result>(ms: number, awaited: Promise<Result>): Promise<Result> => {
    const timer = setTimeout(interrupt, ms);
    try {
      return await awaited;
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    run: async (task) => {
      const startedAt = performance.now();
      child.send(task);
      const report = once(child, 'message').then(([message]) => message as FileReport);
      const ending = ended.then(([code, signal]): FileReport => {
        const text = `${task.file}\nthe process of the tests ended with ${signal ?? code} before they were over\n`;
        return { file: task.file, passed: false, tests: 0, text };
      });
      const result = await within(task.timeoutMs + graceMs, Promise.race([report, ending]));
      if (!result.passed) {
        hasFailed = true;
        interrupt();
      }
      return { ...result, durationMs: performance.now() - startedAt };
    },
    isUsable: () => !hasFailed,
    end: async () => {
      if (child.connected) child.disconnect();
      const [code, signal] = await within(graceMs, ended);
      if (hasFailed || code === 0) return undefined;
      return signal
        ? `tests left something open that kept their process alive for ${graceMs / 1000} s`
        : `the process of the tests ended with ${code} after they had passed`;
    },
    interrupt,
  };
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
