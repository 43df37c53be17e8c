/**
 * Everything that is measured, and what measures it, is a process of its own. Where the system can, what serves stays
 * on one core and what asks on another: neither takes time from the other, and all contestants have the same.
 */
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** `anywhere`: wherever the system likes, for setups of several processes. */
export type Place = 'serving' | 'asking' | 'anywhere';

export interface Process {
  /** The processor time that it has taken so far, in milliseconds; undefined where the system does not say. */
  processorMs(): number | undefined;
  /** The memory that it holds, in bytes; undefined where the system does not say. */
  residentBytes(): number | undefined;
  /** Throws once it has ended. */
  requireRunning(): void;
  stop(): Promise<void>;
}

/** A script of this folder that is told what to do and answers, one message at a time. */
export interface Servant<Order, Answer> extends Process {
  ask(order: Order): Promise<Answer>;
}

export interface Start {
  readonly args: readonly string[];
  readonly place: Place;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Whether processes are kept on cores of their own. */
export const isPinning = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

export const startProcess = (start: Start): Process => follow(launch(start, ['ignore', 'ignore', 'inherit']));

/** `script`: its file, beside this one. */
export function startServant<Order, Answer>(script: string, place: Place): Servant<Order, Answer> {
  const args = [fileURLToPath(new URL(script, import.meta.url))];
  const child = launch({ args, place }, ['ignore', 'inherit', 'inherit', 'ipc']);
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${script} ended`);
  });
  // Only callers that wait for a response care.
  ended.catch(() => undefined);
  return {
    ...follow(child),
    ask: async (order) => {
      child.send(order as object);
      const [answer] = (await Promise.race([once(child, 'message'), ended])) as [Answer];
      return answer;
    },
  };
}

function launch({ args, place, cwd, env = {} }: Start, stdio: StdioOptions): ChildProcess {
  const all = [process.execPath, ...args];
  const [program = '', ...rest] =
    isPinning && place !== 'anywhere' ? ['taskset', '--cpu-list', String(coreOf(place)), ...all] : all;
  return spawn(program, rest, { stdio, ...(cwd ? { cwd } : {}), env: { PATH: process.env.PATH, ...env } });
}

const coreOf = (place: 'serving' | 'asking'): number => (place === 'serving' ? 0 : availableParallelism() - 1);

function follow(child: ChildProcess): Process {
  return {
    processorMs: () => processorMs(child.pid),
    residentBytes: () => residentBytes(child.pid),
    requireRunning: () => {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode ?? child.signalCode}`);
      }
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Of every Linux that Node runs on. */
const ticksPerSecond = 100;

export function processorMs(pid: number | undefined): number | undefined {
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

function residentBytes(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    return undefined;
  }
}
