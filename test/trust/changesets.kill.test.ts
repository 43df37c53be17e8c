/**
 * kill -9 while changesets of 50 flags are applied, by hand and by schedules: afterwards each step is applied whole and
 * once, or not at all.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Review } from '#domain/approvals.ts';
import { aDefinedFlag, aProject } from '../support/build.ts';
import { chanceOf } from '../support/chance.ts';
import { onPostgres } from '../support/databases.ts';
import { startNode } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { report, sized } from '../support/trust.ts';
import { until } from '../support/until.ts';

const rounds = sized({ short: 10, long: onPostgres ? 200 : 1_000 });
const rampRounds = sized({ short: 3, long: onPostgres ? 100 : 500 });
const flagCount = 50;
const rampedCount = 20;
const chance = chanceOf(Date.now());

test('a changeset that was being applied at a kill -9 is applied whole and once, or not at all', async () => {
  const burgee = anInstallation({ empty: true });
  const quickly = { NODE_COMPILE_CACHE: join(burgee.folder, 'compiled') };
  let client = await startNode(burgee, quickly);
  const project = await aProject(client);
  const flags: string[] = [];
  for (let index = 0; index < flagCount; index += 1) flags.push((await aDefinedFlag(client, project)).flag.name);
  await client.node.end('SIGTERM');
  client = await startNode(burgee, quickly);
  let [applied, lost] = [0, 0];
  let usualMs = 150;
  for (let round = 1; round <= rounds; round += 1) {
    const edit = { kind: 'patch', operations: [{ op: 'replace', path: '/description', value: `round ${round}` }] };
    const share = { kind: 'patch', operations: [{ op: 'replace', path: '/trafficAllocation', value: round % 100 }] };
    const operations = flags.map((flag) => ({ environment: project.staging.id, flag, edit: share }));
    const details = { flag: flags[0], edit };
    const { body, text } = await client.post('/changesets', {
      workspace: { id: project.id },
      operations: [...operations, details],
    });
    assert.equal(body.status, 'DRAFT', text);
    const applying = client.post(`/changesets/${body.id}/apply`).catch(() => undefined);
    await pause(usualMs * 1.2 * chance.number());
    await client.node.end('SIGKILL');
    const told = (await applying)?.status === 200;
    client = await startNode(burgee, quickly);
    const isThere = await requireWhole(round, body.id);
    assert.ok(isThere || !told, 'it was acknowledged and is not there');
    if (isThere) applied += 1;
    else lost += 1;
    // Trying again applies what is not there, and nothing twice.
    const again = await client.post(`/changesets/${body.id}/apply`);
    assert.equal(again.status, isThere ? 409 : 200, again.text);
    // About half of the kills come too late.
    usualMs *= isThere ? 0.7 : 1.5;
    assert.ok(await requireWhole(round, body.id));
  }
  report(
    `kill -9 while changesets of ${flagCount} flags are applied: ${applied} whole, ${lost} not at all, 0 half, 0 twice`,
  );
  await client.node.end('SIGTERM');

  /** Whether it is there: with all its entries, its state and every definition; or without any of them. */
  async function requireWhole(round: number, id: string): Promise<boolean> {
    const [entries] = await burgee.rows<{ total: number }>(
      `select count(*) as total from changes where changeset_id = '${id}' and object_type <> 'changeset'`,
    );
    const { body: changeset } = await client.get(`/changesets/${id}`);
    const isThere = changeset.status === 'PUBLISHED';
    assert.equal(entries?.total, isThere ? flagCount + 1 : 0, 'entries');
    const said = changeset.reviews.filter(({ kind }: Review) => kind === 'apply');
    assert.equal(said.length, isThere ? 1 : 0, 'who applied it');
    const wanted = (isThere ? round : round - 1) % 100;
    for (const flag of flags) {
      const { body } = await client.get(`/splits/ws/${project.id}/${flag}/environments/${project.staging.id}`);
      assert.equal(body.trafficAllocation, isThere || round > 1 ? wanted : 100, flag);
    }
    return isThere;
  }
});

test('a ramp continues after each kill -9: no step is applied by half, left out or applied twice', async () => {
  const burgee = anInstallation({ empty: true });
  const quickly = { NODE_COMPILE_CACHE: join(burgee.folder, 'compiled') };
  let client = await startNode(burgee, quickly);
  const project = await aProject(client);
  const flags: string[] = [];
  for (let index = 0; index < rampedCount; index += 1) flags.push((await aDefinedFlag(client, project)).flag.name);
  const allocate = (value: number) =>
    flags.map((flag) => ({
      environment: project.staging.id,
      flag,
      edit: { kind: 'patch', operations: [{ op: 'replace', path: '/trafficAllocation', value }] },
    }));
  let [kills, midway] = [0, 0];
  let usualMs = 80;
  for (let round = 1; round <= rampRounds; round += 1) {
    const first = (round % 20) * 5;
    const { body } = await client.post('/changesets', { workspace: { id: project.id }, operations: allocate(first) });
    const steps = [1, 2, 3, 4].map((step) => ({ waitMs: 0, operations: allocate(first + step) }));
    const { status, text } = await client.post(`/changesets/${body.id}/schedule`, { steps });
    assert.equal(status, 200, text);
    for (let kill = 0; kill < 2; kill += 1) {
      await pause(usualMs * chance.number());
      await client.node.end('SIGKILL');
      kills += 1;
      const applied = await requireWhole(body.id);
      if (applied > 0 && applied <= steps.length) midway += 1;
      // As many kills come before the first step as after the last.
      usualMs *= applied === 0 ? 1.5 : applied > steps.length ? 0.7 : 1;
      client = await startNode(burgee, quickly);
    }
    await until(
      'the ramp is over',
      async () => (await client.get(`/changesets/${body.id}`)).body.status === 'PUBLISHED',
    );
    assert.equal(await requireWhole(body.id), steps.length + 1);
    for (const flag of flags) {
      const path = `/splits/ws/${project.id}/${flag}/environments/${project.staging.id}`;
      assert.equal((await client.get(path)).body.trafficAllocation, first + steps.length, flag);
    }
  }
  report(`kill -9 while ramps of ${rampedCount} flags run: ${kills} kills, ${midway} between steps, 0 half, 0 twice`);
  await client.node.end('SIGTERM');

  /** How many steps are there, each with all its entries. */
  async function requireWhole(id: string): Promise<number> {
    const [row] = await burgee.rows<{ applied: string; total: number }>(
      `select s.applied, (select count(*) from changes c
                           where c.changeset_id = s.changeset_id and c.object_type <> 'changeset') as total
         from changeset_schedules s where s.changeset_id = '${id}'`,
    );
    assert.ok(row);
    const applied = (JSON.parse(row.applied) as number[]).length;
    assert.equal(Number(row.total), applied * rampedCount);
    return applied;
  }
});
