/** A disk of a few megabytes for a database, which can be full or read-only. Mounting requires root. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

export interface SmallDisk {
  readonly folder: string;
  /** Until nothing more fits. */
  fill(): void;
  makeRoom(): void;
  /** Possible while no file is open for writing. */
  setReadOnly(readOnly: boolean): void;
}

export const mayMount = process.getuid?.() === 0;

/** Removed after the test that calls it, or after the file's tests. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'burgee-test', folder]);
  after(() => {
    // Lazily: a server of a test that failed may still be there.
    execFileSync('umount', ['--lazy', folder]);
    rmdirSync(folder);
  });
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => {
      const descriptor = openSync(ballast, 'a');
      try {
        for (const size of [65_536, 4_096, 1]) writeUntilFull(descriptor, Buffer.alloc(size));
      } finally {
        closeSync(descriptor);
      }
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    setReadOnly: (readOnly) => {
      execFileSync('mount', ['-o', `remount,${readOnly ? 'ro' : 'rw'}`, folder]);
    },
  };
}

function writeUntilFull(descriptor: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(descriptor, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
