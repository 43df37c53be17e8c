import type { Command } from 'commander';
import { linkOf } from '#jobs/mail.ts';
import { isMail, listOutbox, type OutboxEntry } from '#store/outbox.ts';
import { publicUrlOf, withStore } from './store.ts';
import { printTable } from './table.ts';

export function addOutboxCommands(program: Command): void {
  const outbox = program.command('outbox').description('list unsent mails and other queued work');
  outbox
    .command('list')
    .description('list unsent entries, oldest first: mails with their links, others with their target')
    .action(list);
}

const list = () =>
  withStore(async ({ store }) => {
    const url = publicUrlOf();
    const entries = await listOutbox(store);
    printTable(
      ['to', 'what', 'link', 'expires', 'state'],
      entries.map((entry) => [...columnsOf(entry, url), stateOf(entry)]),
    );
  });

function columnsOf(entry: OutboxEntry, url: string): string[] {
  if (!isMail(entry)) return [entry.target, entry.kind, '', ''];
  const { email, kind, expiresAt } = entry.payload;
  return [email, kind, linkOf(url, entry.payload), new Date(expiresAt).toISOString()];
}

function stateOf({ attempts, lastError, givenUpAt }: OutboxEntry): string {
  if (givenUpAt !== undefined) return `given up: ${lastError}`;
  return lastError === undefined ? 'waiting' : `tried ${attempts} times: ${lastError}`;
}
