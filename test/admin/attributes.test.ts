import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAccount } from '#store/account.ts';
import { refused, startApi } from '../support/app.ts';
import { aFlag, aProject } from '../support/build.ts';

const api = await startApi();
const organizationId = (await findAccount(api.store))?.id ?? assert.fail();

/** The schema of the traffic type `user` of a new project. */
async function aSchema() {
  const project = await aProject(api);
  const [trafficType] = (await api.get(`/trafficTypes/ws/${project.id}`)).body as { id: string }[];
  assert.ok(trafficType);
  return { project, trafficTypeId: trafficType.id, path: `/schema/ws/${project.id}/trafficTypes/user` };
}

const idsIn = (items: readonly { id: string }[]) => items.map(({ id }) => id);
const listed = async (path: string) => idsIn((await api.get(path)).body);

async function changesNothing(path: string, attempt: () => Promise<unknown>) {
  const before = (await api.get(path)).text;
  assert.deepEqual(await api.recorded(attempt), []);
  assert.equal((await api.get(path)).text, before);
}

test('an attribute has defaults for everything but its id, and is recorded with its traffic type', async () => {
  const { project, trafficTypeId, path } = await aSchema();
  const expected = {
    id: 'age',
    organizationId,
    trafficTypeId,
    displayName: 'age',
    description: '',
    dataType: null,
    isSearchable: false,
    suggestedValues: [],
  };
  const actions = await api.recorded(async () => {
    const { status, body } = await api.post(path, { id: 'age' });
    assert.equal(status, 200);
    assert.deepEqual(body, expected);
  });
  assert.deepEqual(actions, ['attribute.created']);
  const { object, workspaceId, after, before } = await api.lastChange();
  assert.deepEqual(object, { type: 'attribute', id: `${trafficTypeId}/age`, name: 'age' });
  assert.deepEqual([workspaceId, (after as { id: string }).id, before], [project.id, 'age', undefined]);
  assert.deepEqual((await api.get(path)).body, [expected]);
});

test('POST and PUT overwrite the attribute with the same id: what they leave out is reset', async () => {
  const { path } = await aSchema();
  for (const save of [api.post, api.put]) {
    const whole = {
      id: 'age',
      displayName: 'Age',
      description: 'in years',
      dataType: 'number',
      suggestedValues: ['1'],
    };
    assert.equal((await save(path, { ...whole, isSearchable: true })).body.dataType, 'NUMBER');
    const actions = await api.recorded(async () => {
      const { body } = await save(path, { id: 'age', displayName: 'Years' });
      const { displayName, description, dataType, isSearchable, suggestedValues } = body;
      assert.deepEqual(
        [displayName, description, dataType, isSearchable, suggestedValues],
        ['Years', '', null, false, []],
      );
    });
    assert.deepEqual(actions, ['attribute.replaced']);
  }
  assert.deepEqual(await listed(path), ['age']);
});

test('saving an attribute as it is leaves no trace', async () => {
  const { path } = await aSchema();
  const { body } = await api.post(path, { id: 'age', dataType: 'Number' });
  await changesNothing(path, async () => {
    assert.deepEqual((await api.post(path, body)).body, body);
    assert.deepEqual((await api.post(`${path}/attribute:bulk`, [body])).body, [body]);
    assert.deepEqual((await api.patch(`${path}/age`, { dataType: 'number' })).body, body);
  });
});

test('as the vendor’s Python client sends it: every member, null where it has none', async () => {
  const { trafficTypeId, path } = await aSchema();
  const { status, body } = await api.post(path, {
    id: 'age',
    organizationId: null,
    trafficTypeId,
    displayName: null,
    description: null,
    dataType: null,
    suggestedValues: null,
  });
  assert.equal(status, 200);
  assert.deepEqual([body.displayName, body.suggestedValues], ['age', []]);
});

test('data types are STRING, DATETIME, NUMBER and SET in any case, answered in upper case', async () => {
  const { path } = await aSchema();
  for (const dataType of ['string', 'DateTime', 'NUMBER', 'Set']) {
    assert.equal((await api.post(path, { id: 'one', dataType })).body.dataType, dataType.toUpperCase());
  }
  assert.equal((await api.post(path, { id: 'one', dataType: '' })).body.dataType, null);
  await changesNothing(path, async () => {
    const message = 'dataType must be one of STRING, DATETIME, NUMBER, SET, null';
    refused(await api.post(path, { id: 'one', dataType: 'boolean' }), 400, message);
    refused(await api.patch(`${path}/one`, { dataType: 7 }), 400, message);
  });
});

test('an attribute has limits, and refusals name the place', async () => {
  const { path } = await aSchema();
  const bad: [body: unknown, message: string | RegExp][] = [
    [{}, 'id is required'],
    [[], 'body must be object'],
    [{ id: '1st' }, 'id must be a letter, then letters, digits, - or _'],
    [{ id: 'a.b' }, /^id must be/],
    [{ id: 'a'.repeat(201) }, /^id must not have more than 200 characters/],
    [{ id: 'a', displayName: 'n'.repeat(201) }, /^displayName must not have more than 200/],
    [{ id: 'a', displayName: 'a\nb' }, 'displayName must not contain control characters'],
    [{ id: 'a', description: 'd'.repeat(501) }, /^description must not have more than 500/],
    [{ id: 'a', isSearchable: 'maybe' }, /^isSearchable must be one of true, false/],
    [{ id: 'a', suggestedValues: ['x'.repeat(51)] }, /^suggestedValues\/0 must not have more than 50/],
    [{ id: 'a', suggestedValues: Array.from({ length: 51 }, String) }, /^suggestedValues must not have more than 50/],
    [{ id: 'a', suggestedValues: 'x' }, /^suggestedValues must be/],
  ];
  await changesNothing(path, async () => {
    for (const [body, message] of bad) refused(await api.post(path, body), 400, message);
  });
  const largest = {
    id: `a${'b'.repeat(199)}`,
    displayName: 'n'.repeat(200),
    description: 'd'.repeat(500),
    isSearchable: 'true',
    suggestedValues: Array.from({ length: 50 }, (_, index) => String(index).padStart(50, '0')),
  };
  const { status, body } = await api.post(path, largest);
  assert.equal(status, 200);
  assert.deepEqual([body.isSearchable, body.suggestedValues], [true, largest.suggestedValues]);
  assert.deepEqual((await api.post(path, { id: 'a', suggestedValues: ['x', 'y', 'x'] })).body.suggestedValues, [
    'x',
    'y',
  ]);
});

test('a patch is a partial object: members that it leaves out stay, null resets one, the id stays', async () => {
  const { path } = await aSchema();
  const { body: before } = await api.post(path, {
    id: 'age',
    displayName: 'Age',
    description: 'in years',
    dataType: 'NUMBER',
    isSearchable: true,
    suggestedValues: ['18'],
  });
  const patched = async (body: unknown) => (await api.patch(`${path}/age`, body)).body;
  const actions = await api.recorded(async () => {
    assert.deepEqual(await patched({ description: 'whole years', id: 'other', trafficTypeId: 'x' }), {
      ...before,
      description: 'whole years',
    });
  });
  assert.deepEqual(actions, ['attribute.patched']);
  const reset = { displayName: null, description: null, dataType: null, isSearchable: null, suggestedValues: null };
  assert.deepEqual(await patched(reset), {
    ...before,
    displayName: 'age',
    description: '',
    dataType: null,
    isSearchable: false,
    suggestedValues: [],
  });
  await changesNothing(path, async () => {
    refused(await api.patch(`${path}/none`, {}), 404, 'Could not find attribute none');
    refused(await api.patch(`${path}/age`, [{ op: 'remove', path: '/description' }]), 400, 'body must be object');
  });
});

test('an attribute is deleted by its id', async () => {
  const { path } = await aSchema();
  await api.post(path, { id: 'age' });
  const actions = await api.recorded(async () => {
    assert.equal((await api.delete(`${path}/age`)).text, 'true');
  });
  assert.deepEqual(actions, ['attribute.deleted']);
  assert.deepEqual(await listed(path), []);
  await changesNothing(path, async () => {
    refused(await api.delete(`${path}/age`), 404, 'Could not find attribute age');
  });
});

test('several attributes are saved in one change, with an entry for each that it changes', async () => {
  const { path } = await aSchema();
  await api.post(path, { id: 'kept', displayName: 'Kept' });
  await api.post(path, { id: 'old', description: 'before' });
  const body = [{ id: 'new', dataType: 'set' }, { id: 'old' }, { id: 'kept', displayName: 'Kept' }];
  const actions = await api.recorded(async () => {
    const { status, body: saved } = await api.post(`${path}/attribute:bulk`, body);
    assert.equal(status, 200);
    assert.deepEqual(idsIn(saved), ['new', 'old', 'kept']);
    assert.equal(saved[0].dataType, 'SET');
  });
  assert.deepEqual(actions, ['attribute.created', 'attribute.replaced']);
  assert.deepEqual(await listed(path), ['kept', 'new', 'old']);
});

test('if one of several attributes is invalid, none is saved, and each problem is named with its place', async () => {
  const { path } = await aSchema();
  const bulk = `${path}/attribute:bulk`;
  await changesNothing(path, async () => {
    const answer = await api.post(bulk, [{ id: 'good' }, { id: '1' }, { id: 'two', dataType: 'colour' }]);
    refused(answer, 400, '1/id must be a letter, then letters, digits, - or _');
    const place = '2/dataType must be one of STRING, DATETIME, NUMBER, SET, null';
    assert.equal(answer.body.details, `${answer.body.message}\n${place}`);
    refused(await api.post(bulk, [{ id: 'a' }, { id: 'b' }, { id: 'a' }]), 400, '2/id a occurs twice');
    refused(await api.post(bulk, []), 400, /^body must not have fewer than 1 items/);
    refused(await api.post(bulk, { id: 'a' }), 400, 'body must be array');
    const many = Array.from({ length: 1_001 }, (_, index) => ({ id: `a${index}` }));
    refused(await api.post(bulk, many), 400, /^body must not have more than 1000 items/);
  });
});

test('a traffic type has at most 1,000 attributes', async () => {
  const { path } = await aSchema();
  const many = Array.from({ length: 1_000 }, (_, index) => ({ id: `a${index}` }));
  assert.equal((await api.post(`${path}/attribute:bulk`, many)).status, 200);
  const message = 'A traffic type can have at most 1000 attributes; delete some first';
  await changesNothing(path, async () => {
    refused(await api.post(path, { id: 'another' }), 400, message);
    refused(await api.post(`${path}/attribute:bulk`, [{ id: 'a1', description: 'x' }, { id: 'b' }]), 400, message);
  });
  assert.equal((await api.post(path, { id: 'a1', description: 'x' })).status, 200);
});

test('the list is an array, by id, unless pages are asked for in the vendor’s spelling', async () => {
  const { path } = await aSchema();
  for (const id of ['b', 'c', 'a']) await api.post(path, { id });
  // The last is what a Terraform provider sends, which reads an array.
  for (const query of ['', '?markerLimit=2', '?paginate=false', '?paginate=False', '?Paginate=true&markerLimit=200']) {
    assert.deepEqual(await listed(path + query), ['a', 'b', 'c'], query);
  }
  for (const query of ['?paginate=true', '?paginate=True']) {
    const { body } = await api.get(path + query);
    assert.deepEqual(body, {
      objects: (await api.get(path)).body,
      nextMarker: null,
      previousMarker: null,
      limit: 50,
      count: 3,
    });
  }
  refused(await api.get(`${path}?paginate`), 400, /^paginate must be one of/);
});

test('markers lead forward, back, and to the same page again', async () => {
  const { path } = await aSchema();
  const all = Array.from({ length: 7 }, (_, index) => `a${index}`);
  await api.post(
    `${path}/attribute:bulk`,
    all.map((id) => ({ id })),
  );
  const page = async (query = '') => {
    const { body } = await api.get(`${path}?paginate=true&markerLimit=3${query}`);
    return { ids: idsIn(body.objects), next: body.nextMarker, previous: body.previousMarker, limit: body.limit };
  };
  const first = await page();
  assert.deepEqual([first.ids, first.previous, first.limit], [['a0', 'a1', 'a2'], null, 3]);
  const second = await page(`&afterMarker=${first.next}`);
  assert.deepEqual(second.ids, ['a3', 'a4', 'a5']);
  const last = await page(`&afterMarker=${second.next}`);
  assert.deepEqual([last.ids, last.next], [['a6'], null]);
  assert.deepEqual(await page(`&beforeMarker=${second.previous}`), first);
  assert.deepEqual(await page(`&afterMarker=${second.previous}`), second);
  assert.deepEqual(await page(`&beforeMarker=${second.next}`), second);
  // A marker stays valid when its attribute is deleted.
  await api.delete(`${path}/a2`);
  assert.deepEqual((await page(`&afterMarker=${first.next}`)).ids, ['a3', 'a4', 'a5']);
  refused(await api.get(`${path}?paginate=true&afterMarker=x`), 400, /^Unknown marker/);
  refused(
    await api.get(`${path}?paginate=true&afterMarker=${first.next}&beforeMarker=${first.next}`),
    400,
    'afterMarker and beforeMarker cannot be asked for together',
  );
});

test('a page of attributes has at most 200, and a prefix finds ids and display names without case', async () => {
  const { path } = await aSchema();
  await api.post(`${path}/attribute:bulk`, [
    { id: 'Plan' },
    { id: 'b', displayName: 'planned' },
    { id: 'xPlan' },
    { id: 'a_b' },
  ]);
  const { body } = await api.get(`${path}?paginate=true&markerLimit=5000`);
  assert.equal(body.limit, 200);
  const found = async (prefix: string) =>
    idsIn((await api.get(`${path}?paginate=true&searchPrefix=${encodeURIComponent(prefix)}`)).body.objects);
  assert.deepEqual(await found('PLAN'), ['Plan', 'b']);
  assert.deepEqual(await found('%'), []);
  assert.deepEqual(await found('a_'), ['a_b']);
  refused(await api.get(`${path}?paginate=true&markerLimit=0`), 400, /^markerLimit must/);
});

test('attributes of two traffic types have nothing to do with each other', async () => {
  const { project, path } = await aSchema();
  await api.post(`/trafficTypes/ws/${project.id}`, { name: 'account' });
  const other = `/schema/ws/${project.id}/trafficTypes/account`;
  await api.post(path, { id: 'plan', displayName: 'One' });
  await api.post(other, { id: 'plan', displayName: 'Two' });
  await api.delete(`${other}/plan`);
  assert.equal((await api.get(path)).body[0].displayName, 'One');
  refused(await api.get(`/schema/ws/${project.id}/trafficTypes/none`), 404, 'Could not find traffic type none');
});

test('a traffic type is deleted with its attributes, and each is recorded', async () => {
  const { trafficTypeId, path, project } = await aSchema();
  await api.post(`${path}/attribute:bulk`, [{ id: 'a' }, { id: 'b' }]);
  const flag = await aFlag(api, project);
  await changesNothing(path, async () => {
    assert.equal((await api.delete(`/trafficTypes/${trafficTypeId}`)).status, 400);
  });
  await api.delete(`/splits/ws/${project.id}/${flag.name}`);
  const actions = await api.recorded(async () => {
    assert.equal((await api.delete(`/trafficTypes/${trafficTypeId}`)).status, 200);
  });
  assert.deepEqual(actions, ['attribute.deleted', 'attribute.deleted', 'trafficType.deleted']);
});

test('attributes that are saved at once are all kept, and no more than fit', async () => {
  const { path } = await aSchema();
  const many = Array.from({ length: 995 }, (_, index) => ({ id: `a${index}` }));
  await api.post(`${path}/attribute:bulk`, many);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => api.post(path, { id: `b${index}` })));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 400, 400, 400, 400, 400]);
  assert.equal((await listed(path)).length, 1_000);
});

const formOf = (file: string, name = 'file') =>
  [
    '----form7d3a',
    `content-disposition: form-data; name="${name}"; filename="a.csv"`,
    'content-type: text/csv',
    '',
    file,
    '----form7d3a--',
    '',
  ].join('\r\n');
const asForm = (file: string, name?: string) => ({
  text: formOf(file, name),
  headers: { 'content-type': 'multipart/form-data; boundary=--form7d3a' },
});

test('attributes are saved from a CSV file, with or without a header, in quotes or not', async () => {
  const { path } = await aSchema();
  const bulk = `${path}/attribute:bulk`;
  const rows = [
    'plan,Plan,"What it ""costs"", a month",string,"free, team"',
    '',
    ' age ,,,Number,18,21',
    'bare',
    '"lines","a","one\ntwo",,',
  ];
  for (const [before, ending] of [
    ['', '\n'],
    ['\ufeffID,Display name,Description,Data type,Suggested values\r\n', '\r\n'],
  ]) {
    const actions = await api.recorded(async () => {
      const { status, body, text } = await api.call('POST', bulk, asForm(before + rows.join(ending)));
      assert.equal(status, 200, text);
      const facts = body.map((one: Record<string, unknown>) => [
        ...[one.id, one.displayName, one.description, one.dataType, one.suggestedValues],
      ]);
      assert.deepEqual(facts, [
        ['plan', 'Plan', 'What it "costs", a month', 'STRING', ['free', 'team']],
        ['age', 'age', '', 'NUMBER', ['18', '21']],
        ['bare', 'bare', '', null, []],
        ['lines', 'a', 'one\ntwo', null, []],
      ]);
    });
    assert.equal(actions.length, before === '' ? 4 : 0);
  }
});

test('a CSV file with mistakes saves nothing, and the error names the rows', async () => {
  const { path } = await aSchema();
  const bulk = `${path}/attribute:bulk`;
  await changesNothing(path, async () => {
    const answer = await api.call('POST', bulk, asForm('id,name\ngood\n\n1st\ntwo,,,colour\n'));
    refused(answer, 400, 'row 4: id must be a letter, then letters, digits, - or _');
    assert.match(answer.body.details, /\nrow 5: dataType must be one of STRING/);
    refused(await api.call('POST', bulk, asForm('a\nb\na')), 400, 'row 3: id a occurs twice');
    refused(await api.call('POST', bulk, asForm('a,"b')), 400, 'row 1: a quote is not closed, or text follows it');
    refused(await api.call('POST', bulk, asForm(','.repeat(900_000))), 400, 'row 1: must not have more than 60 cells');
    refused(await api.call('POST', bulk, asForm('"a",'.repeat(61))), 400, 'row 1: must not have more than 60 cells');
    refused(await api.call('POST', bulk, asForm('\n'.repeat(900_000))), 400, 'file must not have more than 5000 lines');
    refused(await api.call('POST', bulk, asForm('""'.repeat(400_000))), 400, /^row 1: /);
    refused(await api.call('POST', bulk, asForm('')), 400, /^file must not have fewer than 1 rows/);
    const many = Array.from({ length: 1_001 }, (_, index) => `a${index}`).join('\n');
    refused(await api.call('POST', bulk, asForm(many)), 400, /^file must not have more than 1000 rows/);
    refused(await api.call('POST', bulk, asForm('a', 'other')), 400, /form without a part "file"/);
    refused(await api.call('POST', bulk, asForm('x'.repeat(1_048_577))), 413, /^The body is larger than/);
  });
});
