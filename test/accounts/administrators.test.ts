import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Role } from '#domain/access.ts';
import { type Answer, refused } from '../support/app.ts';
import {
  account,
  administratorsId,
  anEmail,
  aPerson,
  askForReset,
  fromBrowser,
  invite,
  type Person,
  setUpAdministrator,
  startAccounts,
  tokenFor,
} from '../support/session.ts';

const api = await startAccounts();
const boss = await setUpAdministrator(api);
const groupId = await administratorsId(api);
const group = { id: groupId, type: 'group' };

const keyWith = async (...roles: Role[]) => ({ as: await api.key({ roles }) });
/** May invite and change people, and has not all permissions. */
const userAdmin = await keyWith('API_ADMIN');
const almostAll = await keyWith('API_ADMIN', 'API_APIKEY', 'API_FEATURE_FLAG_VIEWER');
const everything = await keyWith('API_ALL_GRANTED');

const sentence = 'Only administrators, and keys with all permissions, can invite, change or delete an administrator';
const replacing = (path: string, value: unknown) => [{ op: 'replace', path, value }];
const anAdministrator = () => aPerson(api, { groups: [groupId] });

async function withSecondFactor(person: Person): Promise<Person> {
  const { secret } = (await api.post(account('/2fa'), { password: person.password }, person.signedIn)).body;
  const code = new TOTP({ secret }).generate();
  assert.equal((await api.post(account('/2fa/confirm'), { code }, person.signedIn)).status, 200);
  return person;
}

type Caller = { readonly as: string } | Person['signedIn'];
/** Each makes an administrator, or changes one. */
const deeds: Record<string, () => Promise<(caller: Caller) => Promise<Answer>>> = {
  'inviting one': async () => (caller) => api.post('/users', { email: anEmail(), groups: [groupId] }, caller),
  'putting somebody into the group': async () => {
    const { id } = await aPerson(api);
    return (caller) => api.patch(`/users/${id}`, [{ op: 'add', path: '/groups/-', value: group }], caller);
  },
  'taking one out of the group': async () => {
    const { id } = await anAdministrator();
    return (caller) => api.patch(`/users/${id}`, [{ op: 'remove', path: `/groups/${groupId}` }], caller);
  },
  'giving one another address': async () => {
    const { id } = await anAdministrator();
    return (caller) => api.patch(`/users/${id}`, replacing('/email', anEmail()), caller);
  },
  'replacing one': async () => {
    const { id, name } = await anAdministrator();
    const body = { email: anEmail(), name, status: 'ACTIVE', '2fa': false, type: 'user' };
    return (caller) => api.put(`/users/${id}`, body, caller);
  },
  'deactivating one': async () => {
    const { id } = await anAdministrator();
    return (caller) => api.patch(`/users/${id}`, replacing('/status', 'DEACTIVATED'), caller);
  },
  'switching the second factor of one off': async () => {
    const { id } = await withSecondFactor(await anAdministrator());
    return (caller) => api.patch(`/users/${id}`, replacing('/2fa', false), caller);
  },
  'inviting one again': async () => {
    const { id } = await invite(api, { groups: [groupId] });
    return (caller) => api.post(account(`/users/${id}/resend-invitation`), undefined, caller);
  },
  'deleting one who is invited': async () => {
    const { id } = await invite(api, { groups: [groupId] });
    return (caller) => api.delete(`/users/${id}`, caller);
  },
};

for (const [what, prepare] of Object.entries(deeds)) {
  describe(what, () => {
    test('is refused to keys that have not all permissions, and nothing happens', async () => {
      const deed = await prepare();
      const actions = await api.recorded(async () => {
        for (const key of [userAdmin, almostAll]) refused(await deed(key), 403, sentence);
      });
      assert.deepEqual(actions, []);
    });
    test('is done by keys that have, and by administrators', async () => {
      for (const caller of [everything, boss.signedIn]) {
        const { status, text } = await (await prepare())(caller);
        assert.equal(status, 200, text);
      }
    });
  });
}

test('keys that may invite people still do what is not about administrators', async () => {
  const { status, body } = await api.post('/users', { email: anEmail() }, userAdmin);
  assert.equal(status, 200);
  assert.equal((await api.patch(`/users/${body.id}`, replacing('/name', 'Bob'), userAdmin)).status, 200);
  assert.equal((await api.delete(`/users/${body.id}`, userAdmin)).status, 200);
});

test('the outbox shows such keys no link that opens an account or makes an administrator', async () => {
  const [member, chief, person] = [await invite(api), await invite(api, { groups: [groupId] }), await aPerson(api)];
  await askForReset(api, person.email);
  await askForReset(api, boss.email);
  const seenBy = async (caller: Caller) => {
    const mails: { email: string; kind: string }[] = (await api.get(account('/outbox'), caller)).body;
    const ours = [member.email, chief.email, person.email, boss.email];
    return mails.filter(({ email }) => ours.includes(email)).map(({ email, kind }) => `${kind} ${email}`);
  };
  const shown = `invitation ${member.email}`;
  for (const key of [userAdmin, almostAll]) assert.deepEqual(await seenBy(key), [shown]);
  const all = [shown, `invitation ${chief.email}`, `password-reset ${person.email}`, `password-reset ${boss.email}`];
  for (const caller of [everything, boss.signedIn]) assert.deepEqual(await seenBy(caller), all);
});

test('an invited user who is made an administrator gets a new link, because others may have read the first one', async () => {
  const { id, email, token } = await invite(api);
  const join = [{ op: 'add', path: '/groups/-', value: group }];
  assert.equal((await api.patch(`/users/${id}`, join, boss.signedIn)).status, 200);
  const fresh = await tokenFor(api, email, 'invitation');
  assert.notEqual(fresh, token);
  const accept = (word: string) =>
    api.post(account(`/invitations/${word}`), { name: 'Ada', password: 'seven quiet herons wade' }, fromBrowser());
  assert.equal((await accept(token)).status, 404);
  assert.equal((await accept(fresh)).body.administrator, true);
});

describe('what somebody else does to an account', () => {
  const session = ({ signedIn }: Person) => api.get(account('/session'), signedIn);
  const change = async (person: Person, path: string, value: unknown, by: Caller) => {
    const { status, text } = await api.patch(`/users/${person.id}`, replacing(path, value), by);
    assert.equal(status, 200, text);
  };

  test('another address ends the sessions', async () => {
    const person = await aPerson(api);
    await change(person, '/email', anEmail(), boss.signedIn);
    refused(await session(person), 401, 'Sign in first');
  });

  test('switching the second factor off ends the sessions', async () => {
    const person = await withSecondFactor(await aPerson(api));
    await change(person, '/2fa', false, everything);
    refused(await session(person), 401, 'Sign in first');
  });

  test('another name does not, nor what an administrator does to the own account', async () => {
    const person = await aPerson(api);
    await change(person, '/name', 'Ada King', boss.signedIn);
    assert.equal((await session(person)).status, 200);
    const chief = await withSecondFactor(await anAdministrator());
    await change(chief, '/email', anEmail(), chief.signedIn);
    await change(chief, '/2fa', false, chief.signedIn);
    assert.equal((await session(chief)).status, 200);
  });
});
