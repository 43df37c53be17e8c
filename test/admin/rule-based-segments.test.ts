/** Rule-based segments: in the project, where they are active, and their definitions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import sql from 'sql-template-tag';
import { refused, startApi } from '../support/app.ts';
import {
  aDefinition,
  aFlag,
  aProject,
  aRuleBasedSegment,
  aSegment,
  type ProjectFixture,
  uniqueName,
} from '../support/build.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const heard: unknown[] = [];
api.store.onCommit({ onNotice: (received) => heard.push(received), failed: assert.ifError });

const plan = { type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro'] };
const ruled = (...matchers: object[]) => ({ rules: [{ condition: { combiner: 'AND', matchers } }] });
const inSegment = (...names: string[]) => ruled(...names.map((string) => ({ type: 'IN_SEGMENT', string })));
const dependsOn = (splitName: string) => ({ type: 'IN_SPLIT', depends: { splitName, treatments: ['on'] } });
const flagIn = (...matchers: object[]) =>
  aDefinition({
    rules: ruled(...matchers).rules.map((rule) => ({ ...rule, buckets: [{ treatment: 'on', size: 100 }] })),
  });

const listPath = ({ id }: ProjectFixture) => `/rule-based-segments/ws/${id}`;
const pathOf = (project: ProjectFixture, name: string, environment = 'staging') =>
  `${listPath(project)}/${name}/environments/${environment}`;

/** A project with rule-based segments of these names, active in staging. */
async function aProjectWith(...names: string[]) {
  const project = await aProject(api);
  for (const name of names) await aRuleBasedSegment(api, project, [project.staging], name);
  return { project, at: (name: string) => pathOf(project, name) };
}

const stored = async (path: string, body: object) => {
  const answer = await api.put(path, body);
  assert.equal(answer.status, 200, answer.text);
  return answer;
};

test('a segment is created, read, listed and deleted as the vendor’s', async () => {
  const project = await aProject(api);
  const made = await api.post(`${listPath(project)}/trafficTypes/user`, { name: 'pros', description: 'who pay' });
  assert.equal(made.status, 200, made.text);
  const { id, orgId, creator, creationTime, trafficType, trafficTypeId, ...rest } = made.body;
  assert.deepEqual(rest, {
    workspaceIds: [project.id],
    name: 'pros',
    description: 'who pay',
    status: 'ACTIVE',
    trafficTypeURN: null,
    tags: null,
  });
  assert.deepEqual(
    [typeof id, typeof orgId, typeof creationTime, creator.type],
    ['string', 'string', 'number', 'api_key'],
  );
  assert.deepEqual([trafficType.name, trafficType.id], ['user', trafficTypeId]);
  assert.deepEqual((await api.get(`${listPath(project)}/pros`)).body, made.body);
  assert.deepEqual((await api.get(listPath(project))).body, [made.body]);
  const { auditLogType, object } = await api.lastChange();
  assert.deepEqual([auditLogType, object.type, object.name], ['segment.created', 'segment', 'pros']);
  assert.equal((await api.delete(`${listPath(project)}/pros`)).body, true);
  refused(await api.get(`${listPath(project)}/pros`), 404, 'Could not find segment pros');
});

test('lists honour offset and limit, so that a client that pages by 50 ends', async () => {
  const project = await aProject(api);
  const names = Array.from({ length: 50 }, () => uniqueName('many'));
  for (const name of names) await aRuleBasedSegment(api, project, [project.staging], name);
  for (const path of [listPath(project), `${listPath(project)}/environments/staging`]) {
    const asked = async (query: string) => (await api.get(path + query)).body.map(({ name }: { name: string }) => name);
    assert.deepEqual(await asked(''), names);
    assert.deepEqual(await asked('?limit=50&offset=0'), names);
    assert.deepEqual(await asked('?limit=50&offset=50'), []);
    assert.deepEqual(await asked('?limit=2&offset=1'), names.slice(1, 3));
  }
});

test('a name exists once over all kinds, and only this kind is found here', async () => {
  const { project } = await aProjectWith('pros');
  await api.store.write((tx) =>
    tx.run(sql`update segments set kind = 'standard' where project_id = ${project.id} and name = 'pros'`),
  );
  refused(await api.get(`${listPath(project)}/pros`), 404, 'Could not find segment pros');
  refused(
    await api.post(`${listPath(project)}/trafficTypes/user`, { name: 'pros' }),
    409,
    'Segment pros already exists',
  );
});

test('it is activated with any body, once, without rules', async () => {
  const project = await aProject(api);
  for (const text of [undefined, '""', '{}']) {
    const { name } = await aRuleBasedSegment(api, project);
    const path = `/rule-based-segments/${project.staging.id}/${name}`;
    const { status, body } = await api.call('POST', path, text === undefined ? {} : { text });
    assert.equal(status, 200);
    const { creationTime, lastUpdateTime, trafficType, ...rest } = body;
    const { id, name: environment } = project.staging;
    assert.deepEqual(rest, {
      name,
      environment: { id, name: environment },
      rules: [],
      excludedKeys: [],
      excludedSegments: [],
    });
    assert.deepEqual([trafficType.name, lastUpdateTime], ['user', creationTime]);
    assert.deepEqual((await api.get(pathOf(project, name))).body, body);
    assert.deepEqual((await api.lastChange()).after, body);
    const again = async () => refused(await api.post(path), 409, /already active/);
    assert.deepEqual(await api.recorded(again), []);
  }
});

test('a definition is stored as sent, without title and comment, and listed', async () => {
  const { project, at } = await aProjectWith('pros');
  const body = {
    ...ruled(plan),
    excludedKeys: ['ana'],
    excludedSegments: [{ name: 'nobody', type: 'large_segment' }],
  };
  const before = (await api.get(at('pros'))).body;
  const answer = await stored(at('pros'), { ...body, title: 'why', comment: 'because', name: 'else', id: '1' });
  const { rules, excludedKeys, excludedSegments, title, comment, lastUpdateTime } = answer.body;
  assert.deepEqual({ rules, excludedKeys, excludedSegments }, body);
  assert.deepEqual([title, comment, answer.body.name], [undefined, undefined, 'pros']);
  assert.ok(lastUpdateTime > before.lastUpdateTime);
  assert.deepEqual((await api.get(at('pros'))).body, answer.body);
  assert.deepEqual((await api.get(`${listPath(project)}/environments/staging`)).body, [answer.body]);
  assert.deepEqual((await api.get(`${listPath(project)}/environments/production`)).body, []);
  const change = await api.lastChange();
  assert.deepEqual(
    [change.auditLogType, change.title, change.comment, change.before, change.after],
    ['segment.changed', 'why', 'because', before, answer.body],
  );
});

test('a change takes the next number of the environment and announces the segment', async () => {
  const { project, at } = await aProjectWith('pros');
  await stored(at('pros'), ruled(plan));
  const [row] = await api.store.all<{ number: number; own: number }>(sql`
    select e.change_number as number, s.change_number as own
      from environments e join segment_environments s on s.environment_id = e.id where e.id = ${project.staging.id}`);
  assert.equal(row?.own, row?.number);
  const place = { kind: 'rule-based-segment', name: 'pros', environmentId: project.staging.id };
  const notice = { ...place, changeNumber: row?.number };
  await until('the notice', () => heard.some((one) => isDeepStrictEqual(one, notice)));
});

test('the same definition again leaves no trace', async () => {
  const { project, at } = await aProjectWith('pros');
  const body = { ...ruled(plan), excludedSegments: [{ name: 'nobody' }] };
  const first = await stored(at('pros'), body);
  const numberOf = () => api.store.one(sql`select change_number from environments where id = ${project.staging.id}`);
  const number = await numberOf();
  assert.deepEqual(
    await api.recorded(async () => {
      for (const same of [body, first.body, { ...body, excludedKeys: null }]) {
        const again = await stored(at('pros'), same);
        assert.deepEqual([again.body, again.headers.etag], [first.body, first.headers.etag]);
      }
    }),
    [],
  );
  // Without a new number there is no notice either.
  assert.deepEqual(await numberOf(), number);
});

test('If-Match must be the current ETag', async () => {
  const { at } = await aProjectWith('pros');
  const ifMatch = (await api.get(at('pros'))).headers.etag as string;
  const send = (body: object) => api.put(at('pros'), body, { headers: { 'if-match': ifMatch } });
  const { status, headers } = await send(ruled(plan));
  assert.equal(status, 200);
  assert.notEqual(headers.etag, ifMatch);
  assert.deepEqual(await api.recorded(async () => refused(await send({}), 412, /If-Match/)), []);
  assert.equal((await api.get(at('pros'))).headers.etag, headers.etag);
});

test('a project can require title and comment', async () => {
  const project = await aProject(api, { requiresTitleAndComments: true });
  const { name } = await aRuleBasedSegment(api, project, [project.staging]);
  const path = pathOf(project, name);
  assert.equal((await api.put(path, ruled(plan))).status, 400);
  await stored(path, { ...ruled(plan), title: 'why', comment: 'because' });
  await stored(`${path}?title=why&comment=because`, {});
});

test('it has no definition where it is not active', async () => {
  const { project } = await aProjectWith('pros');
  const path = pathOf(project, 'pros', 'production');
  const sentence = 'Could not find segment pros in environment production';
  refused(await api.get(path), 404, sentence);
  assert.deepEqual(await api.recorded(async () => refused(await api.put(path, ruled(plan)), 404, sentence)), []);
});

test('an invalid definition is refused with the path of the error, and changes nothing', async () => {
  const { at } = await aProjectWith('pros');
  await stored(at('pros'), ruled(plan));
  const before = (await api.get(at('pros'))).text;
  const table: [body: unknown, message: RegExp][] = [
    [[], /^body must be object/],
    [ruled({ attribute: 'plan', operator: 'EQUALS', value: 'pro' }), /with type instead of operator and value/],
    [ruled({ type: 'EQUAL_NUMBER', attribute: 'age' }), /^rules\/0\/condition\/matchers\/0\/number is required/],
    [ruled(dependsOn('absent')), /depends\/splitName absent is not a flag of the project/],
    [{ excludedKeys: ['a', 'a'] }, /^excludedKeys\/1 a is used twice/],
    [{ excludedSegments: [{ name: 'a', type: 'other' }] }, /^excludedSegments\/0\/type must be one of/],
    // Smaller before defaults are filled in.
    [
      { rules: Array(16_000).fill({ condition: { matchers: [{ type: 'IN_SEGMENT', string: 'a' }] } }) },
      /1048576 characters/,
    ],
  ];
  for (const [body, message] of table) {
    assert.deepEqual(await api.recorded(async () => refused(await api.put(at('pros'), body), 400, message)), []);
  }
  assert.equal((await api.get(at('pros'))).text, before);
});

test('segments that do not exist, or are not active, count as empty, and the answer warns of them', async () => {
  const { project, at } = await aProjectWith('pros', 'guests');
  await aRuleBasedSegment(api, project, [project.production], 'abroad');
  const body = { ...inSegment('guests', 'absent'), excludedSegments: [{ name: 'abroad' }] };
  const { headers } = await stored(at('pros'), body);
  assert.equal(
    headers.warning,
    '299 - "Segment absent does not exist, so it counts as empty", 299 - "Segment abroad is not active in staging, so it counts as empty"',
  );
  assert.equal((await stored(at('pros'), inSegment('guests'))).headers.warning, undefined);
});

test('the type of an excluded segment is that of the segment, once it exists', async () => {
  const { project, at } = await aProjectWith('pros', 'guests');
  const excludedSegments = [
    { name: 'guests', type: 'segment' },
    { name: 'later', type: 'segment' },
  ];
  const typesNow = async () =>
    (await stored(at('pros'), { excludedSegments })).body.excludedSegments.map(({ type }: { type: string }) => type);
  assert.deepEqual(await typesNow(), ['rule_based_segment', 'standard_segment']);
  await aRuleBasedSegment(api, project, [], 'later');
  assert.deepEqual(await typesNow(), ['rule_based_segment', 'rule_based_segment']);
});

test('a cycle is refused with the path of names, whichever way it goes', async () => {
  const { at } = await aProjectWith('one', 'two', 'three');
  const excluding = (name: string) => ({ excludedSegments: [{ name }] });
  refused(
    await api.put(at('one'), inSegment('one')),
    400,
    'rules/0/condition/matchers/0 would close a cycle: one → one',
  );
  refused(await api.put(at('one'), excluding('one')), 400, 'excludedSegments/0 would close a cycle: one → one');
  await stored(at('one'), inSegment('two'));
  await stored(at('two'), excluding('three'));
  const before = (await api.get(at('three'))).text;
  const tried = async () => {
    const path = 'three → one → two → three';
    refused(await api.put(at('three'), excluding('one')), 400, `excludedSegments/0 would close a cycle: ${path}`);
    const sentence = `rules/0/condition/matchers/1 would close a cycle: ${path}`;
    refused(await api.put(at('three'), inSegment('absent', 'one')), 400, sentence);
  };
  assert.deepEqual(await api.recorded(tried), []);
  assert.equal((await api.get(at('three'))).text, before);
  await stored(at('one'), {});
  await stored(at('three'), inSegment('one'));
});

test('a cycle through a flag is refused, from the segment and from the flag', async () => {
  const { project, at } = await aProjectWith('pros', 'guests');
  const [gull, tern] = [await aFlag(api, project), await aFlag(api, project)];
  const define = (flag: { name: string }, body: object) =>
    api.post(`/splits/ws/${project.id}/${flag.name}/environments/staging`, body);
  assert.equal((await define(gull, flagIn({ type: 'IN_SEGMENT', string: 'pros' }))).status, 200);
  refused(
    await api.put(at('pros'), ruled(dependsOn(gull.name))),
    400,
    `rules/0/condition/matchers/0 would close a cycle: segment pros → flag ${gull.name} → segment pros`,
  );
  await stored(at('pros'), inSegment('guests'));
  await stored(at('guests'), ruled(dependsOn(tern.name)));
  const targets = aDefinition({ treatments: [{ name: 'on', segments: ['pros'] }, { name: 'off' }] });
  const path = `flag ${tern.name} → segment pros → segment guests → flag ${tern.name}`;
  refused(await define(tern, targets), 400, `segment pros would close a cycle: ${path}`);
  refused(await define(tern, flagIn(dependsOn(gull.name))), 400, new RegExp(`^flag ${gull.name} would close a cycle`));
  assert.equal((await define(tern, aDefinition())).status, 200);
});

test('names in another environment or project make no cycle', async () => {
  const { project, at } = await aProjectWith('one', 'two');
  for (const name of ['one', 'two']) await api.post(`/rule-based-segments/${project.production.id}/${name}`);
  await stored(at('one'), inSegment('two'));
  await stored(pathOf(project, 'two', 'production'), inSegment('one'));
});

test('a segment that leads to more than 5,000 references is refused', async () => {
  const names = Array.from({ length: 7 }, (_, at) => `wide-${at}`);
  const { at } = await aProjectWith('top', ...names);
  const body = { excludedSegments: Array.from({ length: 1_000 }, (_, index) => ({ name: `leaf-${index}` })) };
  for (const name of names) await stored(at(name), body);
  const sentence = /^rules\/0\/condition\/matchers\/0 leads to more than 5000 references between flags and segments/;
  refused(await api.put(at('top'), inSegment(...names)), 400, sentence);
  await stored(at('top'), inSegment(...names.slice(0, 4)));
});

test('a chain of more than 50 references is refused, whichever end it grows from', async () => {
  const names = Array.from({ length: 51 }, (_, at) => `link-${at}`);
  const { at } = await aProjectWith('before', ...names);
  const complaint = 'would make a chain of more than 50 references between flags and segments';
  // Half of them from the top, the others from the bottom: the last one joins both.
  const joined = 25;
  const links = names.slice(0, -1).map((name, index) => [name, names[index + 1] ?? ''] as const);
  for (const [name, next] of links.slice(0, joined)) await stored(at(name), inSegment(next));
  for (const [name, next] of links.slice(joined).toReversed()) await stored(at(name), inSegment(next));
  const sentence = `rules/0/condition/matchers/0 ${complaint}`;
  refused(await api.put(at('before'), inSegment('link-0')), 400, sentence);
  refused(await api.put(at('link-50'), inSegment('behind')), 400, sentence);
  // The longest way counts, not the shortest.
  await stored(at('before'), inSegment('link-26'));
  const both = inSegment('link-26', 'before');
  refused(await api.put(at('link-25'), both), 400, `rules/0/condition/matchers/1 ${complaint}`);
});

test('a chain of more than 50 references through a flag is refused, from the segment and from the flag', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `link-${at}`);
  const { project, at } = await aProjectWith('before', ...names);
  for (const [index, name] of names.slice(1).entries()) await stored(at(`link-${index}`), inSegment(name));
  const complaint = 'would make a chain of more than 50 references between flags and segments';
  const flag = await aFlag(api, project);
  const define = (segment: string) =>
    api.put(
      `/splits/ws/${project.id}/${flag.name}/environments/staging`,
      flagIn({ type: 'IN_SEGMENT', string: segment }),
    );
  await api.post(`/splits/ws/${project.id}/${flag.name}/environments/staging`, aDefinition());
  assert.equal((await define('link-0')).status, 200);
  refused(await api.put(at('before'), ruled(dependsOn(flag.name))), 400, `rules/0/condition/matchers/0 ${complaint}`);
  assert.equal((await define('link-1')).status, 200);
  await stored(at('before'), ruled(dependsOn(flag.name)));
  refused(await define('link-0'), 400, `segment link-0 ${complaint}`);
});

test('a segment that is in use cannot be deleted or deactivated, and the response says what uses it', async () => {
  const { project, at } = await aProjectWith('pros', 'guests');
  await stored(at('pros'), { excludedSegments: [{ name: 'guests' }] });
  const flag = await aFlag(api, project);
  await api.post(
    `/splits/ws/${project.id}/${flag.name}/environments/staging`,
    flagIn({ type: 'IN_SEGMENT', string: 'guests' }),
  );
  const place = `/rule-based-segments/${project.staging.id}/guests`;
  const sentence = `Segment guests is still used by flag ${flag.name}, segment pros`;
  for (const path of [place, `${listPath(project)}/guests`]) {
    assert.deepEqual(await api.recorded(async () => refused(await api.delete(path), 409, sentence)), []);
  }
  await stored(at('pros'), {});
  await api.delete(`/splits/ws/${project.id}/${flag.name}/environments/staging`);
  assert.equal((await api.delete(place)).body, true);
});

test('deactivating and deleting keep the definition in the audit log and leave a tombstone', async () => {
  const { project, at } = await aProjectWith('pros');
  const { body } = await stored(at('pros'), ruled(plan));
  const graves = () =>
    api.store
      .all<{ name: string; kind: string }>(sql`
        select name, kind from segment_tombstones where environment_id = ${project.staging.id}`)
      .then((rows) => rows.map(({ name, kind }) => `${kind} ${name}`));
  assert.equal((await api.delete(`/rule-based-segments/${project.staging.id}/pros`)).body, true);
  const change = await api.lastChange();
  assert.deepEqual([change.auditLogType, change.before], ['segment.deactivated', body]);
  assert.deepEqual(await graves(), ['rule_based pros']);
  await api.post(`/rule-based-segments/${project.staging.id}/pros`);
  assert.deepEqual(await graves(), []);
  assert.deepEqual((await api.get(at('pros'))).body.rules, []);
  const both = ['segment.deactivated', 'segment.deleted'];
  assert.deepEqual(await api.recorded(() => api.delete(`${listPath(project)}/pros`)), both);
  assert.deepEqual(await graves(), ['rule_based pros']);
});

test('a deleted segment is restored from the audit log: its rules where it was active, but no keys', async () => {
  const { project, at } = await aProjectWith('pros', 'others');
  const flag = await aFlag(api, project);
  await stored(at('pros'), { ...ruled(plan, dependsOn(flag.name)), excludedKeys: ['user-1'] });
  await api.put(`/segments/ws/${project.id}/pros/details`, { description: 'They pay', tags: ['billing'] });
  const read = async () => {
    const { description, tags } = (await api.get(`${listPath(project)}/pros`)).body;
    const { rules, excludedKeys } = (await api.get(at('pros'))).body;
    return { description, tags, rules, excludedKeys };
  };
  const before = await read();
  await api.delete(`${listPath(project)}/pros`);
  const { id } = (await api.lastChange()).object;
  const restore = `/segments/ws/${project.id}/deleted/${id}/restore`;

  // What it needs must be there, and its name free; nothing changes until then.
  await api.delete(`/splits/ws/${project.id}/${flag.name}`);
  const refusal = await api.post(restore);
  assert.deepEqual([refusal.status, refusal.body.code], [400, 400], refusal.text);
  assert.match(refusal.body.message, new RegExp(`${flag.name} is not a flag`));
  await api.post(`/splits/ws/${project.id}/deleted/${flag.id}/restore`);
  const namesake = await aRuleBasedSegment(api, project, [], 'pros');
  assert.equal((await api.post(restore)).status, 409);
  await api.delete(`${listPath(project)}/${namesake.name}`);

  const actions = await api.recorded(async () =>
    assert.equal((await api.post(restore, { title: 'Back' })).body.name, 'pros'),
  );
  assert.deepEqual(actions.sort(), ['segment.activated', 'segment.changed', 'segment.undeleted']);
  assert.deepEqual(await read(), before);
  assert.deepEqual([(await api.lastChange()).object.id, (await api.lastChange()).title], [id, 'Back']);
  refused(await api.post(restore), 404, `Could not find deleted segment ${id}`);

  const list = await aSegment(api, project, [project.staging]);
  await api.put(`/segments/${project.staging.id}/${list.name}/uploadKeys`, { keys: ['user-1'] });
  await api.delete(`/segments/ws/${project.id}/${list.name}`);
  const { object } = await api.lastChange();
  const several = Array.from({ length: 4 }, () => api.post(`/segments/ws/${project.id}/deleted/${object.id}/restore`));
  const statuses = (await Promise.all(several)).map(({ status }) => status);
  assert.deepEqual(
    [...new Set(statuses)].filter((status) => ![200, 404, 409].includes(status)),
    [],
  );
  assert.equal(statuses.filter((status) => status === 200).length, 1, 'one of those who restore it at once does it');
  assert.deepEqual((await api.get(`/segments/${project.staging.id}/${list.name}/keys`)).body.keys, []);
});

test('a large definition is listed whole', async () => {
  const { project, at } = await aProjectWith('small', 'large', 'last');
  const excludedKeys = Array.from({ length: 20_000 }, (_, index) => `key-${index}`);
  await stored(at('large'), { excludedKeys });
  const { body } = await api.get(`${listPath(project)}/environments/staging`);
  assert.deepEqual(
    body.map((one: { name: string; excludedKeys: string[] }) => [one.name, one.excludedKeys.length]),
    [
      ['small', 0],
      ['large', 20_000],
      ['last', 0],
    ],
  );
});

test('the list of segments tells how many rules there are in each environment', async () => {
  const { project, at } = await aProjectWith('counted');
  const usage = async () =>
    (await api.get(`/segments/ws/${project.id}?expand=environments&kind=all`)).body.objects[0].environments[0];
  assert.equal((await usage()).ruleCount, 0);
  const [rule] = ruled(plan, { type: 'IN_LIST_STRING', attribute: 'x', strings: ['{"condition":'] }).rules;
  await stored(at('counted'), { rules: [rule, rule], excludedKeys: ['{"condition":'] });
  assert.equal((await usage()).ruleCount, 2);
});
