/** Names are shown in tables, terminals and mails: nothing in them may be taken for anything but a name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { type Answer, refused } from '../support/app.ts';
import { aFlag, aProject, uniqueName } from '../support/build.ts';
import { account, anEmail, aPerson, fromBrowser, goodPassword, invite, startAccounts } from '../support/session.ts';

const api = await startAccounts();
const project = await aProject(api);
const flag = await aFlag(api, project);

/** Where a name comes in → the request with it. */
const places: Record<string, (name: string) => Promise<Answer>> = {
  'a project': (name) => api.post('/workspaces', { name }),
  'an environment': (name) => api.post(`/environments/ws/${project.id}`, { name }),
  'a group': (name) => api.post('/groups', { name }),
  'a key': (name) => api.post('/apiKeys', { name, apiKeyType: 'admin', roles: ['API_ALL_GRANTED'] }),
  'a user': async (name) =>
    api.patch(`/users/${(await invite(api)).id}`, [{ op: 'replace', path: '/name', value: name }]),
  'an accepted invitation': async (name) =>
    api.post(account(`/invitations/${(await invite(api)).token}`), { name, password: goodPassword }, fromBrowser()),
  'a tag': (name) =>
    api.patch(`/splits/ws/${project.id}/${flag.name}`, [{ op: 'add', path: '/tags/-', value: { name } }]),
  'a tag that is set': (name) => api.post(`/tags/ws/${project.id}/object/${flag.name}/objecttype/Split`, [name]),
};
const controls = [
  '\r\n',
  '\n',
  '\t',
  '\u001b[2J',
  '\u007f',
  '\u009b',
  '\u2028',
  '\u2029',
  '\u202e',
  '\u2066',
  '\u200f',
];

for (const [place, send] of Object.entries(places)) {
  test(`the name of ${place} has no control characters, line separators or turns of direction`, async () => {
    for (const control of controls) {
      refused(await send(`${uniqueName('n')}${control}x`), 400, /must not (be blank or )?contain control characters$/);
    }
    const { status, text } = await send(`${uniqueName('n')} Zoë שלום`);
    assert.equal(status, 200, text);
  });
}

test('an address is not quoted: between quotes mail servers read another address', async () => {
  for (const email of ['"a\r\nBcc: evil@evil.com\r\nX: "@example.com', '"a b"@example.com', '"a"@example.com']) {
    assert.equal((await api.post('/users', { email })).status, 400, email);
  }
  const [apostrophe] = anEmail().split('@');
  assert.equal((await api.post('/users', { email: `o'${apostrophe}+flags@example.com` })).status, 200);
});

test('a user whom an earlier release accepted with such a name and address can still be deactivated', async () => {
  const { id } = await aPerson(api);
  const email = `"${uniqueName('a b')}"@example.com`;
  await api.store.write((tx) =>
    tx.run(sql`update users set name = ${'a\nb'}, email = ${email}, email_key = ${email} where id = ${id}`),
  );
  const { status, body } = await api.patch(`/users/${id}`, [{ op: 'replace', path: '/status', value: 'DEACTIVATED' }]);
  assert.deepEqual([status, body.status], [200, 'DEACTIVATED']);
});
