import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailServer } from '../support/mail-server.ts';
import { startTwoNodes, until } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';

test('fifty invitations through two nodes with one mail server: each mail is sent exactly once', async () => {
  const mailServer = await startMailServer();
  const burgee = anInstallation();
  const nodes = await startTwoNodes(burgee, { SMTP_URL: mailServer.url, MAIL_FROM: 'Burgee <burgee@example.com>' });
  const addresses = Array.from({ length: 50 }, (_, index) => `person-${index}@example.com`);
  const answers = await Promise.all(
    addresses.map((email, index) => nodes[index % 2 === 0 ? 0 : 1].post('/users', { email })),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  await until('the outbox is empty', async () => (await burgee.rows('select 1 from outbox')).length === 0);
  // What is under way is settled before a node ends.
  const ended = await Promise.all(nodes.map(({ node }) => node.end('SIGTERM')));
  assert.deepEqual(mailServer.mails.flatMap(({ recipients }) => recipients).sort(), addresses.toSorted());
  const sent = ended.map(({ stdout }) => stdout.match(/"mail sent"/g)?.length ?? 0);
  assert.ok(
    sent.every((count) => count > 0),
    `the work is not shared: ${sent}`,
  );
});
