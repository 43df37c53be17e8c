/** Finding in the audit log: search, calendar and download. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import type { CalendarDay, Change } from '#domain/changes.ts';
import { refused, startApi } from '../support/app.ts';
import { aDefinedFlag, aProject, uniqueName } from '../support/build.ts';

const api = await startApi();

/** A project with a flag that was killed and restored, for reasons. */
async function aStory() {
  const project = await aProject(api);
  const { path, flag } = await aDefinedFlag(api, project);
  const note = (title: string, comment: string) => new URLSearchParams({ title, comment });
  await api.put(`${path}/kill?${note('Card form blank', '=HYPERLINK("http://evil")')}`);
  await api.put(`${path}/restore?${note('100%_sure!', 'Größe, "quoted"\nsecond line')}`);
  return { project, path, flag };
}

const actionsOf = (changes: readonly Change[]) => changes.map(({ auditLogType }) => auditLogType);

async function found(query: Record<string, string>, as?: string) {
  const answer = await api.get(`/auditLogs?${new URLSearchParams(query)}`, as === undefined ? {} : { as });
  assert.equal(answer.status, 200, answer.text);
  return actionsOf(answer.body.data);
}

test('a search finds text in titles, comments and names, whatever the case, and takes wildcards as they are', async () => {
  const { project, flag } = await aStory();
  const search = (text: string) => found({ workspaceId: project.id, search: text });
  assert.deepEqual(await search('CARD form'), ['definition.killed']);
  assert.deepEqual(await search('hyperlink'), ['definition.killed']);
  assert.deepEqual(await search('100%_sure!'), ['definition.restored']);
  assert.deepEqual(await search('Größe'), ['definition.restored']);
  assert.deepEqual(await search('%sure%'), []);
  assert.deepEqual(await search('nothing like this'), []);
  const named = ['definition.restored', 'definition.killed', 'definition.created', 'flag.created'];
  assert.deepEqual(await search(flag.name.toUpperCase()), named);
  assert.deepEqual(await found({ objectId: flag.id, objectType: 'definition', search: 'card' }), ['definition.killed']);
  refused(await api.get('/auditLogs?search='), 400, /search/);
  refused(await api.get(`/auditLogs?search=${'x'.repeat(101)}`), 400, /search/);
});

/** 6,000 newer entries about the flag. */
async function muchMore({ flag }: { flag: { id: string } }): Promise<void> {
  const digits = sql`(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))`;
  const numbers = sql`
    with digits (n) as ${digits}
    select a.n + 10 * b.n + 100 * c.n + 1000 * d.n as n from digits a, digits b, digits c, digits d`;
  await api.store.write((tx) =>
    tx.run(sql`
      insert into changes (id, at, transaction_id, actor_type, actor_id, actor_name, action, object_type, object_id,
                           object_name, project_id)
      select object_id || n, at + 10000000 + n, transaction_id, actor_type, actor_id, actor_name, action, object_type,
             object_id, 'another', project_id
        from changes cross join (${numbers}) numbers
       where object_id = ${flag.id} and action = 'flag.created' and n < 6000`),
  );
}

test('a search that finds little continues where it stopped', async () => {
  const story = await aStory();
  const { project } = story;
  await muchMore(story);
  const query = new URLSearchParams({ workspaceId: project.id, search: 'Card form blank' });
  const { body: first } = await api.get(`/auditLogs?${query}`);
  assert.deepEqual([first.count, typeof first.nextMarker], [0, 'string']);
  const { body: second } = await api.get(`/auditLogs?${query}&after=${first.nextMarker}`);
  assert.deepEqual([actionsOf(second.data), second.nextMarker], [['definition.killed'], null]);
  const { text } = await api.get(`/auditLogs/download?format=ndjson&${query}`);
  assert.deepEqual(actionsOf(linesOf(text)), ['definition.killed'], 'a download reads to the end');
});

test('others have their turns while a long file is made', async () => {
  const story = await aStory();
  await muchMore(story);
  let [turns, isDone] = [0, false];
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const file = await api.get(`/auditLogs/download?format=csv&workspaceId=${story.project.id}`);
  isDone = true;
  assert.ok(file.text.split('\n').length > 6_000);
  assert.ok(turns > 30, 'one for each page of 200');
});

const linesOf = (text: string): Change[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('a download as lines of JSON has every entry that the list has', async () => {
  const { project } = await aStory();
  const { body: list } = await api.get(`/auditLogs?limit=200&workspaceId=${project.id}`);
  const answer = await api.get(`/auditLogs/download?format=ndjson&workspaceId=${project.id}`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'application/x-ndjson; charset=utf-8');
  assert.equal(answer.headers['content-disposition'], 'attachment; filename="activity.ndjson"');
  assert.deepEqual(linesOf(answer.text), list.data);
});

test('a download as CSV is text in every spreadsheet', async () => {
  const { project, flag } = await aStory();
  const answer = await api.get(`/auditLogs/download?format=csv&objectId=${flag.id}&objectType=definition`);
  assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8');
  assert.equal(answer.headers['content-disposition'], 'attachment; filename="activity.csv"');
  const [head, restored, continued, killed, created] = answer.text.split(/\r?\n/);
  assert.match(head ?? '', /^time,action,object,project,environment,who,title,comment,/);
  const place = `${flag.name},${project.name},${project.staging.name},First admin key`;
  assert.match(restored ?? '', new RegExp(`^20.+Z,definition.restored,${place},100%_sure!,"Größe, ""quoted""$`));
  assert.match(continued ?? '', /^second line",definition,/);
  assert.match(killed ?? '', new RegExp(`,${place},Card form blank,"'=HYPERLINK\\(""http://evil""\\)",definition`));
  assert.match(created ?? '', new RegExp(`,definition.created,${place},,,definition,${flag.id},${project.id},`));
  refused(await api.get('/auditLogs/download?format=xls'), 400, /format/);
  refused(await api.get('/auditLogs/download'), 400, /format/);
});

test('entries that the list does not show are not in the download, the calendar or a search either', async () => {
  const [mine, other] = [await aStory(), await aStory()];
  const keys = {
    project: await api.key({ scope: { kind: 'project', projectId: mine.project.id } }),
    environment: await api.key({
      scope: { kind: 'environment', projectId: mine.project.id, environmentIds: [mine.project.production.id] },
    }),
  };
  const span = { from: String(Date.now() - 3_600_000), to: String(Date.now() + 3_600_000) };
  for (const [kind, as] of Object.entries(keys)) {
    for (const format of ['csv', 'ndjson']) {
      const whole = await api.get(`/auditLogs/download?format=${format}`, { as });
      assert.equal(whole.status, 200);
      assert.doesNotMatch(whole.text, new RegExp(`${other.flag.name}|${other.project.id}`), kind);
      assert.equal(whole.text.includes(mine.flag.name), kind === 'project');
      const asked = await api.get(`/auditLogs/download?format=${format}&workspaceId=${other.project.id}`, { as });
      assert.equal(asked.text.includes(other.flag.name), false);
    }
    const query = new URLSearchParams({ ...span, workspaceId: other.project.id });
    assert.deepEqual((await api.get(`/auditLogs/calendar?${query}`, { as })).body, { days: [] });
    assert.deepEqual(await found({ search: other.flag.name }, as), []);
  }
});

test('the calendar counts changes, those in production and kills, by the days of a time zone', async () => {
  const project = await aProject(api);
  const { flag } = await aDefinedFlag(api, project);
  const production = `/splits/ws/${project.id}/${flag.name}/environments/${project.production.id}`;
  const treatments = [{ name: 'on' }, { name: 'off' }];
  await api.post(production, { treatments, defaultTreatment: 'off', defaultRule: [{ treatment: 'on', size: 100 }] });
  await api.put(`${production}/kill`);
  // The kill happened at 23:30 UTC, which is the next day in Berlin; the rest at noon.
  const noon = Date.UTC(2026, 5, 1, 12);
  await api.store.write((tx) => tx.run(sql`update changes set at = ${noon} where object_id = ${flag.id}`));
  const late = Date.UTC(2026, 5, 1, 23, 30);
  await api.store.write((tx) =>
    tx.run(sql`update changes set at = ${late} where object_id = ${flag.id} and action = 'definition.killed'`),
  );
  const calendar = async (more: Record<string, string> = {}): Promise<CalendarDay[]> => {
    const span = { from: String(Date.UTC(2026, 4, 1)), to: String(Date.UTC(2026, 6, 1)) };
    const answer = await api.get(`/auditLogs/calendar?${new URLSearchParams({ objectId: flag.id, ...span, ...more })}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.days;
  };
  assert.deepEqual(await calendar(), [{ day: '2026-06-01', count: 4, production: 2, kills: 1, isPartial: false }]);
  const inBerlin = [
    { day: '2026-06-01', count: 3, production: 1, kills: 0, isPartial: false },
    { day: '2026-06-02', count: 1, production: 1, kills: 1, isPartial: false },
  ];
  assert.deepEqual(await calendar({ timeZone: 'Europe/Berlin' }), inBerlin);
  assert.deepEqual(await calendar({ objectType: 'flag' }), [{ ...inBerlin[0], count: 1, production: 0 }]);
  assert.deepEqual(await calendar({ environmentId: project.staging.id, search: flag.name }), [
    { ...inBerlin[0], count: 1, production: 0 },
  ]);
  assert.deepEqual(await calendar({ workspaceId: uniqueName('project') }), []);
  refused(await api.get('/auditLogs/calendar?from=0&to=0&timeZone=Mars/Base'), 400, /timeZone/);
  refused(await api.get('/auditLogs/calendar?from=0&to=99999999999'), 400, /372 days/);
});
