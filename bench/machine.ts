/** Where and of what was measured. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, type } from 'node:os';

export interface Machine {
  readonly date: string;
  readonly commit: string;
  readonly processor: string;
  readonly system: string;
  readonly node: string;
  /** Processes that wanted to run in the last minute, before anything was measured. */
  readonly load: string;
}

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    commit: commit(),
    processor: `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}`,
    system: `${type()} ${release()}`,
    node: process.version,
    load: (loadavg()[0] ?? 0).toFixed(1),
  };
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--', 'src', 'package-lock.json') !== '';
  return git('rev-parse', '--short=12', 'HEAD') + (isChanged ? ', with changes' : '');
}
