/** The folder of the nightly backups: names by which they sort, and which of them are kept. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileEndings } from '#store/sqlite/file.ts';
import { partialEnding } from './backup.ts';

/** Sorts by time. Without colons, which some file systems refuse. */
export const backupName = (at: number): string =>
  `burgee-${new Date(at).toISOString().replaceAll(':', '').replace(/\.\d+/, '')}.db`;

const ofOurs = /^burgee-\d{4}-\d{2}-\d{2}T\d{6}Z\.db$/;

/** The names of the backups in the folder, oldest first. Other files are not looked at. */
export const listBackups = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => ofOurs.test(name))
    .sort();

/** Removes all but the newest; answers which. */
export function pruneBackups(folder: string, keep: number): string[] {
  const old = listBackups(folder).slice(0, -keep);
  for (const name of old) rmSync(join(folder, name));
  return old;
}

/** What processes left that were killed while they made a backup. For who has the claim: it is nobody's any more. */
export function removeBrokenOff(folder: string): void {
  const endings = fileEndings.map((ending) => partialEnding + ending);
  for (const name of readdirSync(folder)) {
    const ending = endings.find((one) => name.endsWith(`.db${one}`));
    if (ending && ofOurs.test(name.slice(0, -ending.length))) rmSync(join(folder, name), { force: true });
  }
}
