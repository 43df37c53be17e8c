import type { Command } from 'commander';
import { linkOf } from '#jobs/mail.ts';
import { listOutbox, type OutboxEntry } from '#store/outbox.ts';
import { publicUrlOf, withStore } from './store.ts';
import { printTable } from './table.ts';

export function addOutboxCommands(program: Command): void {
  const outbox = program.command('outbox').description('mails that wait to be sent');
  outbox.command('list').description('list the mails that are not sent, with their links, oldest first').action(list);
}

const list = () =>
  withStore(async ({ store }) => {
    const url = publicUrlOf();
    const entries = await listOutbox(store);
    printTable(
      ['to', 'what', 'link', 'expires', 'state'],
      entries.map((entry) => [
        entry.mail.email,
        entry.mail.kind,
        linkOf(url, entry.mail),
        new Date(entry.mail.expiresAt).toISOString(),
        stateOf(entry),
      ]),
    );
  });

function stateOf({ attempts, lastError, givenUpAt }: OutboxEntry): string {
  if (givenUpAt !== undefined) return `given up: ${lastError}`;
  return lastError === undefined ? 'waiting' : `tried ${attempts} times: ${lastError}`;
}
