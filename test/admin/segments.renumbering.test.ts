/** SDKs look for each kind of segment in another place, so they must get again what named one before it was active. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import sql from 'sql-template-tag';
import { startApi } from '../support/app.ts';
import {
  aDefinition,
  aFlag,
  aLargeSegment,
  aProject,
  aRuleBasedSegment,
  aSegment,
  uniqueName,
} from '../support/build.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const heard: unknown[] = [];
api.store.onCommit({ onNotice: (received) => heard.push(received), failed: assert.ifError });

const project = await aProject(api);
const { staging, production } = project;
const condition = (string: string) => ({ combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string }] });
const byRule = (name: string) =>
  aDefinition({ rules: [{ condition: condition(name), buckets: [{ treatment: 'on', size: 100 }] }] });
const byTarget = (name: string) => aDefinition({ treatments: [{ name: 'on', segments: [name] }, { name: 'off' }] });

const pathOf = (flag: { name: string }, environment = staging) =>
  `/splits/ws/${project.id}/${flag.name}/environments/${environment.id}`;
const rulesPathOf = (name: string) => `/rule-based-segments/ws/${project.id}/${name}/environments/${staging.id}`;

async function defined(body: object, environment = staging) {
  const flag = await aFlag(api, project);
  const answer = await api.post(pathOf(flag, environment), body);
  assert.equal(answer.status, 200, answer.text);
  return flag;
}

async function ruledBy(named: string, how: 'rule' | 'exclusion') {
  const { name } = await aRuleBasedSegment(api, project, [staging]);
  const body =
    how === 'rule'
      ? { rules: [{ condition: condition(named) }] }
      : { excludedSegments: [{ name: named, type: 'standard_segment' }] };
  const answer = await api.put(rulesPathOf(name), { rules: [], ...body });
  assert.equal(answer.status, 200, answer.text);
  return name;
}

/** The numbers by which SDKs ask for changes, of the environment and of everything in it. */
async function numbersIn({ id }: { id: string }) {
  const rows = await api.store.all<{ name: string; number: number }>(sql`
    select f.name, d.change_number as number from definitions d join flags f on f.id = d.flag_id
     where d.environment_id = ${id}
    union all
    select s.name, a.change_number from segment_environments a join segments s on s.id = a.segment_id
     where a.environment_id = ${id}`);
  const environment = await api.store.one<{ number: number }>(sql`
    select change_number as number from environments where id = ${id}`);
  return { last: environment?.number ?? 0, of: new Map(rows.map(({ name, number }) => [name, Number(number)])) };
}

/** Those whose number is another one now, in order of their numbers. */
async function renumberedBy(activate: () => Promise<unknown>) {
  const before = await numbersIn(staging);
  const elsewhere = await numbersIn(production);
  await activate();
  const after = await numbersIn(staging);
  assert.deepEqual(await numbersIn(production), elsewhere);
  const moved = [...after.of].filter(([name, number]) => before.of.get(name) !== number).sort(([, a], [, b]) => a - b);
  const numbers = moved.map(([, number]) => number);
  assert.deepEqual(numbers, [...new Set(numbers)]);
  assert.ok(numbers.every((number) => number > before.last));
  assert.equal(numbers.at(-1), after.last);
  return moved.map(([name]) => name);
}

for (const [kind, path, create] of [
  ['large', '/large-segments', aLargeSegment],
  ['rule-based', '/rule-based-segments', aRuleBasedSegment],
] as const) {
  test(`activating a ${kind} segment gives new numbers to what names it there, and to nothing else`, async () => {
    const name = uniqueName('late');
    const [ruled, targeted, other] = [
      await defined(byRule(name)),
      await defined(byTarget(name)),
      await defined(byRule('x')),
    ];
    const [nesting, excluding, unrelated] = [
      await ruledBy(name, 'rule'),
      await ruledBy(name, 'exclusion'),
      await ruledBy('x', 'rule'),
    ];
    const elsewhere = await defined(byRule(name), production);
    await create(api, project, [], name);
    const activate = async () => assert.equal((await api.post(`${path}/${staging.id}/${name}`)).status, 200);
    const renumbered = await renumberedBy(activate);
    assert.equal(renumbered[0], name);
    assert.deepEqual(
      new Set(renumbered.slice(1)),
      new Set([ruled.name, targeted.name, nesting, excluding]),
      `not ${[other.name, unrelated, elsewhere.name]}`,
    );
    // The segment itself, and what names it, which is read up to the last number.
    const { last } = await numbersIn(staging);
    const notice = { kind: 'definitions', environmentId: staging.id, changeNumber: last };
    await until('the notice', () => heard.some((one) => isDeepStrictEqual(one, notice)));
  });
}

test('activating a standard segment changes no number but its own: SDKs took it for one already', async () => {
  const name = uniqueName('late');
  await defined(byRule(name));
  await aSegment(api, project, [], name);
  assert.deepEqual(await renumberedBy(() => api.post(`/segments/${staging.id}/${name}`)), [name]);
});

test('a definition with a new number is otherwise the same, and its ETag is the new one everywhere', async () => {
  const name = uniqueName('late');
  const flag = await defined(byRule(name));
  const summaries = async () =>
    (await api.get(`/splits/ws/${project.id}?expand=environments&filter=${flag.name}`)).body.objects;
  const [before, summary] = [await api.get(pathOf(flag)), await summaries()];
  await aRuleBasedSegment(api, project, [staging], name);
  const after = await api.get(pathOf(flag));
  assert.deepEqual(after.body, before.body);
  assert.notEqual(after.headers.etag, before.headers.etag);
  assert.deepEqual(await summaries(), summary);
  const number = (await numbersIn(staging)).of.get(flag.name);
  const stored = await api.store.one<{ number: number }>(sql`
    select change_number as number from definition_summaries where flag_id = ${flag.id}`);
  assert.equal(Number(stored?.number), number);
  const patch = [{ op: 'replace', path: '/trafficAllocation', value: 50 }];
  const withTag = (answer: { headers: Record<string, unknown> }) => ({
    headers: { 'if-match': String(answer.headers.etag) },
  });
  assert.equal((await api.patch(pathOf(flag), patch, withTag(before))).status, 412);
  assert.equal((await api.patch(pathOf(flag), patch, withTag(after))).status, 200);
});

test('a summary that a node of the previous release left behind stays outdated', async () => {
  const name = uniqueName('late');
  const flag = await defined(byRule(name));
  await api.store.write((tx) =>
    tx.run(sql`update definition_summaries set change_number = change_number - 1 where flag_id = ${flag.id}`),
  );
  const outdated = await api.store.one(sql`select change_number from definition_summaries where flag_id = ${flag.id}`);
  await aRuleBasedSegment(api, project, [staging], name);
  assert.deepEqual(
    await api.store.one(sql`select change_number from definition_summaries where flag_id = ${flag.id}`),
    outdated,
  );
});

test('the audit log has one entry, of the segment, and the next entry of a definition has the state before it', async () => {
  const name = uniqueName('late');
  const flag = await defined(byRule(name));
  const created = await api.lastChange();
  const activated = await aRuleBasedSegment(api, project, [staging], name).then(() => api.lastChange());
  assert.deepEqual([activated.auditLogType, activated.object.name], ['segment.activated', name]);
  const { body } = await api.get(`/auditLogs?workspaceId=${project.id}&objectId=${flag.id}`);
  assert.deepEqual(
    body.data
      .filter(({ object }: { object: { type: string } }) => object.type === 'definition')
      .map(({ id }: { id: string }) => id),
    [created.id],
  );
  await api.put(`${pathOf(flag)}/kill`);
  const { auditLogType, before } = await api.lastChange();
  assert.equal(auditLogType, 'definition.killed');
  const expected = {
    ...(created.after as object),
    changeNumber: Number((before as { changeNumber: number }).changeNumber),
  };
  assert.deepEqual(before, expected);
  assert.ok(expected.changeNumber > (created.after as { changeNumber: number }).changeNumber);
});

test('more than one statement can hold get their numbers too', async () => {
  const name = uniqueName('late');
  const flags = new Set<string>();
  for (let count = 0; count < 105; count += 1) flags.add((await defined(byRule(name))).name);
  await aRuleBasedSegment(api, project, [], name);
  const renumbered = await renumberedBy(() => api.post(`/rule-based-segments/${staging.id}/${name}`));
  assert.equal(renumbered[0], name);
  assert.deepEqual(new Set(renumbered.slice(1)), flags);
});
