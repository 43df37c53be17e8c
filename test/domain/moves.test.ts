/** What is said about keys that move, against the buckets one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { treatmentAt } from '#domain/bucketing.ts';
import type { Bucket, Targeting } from '#domain/definitions/definition.ts';
import { parseTargeting } from '#domain/definitions/parse.ts';
import { effectOf } from '#domain/evaluation/effects.ts';
import { moveFindings, rebucketingOf } from '#domain/evaluation/rebucketing.ts';
import { aDefinition } from '../support/build.ts';
import { chanceOf } from '../support/chance.ts';
import { sharesOf } from '../support/random-worlds.ts';

const names = ['on', 'off', 'wide', 'small'];
const giving = (defaultRule: readonly Bucket[]): Targeting =>
  parseTargeting(aDefinition({ treatments: names.map((name) => ({ name })), defaultRule }));
const split = (shares: Record<string, number>): Bucket[] =>
  Object.entries(shares).map(([treatment, size]) => ({ treatment, size }));

const textsOf = (was: Record<string, number>, is: Record<string, number>): string[] => {
  const [before, after] = [giving(split(was)), giving(split(is))];
  const effect = effectOf({ before, after, seeds: undefined, otherFlag: () => undefined });
  return moveFindings(before, after, effect).map(({ text }) => text);
};

const sentences: [string, Record<string, number>, Record<string, number>, string[]][] = [
  [
    'another order',
    { on: 43, off: 57 },
    { off: 57, on: 43 },
    [
      '43% of its keys go from on to off and 43% from off to on, although on stays at 43%. With the order on, off, none would move.',
    ],
  ],
  ['a share that only grows', { on: 10, off: 90 }, { on: 50, off: 50 }, []],
  [
    'a lower share before others',
    { on: 30, wide: 30, off: 40 },
    { on: 20, wide: 30, off: 50 },
    ['20% of its keys get another treatment; 10% would be enough. No order of the treatments avoids it.'],
  ],
];
for (const [name, was, is, texts] of sentences) test(`moves: ${name}`, () => assert.deepEqual(textsOf(was, is), texts));

test('the share that is told moves, bucket by bucket, and no order of the treatments moves fewer', () => {
  let told = 0;
  for (let number = 0; number < 300; number += 1) {
    const chance = chanceOf(number);
    const shares = () =>
      sharesOf(
        chance,
        chance.someOf(names, 4).filter((name, at, all) => all.indexOf(name) === at),
      );
    const [was, is] = [[...shares()], [...shares()]];
    if (was.length === 0 || is.length === 0) continue;
    const movedTo = (next: readonly Bucket[]) =>
      Array.from({ length: 100 }, (_, bucket) => bucket + 1).filter(
        (bucket) => treatmentAt(was, bucket) !== treatmentAt(next, bucket),
      ).length;
    const least = is.reduce(
      (sum, { treatment, size }) =>
        sum + Math.max(0, size - (was.find((one) => one.treatment === treatment)?.size ?? 0)),
      0,
    );
    const [found] = rebucketingOf(giving(was), giving(is));
    assert.equal(found !== undefined, movedTo(is) > least, `${number}`);
    if (!found) continue;
    told += 1;
    assert.deepEqual([found.moved, found.needed], [movedTo(is), least]);
    const inOrder = (found.order ?? []).map((name) => is.find(({ treatment }) => treatment === name) as Bucket);
    const best = found.order ? movedTo(inOrder) : movedTo(is);
    assert.equal(found.movedInOrder ?? movedTo(is), best);
    for (let tries = 0; tries < 24; tries += 1) {
      const other = is.toSorted(() => (chance.odds(0.5) ? 1 : -1));
      assert.ok(movedTo(other) >= best, `${number}`);
    }
  }
  assert.ok(told > 50, `${told}`);
});
