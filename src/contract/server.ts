import { MailTest, MailTestResult, ServerSettings, ServerState } from '#domain/server.ts';
import { endpoint } from './endpoint.ts';

const access = { needs: 'server.write', scope: 'account' } as const;

export const getServer = endpoint({
  method: 'GET',
  path: '/server',
  summary: 'Read the state of the server',
  description:
    'Its version, its settings, and how it is: database, disks, nodes, unsent mails, backups. What environment variables set is only shown.',
  access,
  // Nodes, mails and backups change without a command.
  showsHousekeeping: true,
  reply: ServerState,
  problems: [],
});

export const saveServerSettings = endpoint({
  method: 'PUT',
  path: '/server/settings',
  summary: 'Change how people sign in',
  description:
    'Takes effect at once, also for people who are signed in. A person who requires the second factor must have one.',
  access,
  body: ServerSettings,
  reply: ServerSettings,
  problems: ['second_factor_first'],
});

export const testMail = endpoint({
  method: 'POST',
  path: '/server/mail-test',
  summary: 'Send a test mail',
  description: 'Waits for the mail server, up to 20 seconds, and returns what it said. A key must name the address.',
  access,
  body: MailTest,
  reply: MailTestResult,
  problems: [],
});
