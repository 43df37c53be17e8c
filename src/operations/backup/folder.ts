/** The folder of nightly backups: their names, and which are kept. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileEndings } from '#store/sqlite/file.ts';
import { partialEnding } from './backup.ts';

/** Sorts by time. Without colons, which some file systems refuse. */
export const backupName = (at: number): string =>
  `burgee-${new Date(at).toISOString().replaceAll(':', '').replace(/\.\d+/, '')}.db`;

const ofOurs = /^burgee-\d{4}-\d{2}-\d{2}T\d{6}Z\.db$/;

/** The names of the backups in the folder, oldest first. Other files are ignored. */
export const listBackups = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => ofOurs.test(name))
    .sort();

/** Deletes all but the newest and returns the deleted names. */
export function pruneBackups(folder: string, keep: number): string[] {
  const old = listBackups(folder).slice(0, -keep);
  for (const name of old) rmSync(join(folder, name));
  return old;
}

/** Deletes what killed processes left behind. Requires the claim, so that no unfinished backup is in use. */
export function removeBrokenOff(folder: string): void {
  const endings = fileEndings.map((ending) => partialEnding + ending);
  for (const name of readdirSync(folder)) {
    const ending = endings.find((one) => name.endsWith(`.db${one}`));
    if (ending && ofOurs.test(name.slice(0, -ending.length))) rmSync(join(folder, name), { force: true });
  }
}
