/** Describes the machine and the versions measured. */
import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, type } from 'node:os';
import { join } from 'node:path';
import { median } from './ratios.ts';

export interface Machine {
  readonly date: string;
  readonly commit: string;
  readonly processor: string;
  readonly system: string;
  readonly node: string;
  /** Processes that wanted to run in the last minute, before anything was measured. */
  readonly load: string;
  /** Where the databases are, and how long the disk takes to flush a small write there: nothing where it is memory. */
  readonly folder: string;
  readonly flushMs: number;
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
    folder: tmpdir(),
    flushMs: flushMs(),
  };
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--', 'src', 'package-lock.json') !== '';
  return git('rev-parse', '--short=12', 'HEAD') + (isChanged ? ', with changes' : '');
}

function flushMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-bench-'));
  const file = openSync(join(folder, 'flushed'), 'w');
  const page = Buffer.alloc(4_096);
  const times = Array.from({ length: 101 }, () => {
    const start = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return median(times);
}
