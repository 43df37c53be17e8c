/** Where code names flags. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxReports, reportDays } from '#domain/code-references.ts';
import { deleteOldCodeReport } from '#store/code-references.ts';
import { housekeep } from '#store/sql.ts';
import { startApi } from '../support/app.ts';
import { aFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();
const dayMs = 86_400_000;
/** After the first start, which the audit log has first. */
const start = Math.ceil(Date.now() / dayMs) * dayMs;
api.clock.now = start;

const report = (fields: object) => ({ repository: 'acme/shop', branch: 'main', references: [], ...fields });

test('a report replaces the last one of its branch, and what code names is not safe to remove', async () => {
  const project = await aProject(api);
  const [flag, other] = [await aFlag(api, project), await aFlag(api, project)];
  const path = `/code-references/ws/${project.id}`;
  const at = { path: 'src/a b.ts', line: 3, excerpt: 'isOn(flag)' };
  const urlPattern = 'https://code.example/{commit}/{path}#L{line}';
  const references = [
    { flag: flag.name, ...at },
    { flag: other.name, path: 'b', line: 1 },
    { flag: 'deleted', path: 'b', line: 1 },
  ];
  const body = report({ commit: 'abcdef0', urlPattern, references });
  assert.deepEqual(await api.recorded(() => api.put(path, body)), ['workspace.code_reported']);
  const code = async ({ name }: { name: string }) =>
    (await api.get(`/splits/ws/${project.id}/${name}/code-references`)).body.reports;
  assert.deepEqual(await code(flag), [
    {
      repository: 'acme/shop',
      branch: 'main',
      commit: 'abcdef0',
      reportedAt: api.clock.now,
      references: [{ ...at, url: 'https://code.example/abcdef0/src/a%20b.ts#L3' }],
    },
  ]);
  api.clock.now = start + 100 * dayMs;
  await api.put(path, report({ references: [{ flag: flag.name, path: 'c', line: 1 }] }));
  assert.deepEqual(await code(other), []);
  const { objects } = (await api.get(`/cleanup/ws/${project.id}`)).body as {
    objects: { name: string; group: string }[];
  };
  assert.deepEqual(Object.fromEntries(objects.map(({ name, group }) => [name, group])), {
    [flag.name]: 'code',
    [other.name]: 'safe',
  });
  const clean = () => housekeep(api.store, (tx) => deleteOldCodeReport(tx, tx.now - reportDays * dayMs));
  assert.equal(await clean(), 0);
  api.clock.now += (reportDays + 1) * dayMs;
  assert.equal(await clean(), 1);
  assert.deepEqual(await code(flag), []);
  await api.put(path, body);
  assert.deepEqual((await api.put(path, report({}))).body, { references: 0 });
  assert.deepEqual(await code(flag), []);
});

test('reports are bounded', async () => {
  const project = await aProject(api);
  const flag = await aFlag(api, project);
  const path = `/code-references/ws/${project.id}`;
  const lines = (count: number) =>
    Array.from({ length: count }, (_, line) => ({ flag: flag.name, path: 'a', line: line + 1 }));
  assert.deepEqual((await api.put(path, report({ references: lines(5_000) }))).body, { references: 100 });
  assert.equal((await api.put(path, report({ references: lines(5_001) }))).status, 400);
  assert.equal((await api.put(path, report({ urlPattern: 'javascript:alert(1)' }))).status, 400);
  for (let made = 1; made < maxReports; made += 1)
    await api.put(path, report({ branch: `b${made}`, references: lines(1) }));
  const refusal = await api.put(path, report({ branch: uniqueName('branch'), references: lines(1) }));
  assert.equal(refusal.status, 409);
  assert.equal((await api.put(path, report({ references: lines(1) }))).status, 200);
});
