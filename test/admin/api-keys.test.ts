import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { roleNames } from '#domain/access.ts';
import { hashOf, newKeyText } from '#security/secrets.ts';
import { refused, startApi } from '../support/app.ts';
import { aProject, uniqueName } from '../support/build.ts';
import { until } from '../support/until.ts';

const api = await startApi();

const anAdminKey = (fields: Record<string, unknown> = {}) => ({
  name: uniqueName('key'),
  apiKeyType: 'admin',
  ...fields,
});

async function created(body: Record<string, unknown>, as?: string) {
  const answer = await api.post('/apiKeys', body, as === undefined ? {} : { as });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const works = async (as: string) => (await api.get('/workspaces', { as })).status === 200;

/** The keys that the calling key may see. There are fewer than 200. */
async function listed(as?: string) {
  const { body } = await api.get('/apiKeys?limit=200', as === undefined ? {} : { as });
  return body.objects as { id: string; name: string; lastFour: string; lastUsedAt?: number }[];
}

test('an account-wide key is created as documented, and works', async () => {
  const name = uniqueName('key');
  const actions = await api.recorded(async () => {
    const key = await created({ name, apiKeyType: 'admin', workspace: null, environments: [] });
    const { id, key: text, organization, createdBy, createdAt } = key;
    assert.deepEqual(key, {
      organization: { type: 'Organization', id: organization.id },
      environments: [{ type: 'Environment', id: '<<GLOBAL>>' }],
      name,
      createdBy: { type: 'api_key', id: createdBy.id },
      createdAt,
      apiKeyType: 'admin',
      roles: ['API_ALL_GRANTED'],
      type: 'api_key',
      key: text,
      id,
    });
    assert.ok(Math.abs(createdAt - Date.now()) < 60_000);
    assert.ok(await works(text));
  });
  assert.deepEqual(actions, ['api_key.created']);
});

test('the text of a key shows its type and is unique', async () => {
  const project = await aProject(api);
  const place = { workspace: { type: 'workspace', id: project.id }, environments: [{ id: project.staging.id }] };
  const texts = new Set<string>();
  for (const [apiKeyType, letter] of Object.entries({ admin: 'a', server_side: 's', client_side: 'c' })) {
    for (let count = 0; count < 5; count += 1) {
      const { key } = await created({ name: uniqueName('key'), apiKeyType, ...place });
      assert.match(key, new RegExp(`^burgee_${letter}_[0-9A-Za-z]{36}$`));
      texts.add(key);
    }
  }
  assert.equal(texts.size, 15);
});

test('only a hash of the text is stored, and only the response that creates a key shows the text', async () => {
  const { key: text, id } = await created(anAdminKey());
  const row = await api.store.one<Record<string, unknown>>(sql`select * from api_keys where id = ${id}`);
  assert.equal(row?.hash, hashOf(text));
  const elsewhere = JSON.stringify([row, await listed(), await api.lastChange(), api.log]);
  assert.ok(!elsewhere.includes(text));
  assert.ok(!JSON.stringify([await listed(), await api.lastChange()]).includes(hashOf(text)));
  assert.equal((await listed()).find((key) => key.id === id)?.lastFour, text.slice(-4));
});

test('a key can be restricted to a project or to environments, each named by id or name', async () => {
  const project = await aProject(api);
  const { staging, production } = project;
  const workspace = { type: 'workspace', id: project.id };
  for (const [sent, environments] of [
    [{ workspace: { id: project.id } }, ['<<GLOBAL>>']],
    [{ workspace: { id: project.name }, environments: null }, ['<<GLOBAL>>']],
    [{ workspace, environments: [{ type: 'environment', id: staging.id }] }, [staging.id]],
    [{ workspace, environments: [{ id: production.name }, { id: production.id }] }, [production.id]],
    [{ workspace, environments: [{ id: staging.id }, { id: production.id }] }, [staging.id, production.id]],
  ] as const) {
    const key = await created(anAdminKey(sent));
    assert.deepEqual(key.workspace, workspace);
    const found: { type: string; id: string }[] = key.environments;
    assert.deepEqual(found.map(({ id }) => id).sort(), [...environments].sort());
    assert.ok(await works(key.key));
  }
});

test('an admin key has the requested roles, without duplicates; none requested means all', async () => {
  for (const [roles, expected] of [
    [undefined, ['API_ALL_GRANTED']],
    [null, ['API_ALL_GRANTED']],
    [[], ['API_ALL_GRANTED']],
    [
      ['API_APIKEY', 'API_ADMIN', 'API_APIKEY'],
      ['API_APIKEY', 'API_ADMIN'],
    ],
    [roleNames, roleNames],
  ] as const) {
    assert.deepEqual((await created(anAdminKey({ roles }))).roles, expected);
  }
});

test('an SDK key has no roles and belongs to exactly one environment', async () => {
  const project = await aProject(api);
  const [one, two] = [{ id: project.staging.id }, { id: project.production.id }];
  const workspace = { id: project.id };
  for (const apiKeyType of ['server_side', 'client_side']) {
    const sdkKey = (fields: object) => ({ name: uniqueName('key'), apiKeyType, ...fields });
    assert.deepEqual((await created(sdkKey({ workspace, environments: [one], roles: [] }))).roles, []);
    const actions = await api.recorded(async () => {
      for (const fields of [
        {},
        { workspace },
        { workspace, environments: [] },
        { workspace, environments: [one, two] },
      ]) {
        const message = `a ${apiKeyType} key needs a workspace and exactly one environment`;
        refused(await api.post('/apiKeys', sdkKey(fields)), 400, message);
      }
      const withRoles = sdkKey({ workspace, environments: [one], roles: ['API_ADMIN'] });
      refused(await api.post('/apiKeys', withRoles), 400, /^roles /);
    });
    assert.deepEqual(actions, []);
  }
});

test('an invalid key is refused, and nothing is recorded', async () => {
  const project = await aProject(api);
  const wrong: [fields: Record<string, unknown>, status: number, message: RegExp][] = [
    [{ name: undefined }, 400, /^name /],
    [{ name: ' ' }, 400, /^name /],
    [{ name: 'n'.repeat(101) }, 400, /^name /],
    [{ apiKeyType: undefined }, 400, /^apiKeyType /],
    [{ apiKeyType: 'browser' }, 400, /^apiKeyType /],
    [{ roles: ['API_ROOT'] }, 400, /^roles\/0 /],
    [{ roles: 'API_ADMIN' }, 400, /^roles /],
    [{ workspace: 'x' }, 400, /^workspace/],
    [{ workspace: {} }, 400, /^workspace/],
    [{ environments: [{ id: project.staging.id }] }, 400, /environments need a workspace/],
    [{ workspace: { id: 'no-such-project' } }, 404, /^Could not find project no-such-project$/],
    [
      { workspace: { id: project.id }, environments: [{ id: 'no-such-environment' }] },
      404,
      /^Could not find environment no-such-environment$/,
    ],
  ];
  const actions = await api.recorded(async () => {
    for (const [fields, status, message] of wrong) {
      refused(await api.post('/apiKeys', anAdminKey(fields)), status, message);
    }
  });
  assert.deepEqual(actions, []);
  assert.equal((await created(anAdminKey({ name: uniqueName('n').padEnd(100, 'n') }))).name.length, 100);
});

test('a key cannot create a key of wider scope than its own', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const as = await api.key({ roles: ['API_APIKEY'], scope: { kind: 'project', projectId: mine.id } });
  const environments = [{ id: mine.staging.id }];
  assert.ok(await created(anAdminKey({ workspace: { id: mine.id } }), as));
  assert.ok(await created(anAdminKey({ workspace: { id: mine.id }, environments }), as));
  const actions = await api.recorded(async () => {
    refused(await api.post('/apiKeys', anAdminKey(), { as }), 403, /wider scope/);
    const foreign = await api.post('/apiKeys', anAdminKey({ workspace: { id: other.id } }), { as });
    refused(foreign, 404, `Could not find project ${other.id}`);
  });
  assert.deepEqual(actions, []);
});

test('keys are listed in order of creation; a project key sees only keys of its project', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const names: string[] = [];
  for (const workspace of [{ id: mine.id }, { id: other.id }, { id: mine.id }, null]) {
    names.push((await created(anAdminKey({ workspace }))).name);
  }
  const all = (await listed()).map((key) => key.name);
  assert.deepEqual(all.slice(-4), names);
  const as = await api.key({ name: uniqueName('asking'), scope: { kind: 'project', projectId: mine.id } });
  const { body } = await api.get('/apiKeys', { as });
  const sdkKeys = 4;
  assert.deepEqual([body.offset, body.limit, body.totalCount], [0, 50, sdkKeys + 3]);
  const found: { name: string; workspace: { id: string } }[] = body.objects;
  assert.ok(found.every((key) => key.workspace.id === mine.id));
  assert.deepEqual(
    found.slice(sdkKeys, -1).map((key) => key.name),
    [names[0], names[2]],
  );
  const page = (await api.get('/apiKeys?offset=1&limit=1', { as })).body;
  assert.deepEqual(page, { objects: [found[1]], offset: 1, limit: 1, totalCount: body.totalCount });
  assert.equal((await api.get('/apiKeys?limit=1000')).body.limit, 200);
});

test('the list shows when a key was last used, once it has been used', async () => {
  const { key: text, id } = await created(anAdminKey());
  const lastUse = async () => (await listed()).find((key) => key.id === id)?.lastUsedAt;
  assert.equal(await lastUse(), undefined);
  assert.ok(await works(text));
  // It is written after the response.
  await until('the use is recorded', async () => (await lastUse()) !== undefined);
  assert.ok(Math.abs(((await lastUse()) ?? 0) - Date.now()) < 60_000);
});

/** As a refusal quotes it: the text of a key is redacted. */
const shown = (word: string) => word.replace(/^(burgee_a_).*/, '$1…');

test('a revoked key, named by its id or by its text, stops working at once', async () => {
  for (const by of ['id', 'key'] as const) {
    const key = await created(anAdminKey());
    assert.ok(await works(key.key));
    const actions = await api.recorded(async () => {
      const answer = await api.delete(`/apiKeys/${key[by]}`);
      assert.deepEqual([answer.status, answer.text], [200, 'true']);
    });
    assert.deepEqual(actions, ['api_key.revoked']);
    refused(await api.get('/workspaces', { as: key.key }), 401, 'Invalid Admin API Key');
    refused(await api.delete(`/apiKeys/${key[by]}`), 404, `Could not find API key ${shown(key[by])}`);
    assert.ok(!(await listed()).some((one) => one.id === key.id));
  }
});

test('a key can revoke itself; other keys keep working', async () => {
  const [gone, kept] = [await created(anAdminKey()), await created(anAdminKey())];
  assert.equal((await api.delete(`/apiKeys/${gone.id}`, { as: gone.key })).status, 200);
  assert.deepEqual([await works(gone.key), await works(kept.key)], [false, true]);
});

test('a key that does not exist cannot be revoked', async () => {
  const actions = await api.recorded(async () => {
    for (const word of ['no-such-key', newKeyText('admin')]) {
      refused(await api.delete(`/apiKeys/${word}`), 404, `Could not find API key ${shown(word)}`);
    }
  });
  assert.deepEqual(actions, []);
});

test('the audit log shows a key without its secret', async () => {
  const { id, name, key: text } = await created(anAdminKey({ roles: ['API_ADMIN'] }));
  const { object, after } = (await api.lastChange()) as { object: object; after: Record<string, unknown> };
  assert.deepEqual(object, { type: 'api_key', id, name });
  assert.deepEqual([after.roles, after.lastFour], [['API_ADMIN'], text.slice(-4)]);
  await api.delete(`/apiKeys/${text}`);
  const revoked = (await api.lastChange()) as { object: object; before: object; after?: unknown };
  assert.deepEqual([revoked.object, revoked.before, revoked.after], [object, after, undefined]);
});

test('a key is read by id, as in the list and without its text, within the scope of the calling key', async () => {
  const [mine, other] = [await aProject(api), await aProject(api)];
  const [account, own, foreign] = [
    await created(anAdminKey()),
    await created(anAdminKey({ workspace: { id: mine.id }, environments: [{ id: mine.staging.id }] })),
    await created(anAdminKey({ workspace: { id: other.id } })),
  ];
  for (const { id, key: text } of [account, own, foreign]) {
    const answer = await api.get(`/apiKeys/${id}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(
      answer.body,
      (await listed()).find((key) => key.id === id),
    );
    assert.ok(!answer.text.includes(text));
    refused(await api.get(`/apiKeys/${text}`), 404, /^Could not find API key /);
  }
  assert.deepEqual(
    (await api.get(`/apiKeys/${own.id}`)).body.environments.map((one: { id: string }) => one.id),
    [mine.staging.id],
  );
  const as = await api.key({ scope: { kind: 'project', projectId: mine.id }, roles: ['API_APIKEY'] });
  assert.equal((await api.get(`/apiKeys/${own.id}`, { as })).status, 200);
  for (const { id } of [account, foreign]) {
    refused(await api.get(`/apiKeys/${id}`, { as }), 404, `Could not find API key ${id}`);
  }
  await api.delete(`/apiKeys/${own.id}`);
  refused(await api.get(`/apiKeys/${own.id}`), 404, `Could not find API key ${own.id}`);
});
