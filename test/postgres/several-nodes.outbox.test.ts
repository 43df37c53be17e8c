import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailServer } from '../support/mail-server.ts';
import { startTwoNodes } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { until } from '../support/until.ts';

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

test('a mail that one node is sending is left alone by the other, which continues with the rest', async () => {
  const mailServer = await startMailServer();
  mailServer.manner = 'holds';
  const burgee = anInstallation();
  const nodes = await startTwoNodes(burgee, { SMTP_URL: mailServer.url, MAIL_FROM: 'Burgee <burgee@example.com>' });
  const addresses = Array.from({ length: 8 }, (_, index) => `person-${index}@example.com`);
  // Each invitation wakes both nodes, while the mails before it are held.
  for (const [index, email] of addresses.entries()) {
    assert.equal((await nodes[index % 2 === 0 ? 0 : 1].post('/users', { email })).status, 200);
    await mailServer.nextMail();
  }
  assert.equal((await burgee.rows('select 1 from outbox where attempts = 1')).length, addresses.length);
  mailServer.release();
  await until('the outbox is empty', async () => (await burgee.rows('select 1 from outbox')).length === 0);
  assert.deepEqual(mailServer.mails.flatMap(({ recipients }) => recipients).sort(), addresses);
});
