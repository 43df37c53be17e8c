/** Keys, sessions and links: what one node ends or uses up is over on all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountPrefix, prefix } from '#contract/parts.ts';
import type { Answer } from '../support/app.ts';
import { aDefinition, aFlag, aProject, uniqueName } from '../support/build.ts';
import { type Client, publicUrl, startTwoNodes } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { cookieOf, goodPassword } from '../support/session.ts';
import { slowRequest } from '../support/slow-request.ts';
import { until } from '../support/until.ts';

const burgee = anInstallation();
const nodes = await startTwoNodes(burgee);
const [one, other] = nodes;
const administratorsId: string = (await one.get('/groups?limit=1')).body.objects[0].id;

/** As a page sends it: without a key, with the session cookie if there is one. */
const fromPage = (client: Client, [method, path]: [method: string, path: string], body?: unknown, cookie?: string) =>
  client.ask(method, accountPrefix + path, { as: null, body, ...(cookie === undefined ? {} : { cookie }) });

const whoAmI = (client: Client, cookie: string) => fromPage(client, ['GET', '/session'], undefined, cookie);

async function tokenFor(email: string, kind: string): Promise<string> {
  const rows = await burgee.rows<{ payload: string }>('select payload from outbox');
  const mails = rows.map(({ payload }) => JSON.parse(payload) as { email: string; kind: string; token: string });
  return mails.find((mail) => mail.email === email && mail.kind === kind)?.token ?? assert.fail(`no ${kind}`);
}

async function invite(groups: readonly string[] = []) {
  const email = `${uniqueName('person')}@example.com`;
  const { body } = await one.post('/users', { email, groups });
  return { id: body.id as string, email, token: await tokenFor(email, 'invitation') };
}

interface Person {
  readonly id: string;
  readonly email: string;
  readonly cookie: string;
}

/** An ACTIVE user with a session. */
async function aPerson(groups: readonly string[] = []): Promise<Person> {
  const { id, email, token } = await invite(groups);
  const answer = await accept(one, token);
  assert.equal(answer.status, 200, answer.text);
  return { id, email, cookie: cookieOf(answer)?.pair ?? '' };
}

const accept = (client: Client, token: string) =>
  fromPage(client, ['POST', `/invitations/${token}`], { name: 'Ada Lovelace', password: goodPassword });

test('a key that one node revokes opens nothing on the other, at once', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { body } = await one.post('/apiKeys', { name: uniqueName('key'), apiKeyType: 'admin' });
    const asked = () => other.ask('GET', '/workspaces', { as: body.key });
    assert.equal((await asked()).status, 200);
    assert.equal((await one.delete(`/apiKeys/${body.id}`)).status, 200);
    assert.equal((await asked()).status, 401);
  }
});

test('a person whom one node deactivates or signs out is out on the other, at once', async () => {
  const endings: Record<string, (person: Person) => Promise<Answer>> = {
    deactivated: ({ id }) => one.patch(`/users/${id}`, [{ op: 'replace', path: '/status', value: 'DEACTIVATED' }]),
    'signed out': ({ cookie }) => fromPage(one, ['DELETE', '/session'], undefined, cookie),
  };
  for (const [ending, end] of Object.entries(endings)) {
    const person = await aPerson();
    assert.equal((await whoAmI(other, person.cookie)).status, 200);
    const ended = await end(person);
    assert.equal(ended.status, 200, ended.text);
    assert.equal((await whoAmI(other, person.cookie)).status, 401, ending);
  }
});

test('a right that one node ends while the body is on its way to the other is refused there', async () => {
  const project = await aProject(one);
  const flag = await aFlag(one, project);
  const path = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  assert.equal((await one.post(path, aDefinition())).status, 200);
  const { body: group } = await one.post('/groups', { name: uniqueName('group') });
  const only = (...grantees: unknown[]) => ({ restricted: true, grantees });
  const set = async (update: object) => {
    const answer = await one.ask('PUT', `/workspaces/${project.id}/access`, { body: update });
    assert.equal(answer.status, 200, answer.text);
  };
  const inProduction = (lists: object) => set({ environments: [{ id: project.production.id, ...lists }] });
  const open = { view: { restricted: false }, edit: { restricted: false } };
  const endings: Record<string, readonly [before: object, status: number, end: (person: Person) => Promise<unknown>]> =
    {
      'editing is restricted': [open, 403, () => set({ edit: only() })],
      'the project is closed': [open, 404, () => set({ view: only({ id: administratorsId, type: 'group' }) })],
      'nobody but editors may kill': [{ ...open, edit: only() }, 403, () => inProduction({ killers: [] })],
      'the person leaves the group': [
        { ...open, edit: only({ id: group.id, type: 'group' }) },
        403,
        ({ id }) => one.patch(`/users/${id}`, [{ op: 'replace', path: '/groups', value: [] }]),
      ],
    };
  for (const [what, [before, status, end]] of Object.entries(endings)) {
    const person = await aPerson([group.id]);
    await set(before);
    await inProduction({ killers: what.endsWith('may kill') ? [{ id: person.id, type: 'user' }] : [] });
    const kill = (meanwhile: () => Promise<unknown>) =>
      slowRequest(
        `${other.node.url}${prefix}${path}/kill`,
        { method: 'PUT', headers: { origin: publicUrl, cookie: person.cookie }, body: { comment: what } },
        meanwhile,
      );
    assert.equal((await kill(async () => undefined)).status, 200, what);
    const answer = await kill(() => end(person));
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
  }
});

test('a right that one node gives or takes counts on the other with the next request, cached reads included', async () => {
  const project = await aProject(one);
  const flag = await aFlag(one, project);
  const path = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  assert.equal((await one.post(path, aDefinition())).status, 200);
  const person = await aPerson();
  const { body: key } = await one.post('/apiKeys', {
    name: uniqueName('key'),
    apiKeyType: 'admin',
    roles: ['API_FEATURE_FLAG_EDITOR'],
  });
  const grantees = [
    { id: person.id, type: 'user' },
    { id: key.id, type: 'api_key' },
  ];
  const administrators = { id: administratorsId, type: 'group' };
  const set = async (update: object) => {
    const answer = await one.ask('PUT', `/workspaces/${project.id}/access`, { body: update });
    assert.equal(answer.status, 200, answer.text);
  };
  const inProduction = (lists: object) => set({ environments: [{ id: project.production.id, ...lists }] });
  const flags = `/splits/ws/${project.id}`;
  const patch = [{ op: 'replace', path: '/defaultTreatment', value: 'off' }];
  const rights: [give: object, take: object, method: string, path: string, body: unknown, status: number][] = [
    [
      { view: { restricted: true, grantees: [administrators, ...grantees] } },
      { view: { restricted: true, grantees: [administrators] } },
      ...(['GET', flags, undefined, 404] as const),
    ],
    [
      { view: { restricted: true, grantees: [administrators, ...grantees] } },
      { view: { restricted: true, grantees: [administrators] } },
      ...(['GET', path, undefined, 404] as const),
    ],
    [
      { view: { restricted: false }, edit: { restricted: true, grantees } },
      { edit: { restricted: true, grantees: [] } },
      ...(['PATCH', path, patch, 403] as const),
    ],
  ];
  for (let round = 0; round < 3; round += 1) {
    for (const [give, take, method, asked, body, status] of rights) {
      const ask = async (expected: number) => {
        for (const who of [{ as: null, cookie: person.cookie }, { as: key.key as string }]) {
          // Twice, so that the second may come from a cache.
          for (const answer of [
            await other.ask(method, asked, { ...who, body }),
            await other.ask(method, asked, { ...who, body }),
          ]) {
            assert.equal(answer.status, expected, `${method} ${asked} ${answer.text}`);
          }
        }
      };
      await set(give);
      await ask(200);
      await set(take);
      await ask(status);
    }
    const kill = async (expected: number) => {
      const answer = await other.ask('PUT', `${path}/${round % 2 ? 'restore' : 'kill'}`, {
        as: null,
        cookie: person.cookie,
        body: {},
      });
      assert.equal(answer.status, expected, answer.text);
    };
    await inProduction({ killers: [{ id: person.id, type: 'user' }] });
    await kill(200);
    await inProduction({ killers: [] });
    await kill(403);
  }
});

test('of two administrators who deactivate each other through different nodes, one remains', async () => {
  let last = await aPerson([administratorsId]);
  for (let round = 0; round < 5; round += 1) {
    const pair = [last, await aPerson([administratorsId])] as const;
    const deactivate = (client: Client, by: Person, whom: Person) =>
      client.ask('PATCH', `/users/${whom.id}`, {
        as: null,
        cookie: by.cookie,
        body: [{ op: 'replace', path: '/status', value: 'DEACTIVATED' }],
      });
    const answers = await Promise.all([deactivate(one, pair[0], pair[1]), deactivate(other, pair[1], pair[0])]);
    // The other one is refused as the last, or was signed out by the first.
    const statuses = answers.map(({ status }) => status).sort();
    assert.ok(['200,400', '200,401'].includes(String(statuses)), String(statuses));
    last = answers[0].status === 200 ? pair[0] : pair[1];
    assert.equal((await other.get(`/users/${last.id}`)).body.status, 'ACTIVE');
    assert.equal((await whoAmI(other, last.cookie)).status, 200);
  }
});

test('the link of an invitation that is used through two nodes at once works once', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id, token } = await invite();
    const answers = await Promise.all(nodes.map((client) => accept(client, token)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
    const accepted = await burgee.rows(`select 1 from changes where action = 'user.accepted' and object_id = '${id}'`);
    const sessions = await burgee.rows(`select 1 from sessions where user_id = '${id}'`);
    assert.deepEqual([accepted.length, sessions.length], [1, 1]);
  }
});

test('the link to a new password that is used through two nodes at once works once', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id, email } = await aPerson();
    assert.equal((await fromPage(one, ['POST', '/password-reset'], { email })).status, 200);
    const isMailed = async () => (await burgee.rows(`select 1 from reset_mails where user_id = '${id}'`)).length > 0;
    await until('the link is mailed', isMailed);
    const token = await tokenFor(email, 'password-reset');
    const passwords = ['seven grey storms passed', 'eleven red boats sailed'];
    const answers = await Promise.all(
      nodes.map((client, index) =>
        fromPage(client, ['POST', `/password-reset/${token}`], { password: passwords[index] }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
    const reset = await burgee.rows(
      `select 1 from changes where action = 'user.password_reset' and object_id = '${id}'`,
    );
    assert.equal(reset.length, 1);
    const winner = answers.findIndex(({ status }) => status === 200);
    for (const [index, password] of passwords.entries()) {
      const signedIn = await fromPage(other, ['POST', '/session'], { email, password });
      assert.equal(signedIn.status, index === winner ? 200 : 401);
    }
  }
});
