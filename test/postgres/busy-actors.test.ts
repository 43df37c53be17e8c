/** Revoking access from someone who writes continuously takes effect soon, and for good. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { accountPrefix } from '#contract/parts.ts';
import type { Answer } from '../support/app.ts';
import { aDefinedFlag, aProject, uniqueName } from '../support/build.ts';
import { countWaiting, hold } from '../support/locks.ts';
import { type Asked, startTwoNodes } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { cookieOf, goodPassword } from '../support/session.ts';
import { until } from '../support/until.ts';

const burgee = anInstallation();
const nodes = await startTwoNodes(burgee);
const [one, other] = nodes;
const administratorsId: string = (await one.get('/groups?limit=1')).body.objects[0].id;

/** Far above what a revocation takes, and far below the eight seconds after which a request is refused. */
const soonMs = 2_000;

async function aBusyKey(): Promise<{ id: string; asked: Asked }> {
  const { body } = await one.post('/apiKeys', { name: uniqueName('busy'), apiKeyType: 'admin' });
  return { id: body.id, asked: { as: body.key } };
}

const aBusyAdministrator = () => aPersonIn([administratorsId]);

/** A person who is signed in. */
async function aPersonIn(groupIds: readonly string[]): Promise<{ id: string; asked: Asked }> {
  const email = `${uniqueName('person')}@example.com`;
  const { body } = await one.post('/users', { email, groups: groupIds.map((id) => ({ id, type: 'group' })) });
  const mails = await burgee.rows<{ payload: string }>('select payload from outbox');
  const mail = mails.map(({ payload }) => JSON.parse(payload)).find((each) => each.email === email);
  const answer = await one.ask('POST', `${accountPrefix}/invitations/${mail.token}`, {
    as: null,
    body: { name: 'Ada Lovelace', password: goodPassword },
  });
  assert.equal(answer.status, 200, answer.text);
  return { id: body.id, asked: { as: null, cookie: cookieOf(answer)?.pair ?? '' } };
}

// One who stays: the last administrator can be neither deactivated nor demoted.
await aBusyAdministrator();

/** Eight clients of each node who make groups, one after the other, until they are refused. */
async function writingUntilRefused(asked: Asked) {
  const refusals: Answer[] = [];
  let written = 0;
  let isOver = false;
  after(() => {
    isOver = true;
  });
  let underway: () => void;
  const isUnderway = new Promise<void>((resolve) => {
    underway = resolve;
  });
  const clients = nodes.flatMap((node) =>
    Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const answer = await node.ask('POST', '/groups', { ...asked, body: { name: uniqueName('group') } });
        if (answer.status !== 200) return void refusals.push(answer);
        written += 1;
        if (written === 100) underway();
      }
    }),
  );
  await isUnderway;
  return { refusals: async () => Promise.all(clients).then(() => refusals) };
}

const endings: Record<string, [status: number, busy: typeof aBusyKey, end: (id: string) => Promise<Answer>]> = {
  'a key is revoked': [401, aBusyKey, (id) => one.delete(`/apiKeys/${id}`)],
  'a person is deactivated': [
    401,
    aBusyAdministrator,
    (id) => one.patch(`/users/${id}`, [{ op: 'replace', path: '/status', value: 'DEACTIVATED' }]),
  ],
  'a person is demoted': [
    403,
    aBusyAdministrator,
    (id) => one.patch(`/users/${id}`, [{ op: 'replace', path: '/groups', value: [] }]),
  ],
};

for (const [what, [status, busy, end]] of Object.entries(endings)) {
  test(`${what} soon, while 16 clients write in that name`, async () => {
    const { id, asked } = await busy();
    const { refusals } = await writingUntilRefused(asked);
    const begun = performance.now();
    const ended = await end(id);
    const milliseconds = performance.now() - begun;
    assert.equal(ended.status, 200, ended.text);
    assert.ok(milliseconds < soonMs, `after ${milliseconds} ms`);
    const counted = await burgee.rows('select 1 from groups');
    assert.deepEqual([...new Set((await refusals()).map((answer) => answer.status))], [status]);
    assert.equal((await burgee.rows('select 1 from groups')).length, counted.length, 'nothing is written afterwards');
  });
}

const restrict = (projectId: string, groupIds: readonly string[]) =>
  one.ask('PUT', '/restrictions', {
    body: {
      resource: { id: projectId, type: 'workspace' },
      operations: { view: true },
      resourcePermissions: { view: groupIds.map((id) => ({ id, type: 'group' })) },
    },
  });

const closings: Record<string, (place: { projectId: string; groupId: string }) => Promise<Answer>> = {
  'the project is closed to the group': ({ projectId }) => restrict(projectId, [administratorsId]),
  'the group is deleted': ({ groupId }) => one.delete(`/groups/${groupId}`),
};

for (const [what, close] of Object.entries(closings)) {
  test(`when ${what}, a change of a member is committed before that or not at all`, async () => {
    const project = await aProject(one);
    const { path } = await aDefinedFlag(one, project);
    const { body: group } = await one.post('/groups', { name: uniqueName('group') });
    assert.equal((await restrict(project.id, [administratorsId, group.id])).status, 200);
    const member = await aPersonIn([group.id]);
    const release = await hold(
      await burgee.databaseUrl(),
      `select 1 from environments where id = '${project.staging.id}' for update`,
    );
    const order: string[] = [];
    const patch = [{ op: 'replace', path: '/trafficAllocation', value: 7 }];
    // It has been let in, and waits for the environment.
    const changed = other.ask('PATCH', path, { ...member.asked, body: patch }).then((answer) => {
      order.push('changed');
      return answer;
    });
    await until('the change waits', async () => (await countWaiting(burgee)) === 1);
    const closed = close({ projectId: project.id, groupId: group.id }).then((answer) => {
      order.push('closed');
      return answer;
    });
    await until('closing waits or is done', async () => (await countWaiting(burgee)) === 2 || order.length > 0);
    await release();
    assert.deepEqual([(await changed).status, (await closed).status], [200, 200]);
    assert.deepEqual(order, ['changed', 'closed']);
    assert.equal((await other.ask('PATCH', path, { ...member.asked, body: patch })).status, 404);
  });
}
