/**
 * Files that a running process may suddenly no longer write, as when the system makes a disk read-only after a fault.
 * Neither permissions nor a mount do that to a file that is open already, so the process is traced, and its writes to
 * these files get the error of such a disk.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';

const writing = 'write,pwrite64,pwritev,ftruncate,fallocate';

/** `forbid` resolves when from now on nothing is written, `allow` when everything is as before. */
export function readOnlyFiles(pid: number, files: readonly string[]) {
  const paths = files.flatMap((file) => ['-P', file]);
  const tracer = () => startTracing(pid, ['-e', `inject=${writing}:error=EROFS`, ...paths]);
  let stop = async () => {};
  after(() => stop());
  return {
    forbid: async () => {
      stop = await tracer();
    },
    allow: () => stop(),
  };
}

/** From when it resolves, what the process wrote to its files can no longer be flushed to the disk. */
export async function failFlushes(pid: number): Promise<void> {
  const stop = await startTracing(pid, ['-e', 'inject=fdatasync,fsync:error=EIO']);
  after(stop);
}

/** Why a process cannot be traced here; undefined when it can. */
export async function whyNotTraced(pid: number): Promise<string | undefined> {
  try {
    const stop = await startTracing(pid, ['-e', 'trace=none']);
    await stop();
    return undefined;
  } catch (error) {
    return `needs strace, and leave to trace other processes: ${(error as Error).message}`;
  }
}

/** Resolves when the process is traced, with what ends that. */
async function startTracing(pid: number, options: readonly string[]): Promise<() => Promise<void>> {
  const tracer = spawn('strace', ['-f', '-o', '/dev/null', ...options, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  tracer.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(tracer, 'close');
  while (!said.includes('attached')) {
    const data = once(tracer.stderr, 'data').then(() => undefined);
    if (await Promise.race([data, ended])) throw new Error(said.trim());
  }
  return async () => {
    tracer.kill('SIGINT');
    await ended;
  };
}
