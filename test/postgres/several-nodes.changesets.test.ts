/** Changesets and schedules on three nodes at once: whole, once, and in an order that could have been one after the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aDefinedFlag, aProject } from '../support/build.ts';
import { chanceOf } from '../support/chance.ts';
import { type Client, startNode } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { until } from '../support/until.ts';

const burgee = anInstallation();
const nodes = [await startNode(burgee), await startNode(burgee), await startNode(burgee)];
const [first] = nodes as [Client];
const nodeFor = (number: number): Client => nodes[number % nodes.length] ?? first;
const seed = Date.now() % 1_000_000;
const chance = chanceOf(seed);

const writers = 64;
const flagsOfEach = 3;

test(`${writers} writers apply changesets to overlapping flags: each is whole, none is lost, and one order explains all`, async () => {
  const project = await aProject(first);
  const treatments = [{ name: 'on', keys: ['nobody'] }, { name: 'off' }];
  const flags: string[] = [];
  for (let index = 0; index < 8; index += 1) {
    flags.push((await aDefinedFlag(first, project, { treatments })).flag.name);
  }
  let refusals = 0;
  const write = async (writer: number) => {
    const rest = [...flags];
    const chosen = Array.from({ length: flagsOfEach }, () => rest.splice(chance.integer(0, rest.length - 1), 1)).flat();
    const client = nodeFor(writer);
    const add = { op: 'add', path: '/treatments/0/keys/-', value: `writer-${writer}` };
    const operations = chosen.map((flag) => ({
      environment: project.staging.id,
      flag,
      edit: { kind: 'patch', operations: [add] },
    }));
    // Additions to one list are merged. Should one be refused all the same, nothing of it may be there.
    for (;;) {
      const { status, body, text } = await client.post('/changesets', { workspace: { id: project.id }, operations });
      // On a busy machine, transactions may exceed their deadline.
      if (status === 503) continue;
      assert.equal(status, 200, text);
      const applied = await client.post(`/changesets/${body.id}/apply`);
      if (applied.status === 200) return { writer, id: body.id as string, flags: chosen };
      assert.ok([409, 503].includes(applied.status), applied.text);
      refusals += 1;
    }
  };
  const applied = await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));

  for (const flag of flags) {
    const path = `/splits/ws/${project.id}/${flag}/environments/${project.staging.id}`;
    const { keys } = (await first.get(path)).body.treatments[0];
    const expected = applied.filter((one) => one.flags.includes(flag)).map(({ writer }) => `writer-${writer}`);
    assert.deepEqual(keys.toSorted(), ['nobody', ...expected].sort(), `${flag}, seed ${seed}`);
  }
  const entries = await burgee.rows<Entry>(`
    select id, previous_id, object_name, changeset_id from changes
     where object_type = 'definition' and project_id = '${project.id}'`);
  const done = entries.filter(({ changeset_id }) => changeset_id !== null);
  assert.equal(done.length, writers * flagsOfEach, `each flag of each changeset once, seed ${seed}`);
  assert.ok(isAcyclic(entries), `the orders of different flags contradict each other, seed ${seed}`);
  process.stdout.write(`# ${writers} changesets on three nodes, ${refusals} refused because of others\n`);
});

interface Entry {
  readonly id: string;
  readonly previous_id: string | null;
  readonly object_name: string;
  readonly changeset_id: string | null;
}

/** An entry names the state that it replaced: its changeset came after that one. All of them together have an order. */
function isAcyclic(entries: readonly Entry[]): boolean {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const before = new Map<string, Set<string>>();
  for (const { changeset_id: own, previous_id } of entries) {
    const previous = byId.get(previous_id ?? '')?.changeset_id;
    if (own === null) continue;
    const others = before.get(own) ?? new Set();
    if (previous) others.add(previous);
    before.set(own, others);
  }
  while (before.size > 0) {
    const free = [...before].filter(([, others]) => [...others].every((other) => !before.has(other)));
    if (free.length === 0) return false;
    for (const [id] of free) before.delete(id);
  }
  return true;
}

test('ramps that are due on three nodes at once take each step once', async () => {
  const project = await aProject(first);
  const share = (flag: string, value: number) => ({
    environment: project.staging.id,
    flag,
    edit: { kind: 'patch', operations: [{ op: 'replace', path: '/trafficAllocation', value }] },
  });
  const ramps = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const { flag } = await aDefinedFlag(first, project);
      const client = nodeFor(index);
      const { body } = await client.post('/changesets', {
        workspace: { id: project.id },
        operations: [share(flag.name, 10)],
      });
      const steps = [20, 30, 40].map((value) => ({ waitMs: 200, operations: [share(flag.name, value)] }));
      const scheduled = await client.post(`/changesets/${body.id}/schedule`, { steps });
      assert.equal(scheduled.status, 200, scheduled.text);
      return { id: body.id as string, flag: flag.name };
    }),
  );
  const statesOf = () => Promise.all(ramps.map(async ({ id }) => (await first.get(`/changesets/${id}`)).body.status));
  const isOver = (state: string) => state === 'PUBLISHED' || state === 'FAILED';
  await until('every ramp is over', async () => (await statesOf()).every(isOver), { timeoutMs: 180_000 });
  assert.deepEqual(new Set(await statesOf()), new Set(['PUBLISHED']));
  for (const { id, flag } of ramps) {
    const path = `/splits/ws/${project.id}/${flag}/environments/${project.staging.id}`;
    assert.equal((await first.get(path)).body.trafficAllocation, 40);
    const taken = await burgee.rows(
      `select 1 from changes where changeset_id = '${id}' and object_type = 'definition'`,
    );
    assert.equal(taken.length, 4, `${flag} was changed by its first operations and three steps`);
  }
});
