import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused, startApi } from '../support/app.ts';
import { aProject, uniqueName } from '../support/build.ts';

const api = await startApi();

async function aPlace(settings = {}) {
  const project = await aProject(api, settings);
  const name = uniqueName('large');
  await api.post(`/large-segments/ws/${project.id}/trafficTypes/user`, { name });
  const submitting = `/changeRequests/ws/${project.id}/environments/${project.staging.id}`;
  return { project, name, submitting, activate: () => api.post(`/large-segments/${project.staging.id}/${name}`) };
}

test('an upload is requested with an address for its file, and found by its id without that', async () => {
  const { project, name, submitting, activate } = await aPlace();
  await activate();
  const sent = { largeSegment: { name }, operationType: 'UPLOAD', title: 'Nightly', comment: 'export', approvers: [] };
  const { body } = await api.post(submitting, sent, { headers: { host: 'flags.example:8080' } });
  const { transactionMetadata, ...rest } = body;
  assert.match(transactionMetadata.url, /^http:\/\/flags\.example:8080\/internal\/uploads\/[\w-]{43}$/);
  assert.deepEqual(transactionMetadata, {
    method: 'PUT',
    url: transactionMetadata.url,
    headers: { Host: ['flags.example:8080'] },
  });
  const [comment] = body.comments;
  assert.deepEqual(rest, {
    id: body.id,
    status: 'AWAITING',
    operationType: 'UPLOAD',
    title: 'Nightly',
    comment: null,
    comments: [{ ...comment, comment: 'export', role: 'SUBMITTER' }],
    approvers: [],
    workspace: { id: project.id, type: 'workspace' },
    split: null,
    segment: null,
    largeSegment: { name },
    ruleBasedSegment: null,
    rolloutStatus: null,
    rolloutStatusTimestamp: null,
  });
  assert.deepEqual((await api.get(`/changeRequests/${body.id}`)).body, { ...rest, transactionMetadata: null });
});

test('what cannot be submitted is refused with what can', async () => {
  const { name, submitting } = await aPlace();
  const message = 'Only UPLOAD and ARCHIVE of a largeSegment can be submitted';
  refused(await api.post(submitting, { split: { name: 'a' }, operationType: 'KILL' }), 400, message);
  refused(await api.post(submitting, { largeSegment: { name }, operationType: 'CREATE' }), 400, message);
  refused(await api.post(submitting, { largeSegment: { name: 'none' }, operationType: 'UPLOAD' }), 404, /segment none/);
  refused(
    await api.post(submitting, { largeSegment: { name }, operationType: 'UPLOAD' }),
    404,
    /in environment staging/,
  );
  refused(await api.get('/changeRequests/none'), 404, /change request none/);
});

test('a change request needs a title and a comment where the project requires them', async () => {
  const { name, submitting, activate } = await aPlace({ requiresTitleAndComments: true });
  await activate();
  for (const operationType of ['UPLOAD', 'ARCHIVE']) {
    const body = { largeSegment: { name }, operationType };
    assert.equal((await api.post(submitting, body)).status, 400);
    assert.equal((await api.post(submitting, { ...body, title: 'why', comment: 'because' })).status, 200);
  }
});

test('the list has the change requests that wait, or those of a status, page by page', async () => {
  const { project, name, submitting, activate } = await aPlace();
  await activate();
  const list = async (query = '') => {
    const { body } = await api.get(`/changeRequests?environmentId=${project.staging.id}&limit=1${query}`);
    return { ids: body.data.map(({ id }: { id: string }) => id), next: body.nextMarker };
  };
  const submit = async (operationType: string) =>
    (await api.post(submitting, { largeSegment: { name }, operationType })).body;
  const [first, second] = [await submit('UPLOAD'), await submit('UPLOAD')];
  const page = await list();
  assert.deepEqual(page.ids, [first.id]);
  assert.deepEqual((await list(`&after=${page.next}`)).ids, [second.id]);
  const { pathname } = new URL(first.transactionMetadata.url);
  assert.equal((await api.put(pathname, undefined, { as: null, text: 'a\n' })).status, 200);
  assert.deepEqual((await list()).ids, [second.id]);
  assert.deepEqual((await list('&status=PUBLISHED')).ids, [first.id]);
  assert.deepEqual((await list('&status=WITHDRAWN')).ids, []);
  api.clock.now = Date.now() + 6 * 60_000;
  try {
    assert.deepEqual([(await list()).ids, (await list('&status=REJECTED')).ids], [[], [second.id]]);
  } finally {
    api.clock.now = undefined;
  }
});
