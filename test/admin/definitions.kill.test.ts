import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aProject, asAnswered } from '../support/build.ts';

const api = await startApi();

const methods = ['PUT', 'POST'] as const;
const json = { 'content-type': 'application/json' };

/** A definition with rules, in a project of its own. */
async function aTargeted() {
  const project = await aProject(api);
  const condition = { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: 's' }] };
  const rules = [{ buckets: [{ treatment: 'on', size: 100 }], condition }];
  return { project, ...(await aDefinedFlag(api, project, { rules, trafficAllocation: 50 })) };
}

test('kill and restore switch killed and nothing else, by PUT and by POST, and are recorded', async () => {
  for (const method of methods) {
    const { flag, path, definition } = await aTargeted();
    let before = definition;
    for (const [verb, killed] of [
      ['kill', true],
      ['restore', false],
    ] as const) {
      const actions = await api.recorded(async () => {
        const { status, text, body, headers } = await api.call(method, `${path}/${verb}`);
        const { creationTime, lastUpdateTime: _, ...rest } = before;
        const expected = { ...rest, killed, creationTime, lastUpdateTime: body.lastUpdateTime };
        assert.deepEqual([status, text], [200, JSON.stringify(expected)]);
        assert.ok(body.lastUpdateTime > before.lastUpdateTime);
        const read = await api.get(path);
        assert.deepEqual([read.text, read.headers.etag], [text, headers.etag]);
        const change = await api.lastChange();
        assert.deepEqual(change.object, { type: 'definition', id: flag.id, name: flag.name });
        assert.deepEqual([change.before, change.after].map(asAnswered), [before, body]);
        assert.deepEqual([change.title, change.comment], [undefined, undefined]);
        before = body;
      });
      assert.deepEqual(actions, [verb === 'kill' ? 'definition.killed' : 'definition.restored']);
    }
  }
});

test('killing and restoring twice is fine, and each change is recorded once', async () => {
  const { path } = await aTargeted();
  const killedAfter = async (verb: string) => (await api.put(`${path}/${verb}`)).body.killed;
  const actions = await api.recorded(async () => {
    assert.equal(await killedAfter('restore'), false);
    assert.equal(await killedAfter('kill'), true);
    assert.equal(await killedAfter('kill'), true);
    assert.equal(await killedAfter('restore'), false);
  });
  const [killed, restored] = ['definition.killed', 'definition.restored'];
  assert.deepEqual(actions, [killed, restored]);
});

test('the body may be absent, empty or an object, whatever its content type', async () => {
  const { path } = await aTargeted();
  const requests = [
    {},
    { headers: json },
    { text: '' },
    { text: '', headers: json },
    { text: '', headers: { 'content-type': 'text/plain' } },
    { text: '{}', headers: json },
    { text: '{}', headers: { 'content-type': 'text/plain' } },
    { body: { unknown: [1], killed: 'whatever' } },
    { body: { title: '', comment: '' } },
    { body: { title: null, comment: null } },
  ];
  for (const method of methods) {
    for (const [verb, killed] of [
      ['kill', true],
      ['restore', false],
    ] as const) {
      for (const request of requests) {
        const answer = await api.call(method, `${path}/${verb}`, request);
        assert.deepEqual([answer.status, answer.body.killed], [200, killed], JSON.stringify(request));
      }
    }
  }
});

test('title and comment may be sent in the body and are kept in the audit log only', async () => {
  const { path } = await aTargeted();
  for (const method of methods) {
    for (const verb of ['kill', 'restore']) {
      const note = { title: `${method} ${verb}`, comment: 'an incident' };
      const { body } = await api.call(method, `${path}/${verb}`, { body: note });
      assert.ok(!('title' in body || 'comment' in body));
      const { title, comment } = await api.lastChange();
      assert.deepEqual({ title, comment }, note);
    }
  }
});

test('a body that is no object is refused and changes nothing', async () => {
  const { path } = await aTargeted();
  const before = (await api.get(path)).text;
  const refusals: [text: string, message: RegExp][] = [
    ['[]', /^body /],
    ['7', /^body /],
    ['{', /not valid JSON/],
    ['{"title":7}', /^title /],
  ];
  const actions = await api.recorded(async () => {
    for (const method of methods) {
      for (const [text, message] of refusals) {
        const answer: Answer = await api.call(method, `${path}/kill`, { text });
        refused(answer, 400, message);
      }
    }
  });
  assert.deepEqual(actions, []);
  assert.equal((await api.get(path)).text, before);
});

test('killing does not touch the flag, its rollout status or its definitions elsewhere', async () => {
  const { project, flag, path, definition } = await aTargeted();
  const elsewhere = path.replace(project.staging.id, project.production.id);
  await api.post(elsewhere, definition);
  const flagPath = `/splits/ws/${project.id}/${flag.name}`;
  const before = [await api.get(flagPath), await api.get(elsewhere)];
  await api.put(`${path}/kill`);
  for (const [index, other] of [flagPath, elsewhere].entries()) {
    const after = await api.get(other);
    assert.deepEqual([after.text, after.headers.etag], [before[index]?.text, before[index]?.headers.etag]);
  }
});

test('kill and restore are neither read nor patched nor deleted', async () => {
  const { path } = await aTargeted();
  for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
    const answer = await api.call(method, `${path}/kill`);
    refused(answer, 405, new RegExp(method));
    assert.deepEqual(String(answer.headers.allow).split(', ').sort(), ['POST', 'PUT']);
  }
});

test('a trailing slash and a doubled slash change nothing', async () => {
  const { path } = await aTargeted();
  for (const method of methods) {
    assert.equal((await api.call(method, `${path}/kill/`)).body.killed, true);
    assert.equal((await api.call(method, `${path}//restore`)).body.killed, false);
  }
});
