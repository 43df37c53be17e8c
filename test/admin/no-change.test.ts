/** A request for what is stored already answers 200 and leaves no trace. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import type { Received } from '#store/notices.ts';
import { type Answer, refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aDefinition, aProject, uniqueName } from '../support/build.ts';
import { onPostgres } from '../support/databases.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const heard: Received[] = [];
api.store.onCommit({
  onNotice: (received) => received.kind !== 'missed' && heard.push(received),
  failed: assert.ifError,
});

/** How many notices were heard. PostgreSQL tells a node of its own commits once more, later: this waits for those. */
async function countNotices(): Promise<number> {
  const last = { kind: 'editing', isEditing: true, actorId: uniqueName('last'), actorName: '' } as const;
  const place = { projectId: '', environmentId: '', flagId: '' };
  await api.store.write(async (tx) => tx.announce({ ...last, ...place }));
  const times = onPostgres ? 2 : 1;
  await until(
    'the last notice',
    () => heard.filter((one) => 'actorId' in one && one.actorId === last.actorId).length === times,
  );
  return heard.filter(({ kind }) => kind !== 'editing').length;
}

const project = await aProject(api);
const { flag, path: definition } = await aDefinedFlag(api, project, { trafficAllocation: 40 });
const ofFlag = `/splits/ws/${project.id}/${flag.name}`;
await api.post(`/tags/ws/${project.id}/object/${flag.name}/objecttype/Split`, ['one', 'two']);
const { body: group } = await api.post('/groups', { name: uniqueName('group'), description: 'some' });
const { body: user } = await api.post('/users', { email: `${uniqueName('u')}@example.com`, groups: [group.id] });
const { rolloutStatus, description } = (await api.get(ofFlag)).body;
const administrators = (await api.get('/groups')).body.objects.find(
  ({ name }: { name: string }) => name === 'Administrators',
);
const restriction = {
  resource: { id: project.id, type: 'workspace' },
  operations: { view: true },
  resourcePermissions: {
    view: [
      { type: 'group', id: administrators.id },
      { type: 'user', id: user.id },
    ],
  },
};
await api.put('/restrictions', restriction);

const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];

/** What is sent, twice where the first time is a change, and where the thing is read. */
const requests: Record<string, { send: () => Promise<Answer>; thing: string; isFirstAChange?: true }> = {
  'an empty patch of a definition': { send: () => api.patch(definition, []), thing: definition },
  'a patch of a definition with the value that is there': {
    send: () => api.patch(definition, replace('/trafficAllocation', 40)),
    thing: definition,
  },
  'a patch of a definition whose operations cancel each other out': {
    send: () => api.patch(definition, [...replace('/trafficAllocation', 1), ...replace('/trafficAllocation', 40)]),
    thing: definition,
  },
  'a definition replaced by itself, with its members in another order': {
    send: () =>
      api.put(definition, Object.fromEntries(Object.entries(aDefinition({ trafficAllocation: 40 })).toReversed())),
    thing: definition,
  },
  'restoring a definition that is live': { send: () => api.put(`${definition}/restore`), thing: definition },
  'a flag patched with the description that it has': {
    send: () => api.patch(ofFlag, replace('/description', description)),
    thing: ofFlag,
  },
  'a flag moved to the rollout status that it has': {
    send: () => api.patch(ofFlag, replace('/rolloutStatus/id', rolloutStatus.id)),
    thing: ofFlag,
  },
  'a flag described as it is': {
    send: () => api.put(`${ofFlag}/updateDescription`, description),
    thing: ofFlag,
  },
  'a flag tagged with the tags that it has': {
    send: () => api.post(`/tags/ws/${project.id}/object/${flag.name}/objecttype/Split`, ['one', 'two']),
    thing: ofFlag,
  },
  'a user replaced by the same': {
    send: () =>
      api.put(`/users/${user.id}`, {
        email: user.email,
        name: user.name,
        status: 'PENDING',
        '2fa': false,
        type: 'user',
      }),
    thing: `/users/${user.id}`,
  },
  'a user put into a group that has them': {
    send: () => api.patch(`/users/${user.id}`, [{ op: 'add', path: '/groups/-', value: { id: group.id } }]),
    thing: `/users/${user.id}`,
  },
  'a group replaced by the same': {
    send: () => api.put(`/groups/${group.id}`, { name: group.name, description: 'some' }),
    thing: `/groups/${group.id}`,
  },
  'a project patched with the name that it has': {
    send: () => api.patch(`/workspaces/${project.id}`, replace('/name', project.name)),
    thing: '/workspaces?limit=50',
  },
  'an environment patched with what it has': {
    send: () =>
      api.patch(`/environments/ws/${project.id}/${project.staging.id}`, replace('/name', project.staging.name)),
    thing: `/environments/ws/${project.id}`,
  },
  'a restriction replaced by the same': {
    send: () => api.put('/restrictions', restriction),
    thing: `/restrictions?resource_type=workspace&resource_id=${project.id}`,
  },
  'killing a definition that is killed': {
    send: () => api.put(`${definition}/kill`),
    thing: definition,
    isFirstAChange: true,
  },
};

const numberOf = async () =>
  (
    await api.store.one<{ n: number }>(
      sql`select change_number as n from environments where id = ${project.staging.id}`,
    )
  )?.n;

for (const [what, { send, thing, isFirstAChange }] of Object.entries(requests)) {
  test(`${what} leaves no trace`, async () => {
    if (isFirstAChange) await send();
    const [before, number, notices] = [await api.get(thing), await numberOf(), await countNotices()];
    const version = api.store.version('keys-and-paths');
    let answer: Answer | undefined;
    const recorded = await api.recorded(async () => {
      answer = await send();
    });
    assert.equal(answer?.status, 200, answer?.text);
    assert.deepEqual(recorded, []);
    const after = await api.get(thing);
    assert.deepEqual([after.body, after.headers.etag], [before.body, before.headers.etag]);
    if (thing === definition) {
      assert.deepEqual([answer.body, answer.headers.etag], [before.body, before.headers.etag]);
    }
    assert.equal(await numberOf(), number);
    assert.equal(api.store.version('keys-and-paths'), version, 'cached responses stay current');
    assert.equal(await countNotices(), notices);
  });
}

test('If-Match is checked all the same', async () => {
  refused(await api.patch(definition, [], { headers: { 'if-match': '"1-0"' } }), 412, /If-Match/);
  refused(await api.patch(ofFlag, [], { headers: { 'if-match': '"1-0"' } }), 412, /If-Match/);
});

test('a definition that has become invalid can be sent again as it is', async () => {
  const place = await aProject(api);
  const needed = await aDefinedFlag(api, place);
  const rules = [
    {
      buckets: [{ treatment: 'on', size: 100 }],
      condition: { matchers: [{ type: 'IN_SPLIT', depends: { splitName: needed.flag.name, treatments: ['on'] } }] },
    },
  ];
  const { path } = await aDefinedFlag(api, place, { rules });
  await api.delete(`/splits/ws/${place.id}/${needed.flag.name}`);
  const again = await api.put(path, aDefinition({ rules }));
  assert.equal(again.status, 200, again.text);
});
