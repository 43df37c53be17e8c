/** The path by which official clients set the tags of a flag. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aFlag, aProject } from '../support/build.ts';

const api = await startApi();

async function aTaggable(settings: { requiresTitleAndComments?: boolean } = {}) {
  const project = await aProject(api, settings);
  const flag = await aFlag(api, project);
  return { project, flag, flagPath: `/splits/ws/${project.id}/${flag.name}` };
}
const tagsPath = (project: string, flag: string, type = 'Split') =>
  `/tags/ws/${project}/object/${flag}/objecttype/${type}`;

test('the posted tags replace those that the flag has, are answered, and recorded', async () => {
  const { project, flag, flagPath } = await aTaggable();
  const steps = [
    { sent: ['a', 'b'], tags: ['a', 'b'] },
    { sent: ['b'], tags: ['b'] },
    { sent: ['c', 'b', 'c'], tags: ['c', 'b'] },
    { sent: ['C'], tags: ['C'] },
    { sent: [], tags: [] },
  ];
  for (const [index, { sent, tags }] of steps.entries()) {
    const word = index % 2 === 0 ? flag.name : flag.id;
    const before = (await api.get(flagPath)).body;
    const actions = await api.recorded(async () => {
      const { status, body } = await api.post(tagsPath(project.name, word), sent);
      assert.equal(status, 200);
      const objects = tags.map((name) => ({ name, objectType: 'Split', objectName: flag.name }));
      assert.deepEqual(body, { objects, offset: 0, limit: 20, totalCount: tags.length });
    });
    assert.deepEqual(actions, ['flag.tagged']);
    const after = (await api.get(flagPath)).body;
    assert.deepEqual(after, { ...before, tags: tags.length > 0 ? tags.map((name) => ({ name })) : null });
    const change = await api.lastChange();
    assert.deepEqual([change.object.id, change.before, change.after], [flag.id, before, after]);
  }
});

test('more than 20 tags are all answered', async () => {
  const { project, flag } = await aTaggable();
  const sent = Array.from({ length: 25 }, (_, index) => `tag-${index}`);
  const { body } = await api.post(tagsPath(project.id, flag.name), sent);
  assert.deepEqual([body.objects.length, body.limit, body.totalCount], [25, 25, 25]);
});

test('an invalid list of tags is refused and changes no tag', async () => {
  const { project, flag, flagPath } = await aTaggable();
  const path = tagsPath(project.id, flag.name);
  const actions = await api.recorded(async () => {
    for (const body of ['a', { name: 'a' }, [7], [''], [null], null, undefined, ['x'.repeat(256)]]) {
      refused(await api.post(path, body), 400, /./);
    }
    refused(await api.post(tagsPath(project.id, 'absent'), ['a']), 404, 'Could not find flag absent');
    refused(await api.post(tagsPath('absent', flag.name), ['a']), 404, 'Could not find project absent');
    refused(await api.post(tagsPath(project.id, flag.name, 'Rock'), ['a']), 404, 'Could not find object type Rock');
  });
  assert.deepEqual(actions, []);
  assert.equal((await api.get(flagPath)).body.tags, null);
});

test('title and comment are not required, and kept when sent', async () => {
  const { project, flag } = await aTaggable({ requiresTitleAndComments: true });
  for (const [query, tag, expected] of [
    ['', 'a', { title: undefined, comment: undefined }],
    ['?title=why&comment=because', 'b', { title: 'why', comment: 'because' }],
  ] as const) {
    assert.equal((await api.post(tagsPath(project.id, flag.name) + query, [tag])).status, 200);
    const { title, comment } = await api.lastChange();
    assert.deepEqual({ title, comment }, expected);
  }
});

test('a new tag changes the ETag of the flag, and If-Match holds here too', async () => {
  const { project, flag, flagPath } = await aTaggable();
  const path = tagsPath(project.id, flag.name);
  const headers = { 'if-match': String((await api.get(flagPath)).headers.etag) };
  assert.equal((await api.post(path, ['a'], { headers })).status, 200);
  refused(await api.post(path, ['b'], { headers }), 412, /If-Match/);
  assert.deepEqual((await api.get(flagPath)).body.tags, [{ name: 'a' }]);
});
