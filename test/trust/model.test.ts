/** Random sequences of every kind of request, one after the other: each response is what a simple model expects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allSteps } from '../support/model/all-steps.ts';
import { auditDifference, type Recorded } from '../support/model/audit.ts';
import { differenceOf, type Ids } from '../support/model/compare.ts';
import { aimAt, learnProject, startModelServer } from '../support/model/server.ts';
import type { Step } from '../support/model/step.ts';
import type { World } from '../support/model/world.ts';
import { isLong, report, sized } from '../support/trust.ts';

const server = await startModelServer();
const seen = { sequences: 0, commands: 0, refused: 0, kinds: new Map<string, Set<number>>() };

interface Model {
  readonly world: World;
  readonly ids: Ids;
  readonly entries: Recorded[];
}

class Command implements fc.AsyncCommand<Model, object> {
  readonly #step: Step;

  constructor(step: Step) {
    this.#step = step;
  }

  /** Also requests that must be refused. */
  check = () => true;

  async run(model: Model): Promise<void> {
    const { world, ids, entries } = model;
    world.now += 1_000;
    server.api.clock.now = world.now;
    const aim = aimAt(this.#step, world, ids);
    const answer = await server.send(this.#step, { world, ids, aim });
    const expected = this.#step.apply(world, aim, `s${seen.commands}`);
    seen.commands += 1;
    const statuses = seen.kinds.get(this.#step.name) ?? new Set();
    seen.kinds.set(this.#step.name, statuses.add(expected.status));
    if (expected.status >= 400) seen.refused += 1;
    for (const entry of expected.earlierEntries ?? []) entries.push({ ...entry, at: world.now });
    if (expected.entry) entries.push({ ...expected.entry, at: world.now });
    assert.equal(differenceOf(expected, answer, ids, 'serial'), undefined, `${this}`);
    if (expected.entry?.action === 'workspace.created') await learnProject(server.api, expected.entry.object.id, ids);
  }

  toString = () => `${this.#step.name} ${JSON.stringify(this.#step.params)}`;
}

test('every answer is what the model says, and so is the audit log', async () => {
  const commands = fc.commands(
    allSteps.map((steps) => steps.map((step) => new Command(step))),
    { maxCommands: 60, size: 'max' },
  );
  const seed = Date.now() % 1_000_000_000;
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const model: Model = { ...(await server.reset()), entries: [] };
      await fc.asyncModelRun(() => ({ model, real: {} }), sequence);
      const wrong = await auditDifference(server.api, model.entries, model.ids);
      assert.equal(wrong, undefined);
      seen.sequences += 1;
    }),
    { seed, numRuns: sized({ short: 200, long: 5_000 }) },
  );
  report(
    `model: ${seen.sequences} sequences, ${seen.commands} commands, ${seen.refused} of them refused, ` +
      `${seen.kinds.size} kinds of command, ${[...seen.kinds.values()].flatMap((one) => [...one]).length} with their ` +
      `different statuses (seed ${seed})`,
  );
});

test('every kind of command succeeded: one that never does shows nothing', {
  skip: isLong ? false : 'some do so rarely that chance may leave one out; the long form holds it',
}, () => {
  const neverDone = [...seen.kinds].filter(([, statuses]) => !statuses.has(200)).map(([name]) => name);
  assert.deepEqual(neverDone, []);
});
