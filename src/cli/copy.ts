/** Copies everything from one database into another, empty one. */
import type { Command } from 'commander';
import { OperatorError } from '#domain/operator.ts';
import { findAccount } from '#store/account.ts';
import { isMissingFile, openStore, withoutPassword } from '#store/open.ts';
import { readConfig } from '../config.ts';
import { moveEverything } from './move.ts';

export function addCopyCommand(program: Command): void {
  program
    .command('copy')
    .description('copy everything into another, empty database; run it again to resume an interrupted copy')
    .requiredOption('--from <url>', 'the database as it is, for example file:./data/burgee.db')
    .requiredOption('--to <url>', 'the empty database, for example postgres://user:password@host/burgee')
    .addHelpText('after', '\nStop every server that writes to the database before.')
    .action(async ({ from, to }: { from: string; to: string }) => copy(from, to));
}

async function copy(fromUrl: string, toUrl: string): Promise<void> {
  const source = readConfig({ ...process.env, DATABASE_URL: fromUrl });
  const target = readConfig({ ...process.env, DATABASE_URL: toUrl });
  if (isMissingFile(fromUrl)) throw new OperatorError(`There is no database at ${fromUrl}`);
  const from = await openStore(source);
  try {
    const account = await findAccount(from);
    if (!account) throw new OperatorError(`There is nothing to copy in ${withoutPassword(fromUrl)}`);
    await moveEverything({ from, accountId: account.id, target, advice: 'give a database that nothing is in' });
  } finally {
    await from.close();
  }
  process.stdout.write(`Everything is in ${withoutPassword(toUrl)}. Set DATABASE_URL to it and start the server.\n`);
}
