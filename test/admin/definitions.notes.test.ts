/** Title and comment: where they are required, where they may be sent, and where they appear. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, refused, startApi } from '../support/app.ts';
import { aDefinition, aFlag, aProject, type ProjectFixture, uniqueName } from '../support/build.ts';

const api = await startApi();

type Method = Parameters<typeof api.call>[0];
interface Write {
  readonly method: Method;
  readonly on: 'flag' | 'definition';
  readonly suffix: string;
  readonly body?: unknown;
  /** Whether the body is an object of ours, so that it may contain title and comment. */
  readonly hasNote: boolean;
  readonly recorded: string;
}
const kill = [{ op: 'replace', path: '/killed', value: true }];
const changed = aDefinition({ trafficAllocation: 50 });
const describe = [{ op: 'replace', path: '/description', value: 'changed' }];
/** Every write that needs a title and a comment where the project says so. */
const writes: Write[] = [
  { method: 'POST', on: 'definition', suffix: '', body: aDefinition(), hasNote: true, recorded: 'definition.created' },
  { method: 'PUT', on: 'definition', suffix: '', body: changed, hasNote: true, recorded: 'definition.replaced' },
  { method: 'PATCH', on: 'definition', suffix: '', body: kill, hasNote: false, recorded: 'definition.patched' },
  { method: 'DELETE', on: 'definition', suffix: '', hasNote: false, recorded: 'definition.deleted' },
  { method: 'PUT', on: 'definition', suffix: '/kill', hasNote: true, recorded: 'definition.killed' },
  { method: 'POST', on: 'definition', suffix: '/kill', hasNote: true, recorded: 'definition.killed' },
  { method: 'PUT', on: 'definition', suffix: '/restore', hasNote: true, recorded: 'definition.restored' },
  { method: 'POST', on: 'definition', suffix: '/restore', hasNote: true, recorded: 'definition.restored' },
  { method: 'PATCH', on: 'flag', suffix: '', body: describe, hasNote: false, recorded: 'flag.patched' },
  { method: 'DELETE', on: 'flag', suffix: '', hasNote: false, recorded: 'flag.deleted' },
];
/** A write whose clients have no place for a note, so that none is required. */
const description: Write = {
  method: 'PUT',
  on: 'flag',
  suffix: '/updateDescription',
  body: 'new',
  hasNote: false,
  recorded: 'flag.described',
};
const withNote = writes.filter((write) => write.hasNote);

const requiring = () => aProject(api, { requiresTitleAndComments: true });

/** A new flag for the write, defined unless the write is what defines it. */
async function targetOf({ method, on, suffix }: Write, project: ProjectFixture) {
  const flag = await aFlag(api, project);
  const flagPath = `/splits/ws/${project.id}/${flag.name}`;
  const definitionPath = `${flagPath}/environments/${project.staging.id}`;
  const defined = !(method === 'POST' && suffix === '');
  const body = aDefinition({ killed: suffix === '/restore' });
  if (defined) await api.post(`${definitionPath}?title=setting+up&comment=for+the+test`, body);
  return { flagPath, definitionPath, path: (on === 'flag' ? flagPath : definitionPath) + suffix };
}
type Target = Awaited<ReturnType<typeof targetOf>>;

const send = ({ method, body }: Write, { path }: Target, query: string, note?: object): Promise<Answer> =>
  api.call(method, path + query, { body: note === undefined ? body : { ...(body as object | undefined), ...note } });

const label = ({ method, on, suffix }: Write) => `${method} ${on}${suffix}`;

/** 400 with an EMPTY body; flag and definition stay, and nothing is recorded. */
async function missed(write: Write, target: Target, query: string, note?: object) {
  const state = async () => {
    const [flag, definition] = [await api.get(target.flagPath), await api.get(target.definitionPath)];
    return [flag.text, flag.headers.etag, definition.status, definition.headers.etag];
  };
  const before = await state();
  const actions = await api.recorded(async () => {
    const { status, text, headers } = await send(write, target, query, note);
    assert.deepEqual([status, text, headers['content-length']], [400, '', '0'], `${label(write)} ${query}`);
    assert.equal(headers['content-type'], undefined);
    assert.equal(headers['x-burgee-problem'], 'note_required');
    assert.match(String(headers['x-transaction-id']), /^[0-9a-z]{11}$/);
  });
  assert.deepEqual(actions, []);
  assert.deepEqual(await state(), before, label(write));
}

/** The write is done; the note is in the audit log and not in the answer. */
async function kept(write: Write, target: Target, query: string, expected: object, note?: object) {
  const actions = await api.recorded(async () => {
    const { status, body, text } = await send(write, target, query, note);
    assert.equal(status, 200, `${label(write)} ${query} ${text}`);
    if (write.method !== 'DELETE') assert.ok(!('title' in body || 'comment' in body), label(write));
  });
  // The flag's definition has an entry of its own.
  const alongside = write.recorded === 'flag.deleted' ? ['definition.deleted'] : [];
  assert.deepEqual(actions, [...alongside, write.recorded]);
  const { title, comment } = await api.lastChange();
  assert.deepEqual({ title, comment }, { title: undefined, comment: undefined, ...expected }, label(write));
}

test('without title or comment a change is answered 400 with an empty body', async () => {
  const queries = [
    '',
    '?title=why',
    '?comment=because',
    '?title=&comment=',
    '?title=why&comment=',
    '?title=&comment=x',
  ];
  const project = await requiring();
  for (const write of writes) {
    const target = await targetOf(write, project);
    for (const query of queries) await missed(write, target, query);
  }
});

test('empty, null or absent in the body counts as missing', async () => {
  const notes = [
    {},
    { title: 'why' },
    { comment: 'because' },
    { title: '', comment: '' },
    { title: 'why', comment: '' },
  ];
  const project = await requiring();
  for (const write of withNote) {
    const target = await targetOf(write, project);
    for (const note of notes) await missed(write, target, '', note);
    await missed(write, target, '?title=why&comment=', { title: '', comment: '' });
  }
});

test('title and comment are read from the query', async () => {
  const project = await requiring();
  for (const write of writes) {
    const target = await targetOf(write, project);
    const expected = { title: 'Turn it on', comment: '100% & more' };
    await kept(write, target, '?title=Turn+it%20on&comment=100%25%20%26%20more', expected);
  }
});

test('title and comment are read from the body, also one here and one there', async () => {
  const note = { title: 'why', comment: 'because' };
  const table = [
    ['', note],
    ['?title=&comment=', note],
    ['?title=why', { comment: 'because' }],
    ['?comment=because', { title: 'why', comment: '' }],
  ] as const;
  const project = await requiring();
  for (const write of withNote) {
    for (const [query, inBody] of table) await kept(write, await targetOf(write, project), query, note, inBody);
  }
});

test('if they are not required, they can be left out, and are stored when sent', async () => {
  const table = [
    ['', {}],
    ['?title=&comment=', {}],
    ['?title=only', { title: 'only' }],
    ['?comment=only', { comment: 'only' }],
    ['?title=both&comment=there', { title: 'both', comment: 'there' }],
  ] as const;
  const project = await aProject(api);
  for (const write of [...writes, description]) {
    for (const [query, expected] of table) await kept(write, await targetOf(write, project), query, expected);
  }
});

test('creating a flag, updateDescription and reading need no title and comment', async () => {
  const project = await requiring();
  await kept(description, await targetOf(description, project), '', {});
  const note = { title: 'why', comment: 'because' };
  await kept(description, await targetOf(description, project), '?title=why&comment=because', note);
  const name = uniqueName('flag');
  const created = await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name });
  assert.equal(created.status, 200);
  assert.equal((await api.get(`/splits/ws/${project.id}/${name}`)).status, 200);
  assert.equal((await api.get(`/splits/ws/${project.id}/environments/staging`)).status, 200);
});

test('requiring them holds as soon as the project says so, and as long', async () => {
  const write = writes.find(({ recorded }) => recorded === 'flag.patched') as Write;
  const project = await aProject(api);
  const target = await targetOf(write, project);
  const require = (value: boolean) =>
    api.patch(`/workspaces/${project.id}`, [{ op: 'replace', path: '/requiresTitleAndComments', value }]);
  await kept(write, target, '', {});
  await require(true);
  await missed(write, target, '');
  await require(false);
  await kept(write, await targetOf(write, project), '', {});
});

test('a title that is given twice is refused with the error body', async () => {
  const write = writes.find(({ recorded }) => recorded === 'definition.patched') as Write;
  const answer = await send(write, await targetOf(write, await requiring()), '?title=a&title=b&comment=c');
  refused(answer, 400, /^title /);
});
