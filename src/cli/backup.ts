/** Backups: created while the server runs, verified, restored into an empty database. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { OperatorError } from '#domain/operator.ts';
import { makeBackup } from '#operations/backup/backup.ts';
import { type BackupFacts, examineBackup, type OnBackupProgress } from '#operations/backup/verify.ts';
import { findAccount } from '#store/account.ts';
import { isFile, openStore, withoutPassword } from '#store/open.ts';
import { readConfig } from '../config.ts';
import { moveEverything } from './move.ts';
import { showProgress } from './progress.ts';
import { printTable } from './table.ts';

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write everything into one file; works while the server runs')
    .argument('<file>', 'the file to make; it must not exist')
    .action(backup);
  program
    .command('verify')
    .description('read a whole backup and report whether it is good')
    .argument('<file>', 'a file that burgee backup made')
    .action(verify);
  program
    .command('restore')
    .description('restore a backup into the database of DATABASE_URL, which must be empty')
    .argument('<file>', 'a file that burgee backup made')
    .action(restore);
}

async function backup(file: string): Promise<void> {
  const database = readConfig(process.env);
  const facts = await withProgress((onProgress) => makeBackup(database, { file, onProgress }));
  warnOfGaps(facts);
  process.stdout.write(
    `${file} is a good backup of ${inWords(facts)}. It contains secrets: protect it like the database.\n`,
  );
}

async function withProgress<Result>(work: (onProgress: OnBackupProgress) => Promise<Result>): Promise<Result> {
  const progress = showProgress();
  return work(progress.step).finally(() => progress.end());
}

async function verify(file: string): Promise<void> {
  const facts = await withProgress((onProgress) => examineBackup(file, onProgress));
  printTable(
    ['table', 'rows', 'sha256'],
    facts.tables.map(({ name, rows, checksum }) => [name, String(rows), checksum.slice(0, 16)]),
  );
  requireNone(file, [...facts.troubles, ...facts.gaps]);
  const newest = facts.newestChangeAt === undefined ? 'none' : instant(facts.newestChangeAt);
  process.stdout.write(
    `\n${file} is good: ${inWords(facts)}. Schema ${facts.schema}; newest entry of the audit log: ${newest}.\n`,
  );
}

/** The backup is not changed: an older one is migrated as a temporary copy. */
async function restore(file: string): Promise<void> {
  const target = readConfig(process.env);
  const facts = await withProgress((onProgress) => examineBackup(file, onProgress));
  requireNone(file, facts.troubles);
  warnOfGaps(facts);
  warnOfClock(facts);
  const folder = mkdtempSync(join(tmpdir(), 'burgee-restore-'));
  try {
    const copy = join(folder, 'backup.db');
    copyFileSync(file, copy);
    const from = await openStore({ databaseUrl: `file:${copy}`, databasePool: 1 });
    try {
      const account = await findAccount(from);
      if (!account) throw new OperatorError(`There is nothing to restore in ${file}`);
      await moveEverything({ from, accountId: account.id, target, advice: adviceFor(target.databaseUrl) });
    } finally {
      await from.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const place = withoutPassword(target.databaseUrl);
  process.stdout.write(`${place} has everything of ${file}: ${inWords(facts)}. Start the server.\n`);
}

const adviceFor = (databaseUrl: string): string =>
  isFile(databaseUrl)
    ? 'nothing is overwritten, so stop the server and move the file away with its -wal and -shm, or set DATABASE_URL to another'
    : 'nothing is overwritten, so make a new database and set DATABASE_URL to it';

function requireNone(file: string, troubles: readonly string[]): void {
  if (troubles.length > 0) throw new OperatorError([`${file} is not good:`, ...troubles].join('\n'));
}

/** The source has the same gaps, so another copy would not help. */
function warnOfGaps({ gaps }: BackupFacts): void {
  for (const gap of gaps) process.stderr.write(`warning: ${gap}\n`);
}

/** Change numbers follow the clock. If it is behind, numbers that clients have seen are used again. */
function warnOfClock({ madeAt }: BackupFacts): void {
  const seconds = Math.round((madeAt - Date.now()) / 1000);
  if (seconds <= 0) return;
  const advice = 'set it before you start the server, or change numbers may be given out twice';
  process.stderr.write(`warning: the clock of this machine is ${seconds} seconds behind the backup: ${advice}\n`);
}

const inWords = ({ tables, bytes, madeAt }: BackupFacts): string => {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${rows} rows in ${tables.length} tables, ${bytes} bytes, made at ${instant(madeAt)}`;
};

const instant = (at: number): string => new Date(at).toISOString();
