import type { Command } from 'commander';
import { invitationLink } from '#jobs/outbox.ts';
import { listOutbox } from '#store/outbox.ts';
import { readConfig } from '../config.ts';
import { withStore } from './store.ts';
import { printTable } from './table.ts';

export function addOutboxCommands(program: Command): void {
  const outbox = program.command('outbox').description('mails that wait to be sent');
  outbox.command('list').description('list the invitations and their links, oldest first').action(list);
}

const list = () =>
  withStore(async ({ store }) => {
    const { publicUrl, host, port } = readConfig(process.env);
    const url = publicUrl ?? `http://${host}:${port}`;
    const entries = await listOutbox(store);
    printTable(
      ['to', 'link', 'expires'],
      entries.map((entry) => [
        entry.payload.email,
        invitationLink(url, entry),
        new Date(entry.payload.expiresAt).toISOString(),
      ]),
    );
  });
