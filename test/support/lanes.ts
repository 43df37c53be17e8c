/** Processes that each run many test files, one after another. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Task } from './lane.ts';
import type { FileReport } from './lane-reporter.ts';

export interface Outcome extends FileReport {
  /** Includes loading the file and cleaning up after it. */
  readonly durationMs: number;
  /** Of the lane and of the processes that the file started, without PostgreSQL's. */
  readonly processorMs: number;
}

export interface Lane {
  /** Never rejects: if the process ends or hangs, the file has failed. */
  run(task: Task): Promise<Outcome>;
  /** False after a failure, which may have left anything behind. */
  isUsable(): boolean;
  /** Waits for the process to end. Returns a complaint if it did not end cleanly. */
  end(): Promise<string | undefined>;
  /** Ends the process and everything it started. */
  interrupt(): void;
}

/** Longer than a lane takes to give up on a hanging test, and longer than idle connections stay open. */
const graceMs = 30_000;

export function startLane(environment: NodeJS.ProcessEnv): Lane {
  const child = spawn(
    process.execPath,
    [`--test-reporter=${pathOf('lane-reporter.ts')}`, '--test-reporter-destination=stdout', pathOf('lane.ts')],
    // In its own process group, so that the servers it starts can be ended with it.
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { ...process.env, ...environment }, detached: true },
  );
  let hasFailed = false;
  const ended = once(child, 'exit');
  // Sending fails once the process has ended; `ended` has the reason.
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
      const processorAt = processorMsOf(child.pid);
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
      return {
        ...result,
        durationMs: performance.now() - startedAt,
        processorMs: Math.max(processorMsOf(child.pid) - processorAt, 0),
      };
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

/** Processor time of a process and of its children that have ended; 0 where there is no `/proc`, as on macOS. */
export function processorMsOf(pid: number | 'self' | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which may contain spaces. 14 to 17 are utime, stime, cutime and cstime, in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field) * 10, 0);
  } catch {
    return 0;
  }
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
