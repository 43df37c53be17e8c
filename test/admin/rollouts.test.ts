/** How a definition was rolled out: the timeline on the flag page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RolloutHistory } from '#domain/rollouts.ts';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aFlag, aProject } from '../support/build.ts';

const api = await startApi();

const split = (on: number) => [
  { treatment: 'on', size: on },
  { treatment: 'off', size: 100 - on },
];
const set = (path: string, member: string, value: unknown) =>
  api.patch(path, [{ op: 'add', path: `/${member}`, value }]);

async function historyOf(path: string, from = 0) {
  const answer = await api.get(`${path}/rollout?from=${from}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as RolloutHistory;
}

const sharesOfOn = ({ points }: Awaited<ReturnType<typeof historyOf>>) =>
  points.map(({ shares }) => shares.find(({ treatment }) => treatment === 'on')?.size ?? 0);

test('every change of the shares, the allocation and the kill is a point; what changes none is not', async () => {
  const { path } = await aDefinedFlag(api, await aProject(api), { defaultRule: split(10) });
  await set(path, 'defaultRule', split(40));
  await set(path, 'trafficAllocation', 50);
  await set(path, 'treatments/0/description', 'no point');
  await api.put(`${path}/kill`, {});
  await api.put(`${path}/restore`, {});
  const history = await historyOf(path);
  assert.deepEqual(sharesOfOn(history), [0, 10, 40, 20, 0, 20]);
  assert.equal(history.since, 0);
  assert.deepEqual(
    history.points.map(({ shares, allocation, killed }) => [shares.length > 0, allocation, killed]),
    [
      [false, 0, false],
      [true, 100, false],
      [true, 100, false],
      [true, 50, false],
      [true, 50, true],
      [true, 50, false],
    ],
    'before it was defined, there are no shares',
  );
  const times = history.points.map(({ at }) => at);
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  );
});

test('every change has an entry that names who made it and why, whether it changed shares or not', async () => {
  const { path } = await aDefinedFlag(api, await aProject(api), { defaultRule: split(10) });
  await api.patch(`${path}?title=Ramp%20up`, [{ op: 'replace', path: '/defaultRule', value: split(40) }]);
  await set(path, 'treatments/0/description', 'no point');
  await api.put(`${path}/kill`, {});
  const { changes, points, leftOut } = await historyOf(path, Date.now() - 60_000);
  assert.equal(leftOut, 0);
  const total = changes.reduce((sum, { count }) => sum + count, 0);
  assert.equal(total, 4);
  assert.deepEqual(changes.at(-1)?.action, 'definition.killed');
  assert.equal(changes.at(-1)?.at, points.at(-1)?.at);
  assert.equal(changes.at(-1)?.editor.type, 'api_key');
  assert.equal((await api.get(`/auditLogs?limit=1`)).body.data[0].id, changes.at(-1)?.id);
});

test('the line starts with what was in force then', async () => {
  const { path } = await aDefinedFlag(api, await aProject(api), { defaultRule: split(10) });
  await set(path, 'defaultRule', split(40));
  const later = Date.now() + 60_000;
  assert.deepEqual(await historyOf(path, later), {
    since: later,
    points: [{ at: later, shares: split(40), killed: false, allocation: 100, defaultTreatment: 'off' }],
    changes: [],
    leftOut: 0,
  });
});

test('only what was done in this environment counts, and only to the definition that is there now', async () => {
  const project = await aProject(api);
  const { flag, path } = await aDefinedFlag(api, project, { defaultRule: split(10) });
  const other = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  assert.equal((await api.get(`${other}/rollout?from=0`)).status, 404);
  await api.post(other, {
    treatments: [{ name: 'on' }, { name: 'off' }],
    defaultTreatment: 'off',
    defaultRule: split(90),
  });
  await set(other, 'defaultRule', split(95));
  assert.deepEqual(sharesOfOn(await historyOf(path)), [0, 10]);
  await api.delete(other);
  await api.post(other, {
    treatments: [{ name: 'on' }, { name: 'off' }],
    defaultTreatment: 'off',
    defaultRule: split(1),
  });
  assert.deepEqual(sharesOfOn(await historyOf(other)), [0, 1]);
});

test('if there are too many changes, some have no point, and the response says so; kills always have one', async () => {
  const keys = Array.from({ length: 40_000 }, (_, index) => `key-${index}`);
  const treatments = [{ name: 'on', keys }, { name: 'off' }];
  const { path } = await aDefinedFlag(api, await aProject(api), { treatments, defaultRule: split(10) });
  for (const share of [20, 30]) await set(path, 'defaultRule', split(share));
  await api.put(`${path}/kill`, {});
  await api.put(`${path}/restore`, {});
  await set(path, 'defaultRule', split(40));
  const history = await historyOf(path);
  assert.equal(history.since, 0);
  assert.deepEqual(
    history.points.map(({ killed }) => killed),
    [false, false, true, false, false],
  );
  assert.deepEqual(sharesOfOn(history), [0, 10, 0, 10, 40], 'the states in between are not read');
  assert.equal(history.leftOut, 2);
  assert.equal(
    history.changes.reduce((sum, { count }) => sum + count, 0),
    6,
  );
});

test('a history that is too large even for two reads is cut, and says from when on it is complete', async () => {
  const keys = Array.from({ length: 46_000 }, (_, index) => `a-rather-long-${index}`);
  const treatments = [{ name: 'on', keys }, { name: 'off' }];
  const { path } = await aDefinedFlag(api, await aProject(api), { treatments, defaultRule: split(10) });
  await set(path, 'defaultRule', split(20));
  const history = await historyOf(path);
  assert.ok(history.since > 0);
  assert.equal(history.points[0]?.at, history.since);
  assert.deepEqual(sharesOfOn(history), [20]);
});

test('without a time, and for what is not there, it is refused', async () => {
  const project = await aProject(api);
  const { path } = await aDefinedFlag(api, project);
  assert.equal((await api.get(`${path}/rollout`)).status, 400);
  assert.equal((await api.get(`${path}/rollout?from=yesterday`)).status, 400);
  const undefinedFlag = await aFlag(api, project);
  const nowhere = `/splits/ws/${project.id}/${undefinedFlag.name}/environments/${project.staging.id}`;
  assert.equal((await api.get(`${nowhere}/rollout?from=0`)).status, 404);
});
