/** Four clients at once: their responses, and the state afterwards, are possible in some serial order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allSteps } from '../support/model/all-steps.ts';
import { entriesDifference, wholeLog } from '../support/model/audit.ts';
import type { Ids } from '../support/model/compare.ts';
import { findSerialOrder, type Made } from '../support/model/serial-order.ts';
import { aimAt, startModelServer } from '../support/model/server.ts';
import type { Aim, Step } from '../support/model/step.ts';
import type { World } from '../support/model/world.ts';
import { report, sized } from '../support/trust.ts';

const server = await startModelServer();

/** A list is read in two statements, its page and its total; a password takes long; two steps pick what they end. */
const notAtOnce = /^list|^accept|^revoke the keys|^read who|^delete a flag set/;
/** A change under way when a project begins to demand notes may pass without one: see docs/operating/guarantees.md. */
const setsDemand = ({ name, params }: Step) =>
  name === 'change a project' && JSON.stringify(params).includes('"requires":');
const anyStep = fc.oneof(...allSteps);
const steps = anyStep.filter((step) => !notAtOnce.test(step.name) && !setsDemand(step));
const reads = anyStep.filter(({ name }) => /^(list|read)/.test(name));

interface Start {
  readonly world: World;
  readonly ids: Ids;
}

let moments = 0;
const moment = () => {
  moments += 1;
  return moments;
};

/** One after the other, each as soon as the one before is answered. */
async function client(
  name: string,
  sequence: readonly Step[],
  start: Start,
  aimOf: (step: Step) => Aim,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const [index, step] of sequence.entries()) {
    const aim = aimOf(step);
    const asked = moment();
    const answer = await server.send(step, { ...start, aim });
    made.push({ step, aim, tag: `${name}.${index}`, asked, answered: moment(), answer });
    // What the step created, if anything, is named by its tag.
    if (answer.status === 200 && answer.body?.id) start.ids.set(`@${name}.${index}`, answer.body.id);
  }
  return made;
}

/** Afterwards objects are named by their names, since it is unknown which of them exist. */
function aimByName(step: Step, { world, ids }: Start): Aim {
  const aim = aimAt(step, world, ids);
  const named = (pool: 'p' | 'e' | 'f' | 't') => ({ mark: undefined, word: step.params[pool] ?? 'none' });
  return { ...aim, p: named('p'), e: named('e'), f: named('f'), t: named('t') };
}

const told = ({ step, asked, answered, answer }: Made) =>
  `${asked}–${answered} ${step.name} ${JSON.stringify(step.params)}: ${answer.status} ${answer.text}`;

test('responses to four concurrent clients match some order of their requests', async () => {
  const seen = { histories: 0, requests: 0, refused: 0, overlapping: 0, tried: 0 };
  const sequences = fc.array(steps, { minLength: 3, maxLength: 3 });
  const burst = fc.tuple(sequences, sequences, sequences, sequences);
  const seed = Date.now() % 1_000_000_000;
  await fc.assert(
    fc.asyncProperty(burst, fc.array(reads, { minLength: 10, maxLength: 10 }), async (atOnce, afterwards) => {
      const start = await server.reset();
      const { world, ids } = start;
      const clients = await Promise.all(
        atOnce.map((sequence, index) => client(`c${index}`, sequence, start, (step) => aimAt(step, world, ids))),
      );
      const made = clients.flat();
      const last = await client('reader', afterwards, start, (step) => aimByName(step, start));
      const log = await wholeLog(server.api);
      const recorded = new Set(log.map(({ transactionId }) => transactionId));
      const { order, tried, furthest } = findSerialOrder(world, [...clients, last], { ids, recorded });
      seen.histories += 1;
      seen.requests += made.length;
      seen.refused += made.filter(({ answer }) => answer.status >= 400).length;
      seen.overlapping += made.filter((one) =>
        made.some((other) => other.asked < one.asked && one.asked < other.answered),
      ).length;
      seen.tried += tried;
      assert.ok(
        order,
        `no order after ${furthest.length}:\n${furthest.differences.join('\n')}\n\n${[...made, ...last].map(told).join('\n')}`,
      );
      const replayed = structuredClone(world);
      const entries = order.flatMap(({ step, aim, tag }) => {
        const { entry, earlierEntries = [] } = step.apply(replayed, aim, tag);
        return entry ? [...earlierEntries, entry] : [];
      });
      assert.equal(entriesDifference(entries, log, ids), undefined);
    }),
    { seed, numRuns: sized({ short: 150, long: 4_000 }) },
  );
  const { histories, requests, refused, overlapping, tried } = seen;
  report(
    `model: ${histories} concurrent histories of ${requests} requests, ${refused} of them refused, ${overlapping} while ` +
      `another was under way; ${tried} steps tried to find their orders (seed ${seed})`,
  );
});
