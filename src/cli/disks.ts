/** Checks free space for the database and the backups, and that backups are being made. */

import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { hourMs } from '#domain/durations.ts';
import { listBackups } from '#operations/backup/folder.ts';
import type { Finding } from '#operations/doctor/finding.ts';
import { fileOf, isFile, isMissingFile } from '#store/open.ts';
import type { Config } from '../config.ts';

const megabyte = 1_048_576;
/** A change needs only kilobytes, but the write-ahead log and its checkpoint need more. */
const leastBytes = 100 * megabyte;
const comfortableBytes = 1_024 * megabyte;
/** One night and a few hours. */
const oldMs = 30 * hourMs;

export function examineDisks({ databaseUrl, backups }: Config): Finding[] {
  const findings: Finding[] = [];
  if (!isFile(databaseUrl)) {
    const sentence = 'the disk of PostgreSQL cannot be checked from here: monitor it on its machine';
    findings.push({ level: 'ok', subject: 'disk', sentence });
  } else if (isMissingFile(databaseUrl)) {
    const folder = existingPart(dirname(fileOf(databaseUrl)));
    findings.push(mayWrite(folder) ? freeSpace(folder, 0) : notWritable('disk', folder));
  } else {
    const file = fileOf(databaseUrl);
    findings.push(freeSpace(dirname(file), statSync(file).size));
  }
  return backups ? [...findings, ...examineBackups(backups.folder)] : findings;
}

/** The folder itself, or its nearest existing parent. */
const existingPart = (folder: string): string => (existsSync(folder) ? folder : existingPart(dirname(resolve(folder))));

/** False if it is not a folder. */
function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const notWritable = (subject: string, folder: string): Finding => ({
  level: 'trouble',
  subject,
  sentence: `${folder} is not writable for this user: change its owner, or choose another folder`,
});

function freeSpace(folder: string, databaseBytes: number): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const sentence = `${Math.floor(free / megabyte)} MB are free in ${folder}`;
  const subject = 'disk';
  if (free < leastBytes)
    return { level: 'trouble', subject, sentence: `${sentence}: free some space, or changes will be refused` };
  if (free < Math.max(comfortableBytes, 2 * databaseBytes)) {
    return { level: 'warning', subject, sentence: `${sentence}: the database needs space to grow` };
  }
  return { level: 'ok', subject, sentence };
}

function examineBackups(folder: string): Finding[] {
  const subject = 'backups';
  const place = existingPart(folder);
  if (!mayWrite(place)) return [notWritable(subject, place)];
  if (place !== folder) {
    return [{ level: 'warning', subject, sentence: `${folder} does not exist yet: the next start creates it` }];
  }
  const newest = listBackups(folder).at(-1);
  if (!newest) return [{ level: 'warning', subject, sentence: `there is no backup in ${folder} yet` }];
  const { mtimeMs, size } = statSync(join(folder, newest));
  const hours = Math.floor((Date.now() - mtimeMs) / hourMs);
  const age: Finding =
    Date.now() - mtimeMs > oldMs
      ? {
          level: 'trouble',
          subject,
          sentence: `the newest, ${newest}, is ${hours} hours old: the log says why`,
        }
      : { level: 'ok', subject, sentence: `the newest, ${newest}, is ${hours} hours old` };
  return [age, freeSpace(folder, size)];
}
