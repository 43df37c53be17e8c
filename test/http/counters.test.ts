import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCounter } from '#http/limits/window.ts';

function aCounter(windowSeconds: number) {
  const clock = { now: 1_000_000 };
  return { clock, counter: createCounter(windowSeconds, () => clock.now) };
}

test('a window starts with the first count and ends after its time; then counting restarts', () => {
  const { clock, counter } = aCounter(60);
  assert.deepEqual(counter.add('a'), { count: 1, seconds: 60 });
  clock.now += 59_001;
  assert.deepEqual(counter.add('a'), { count: 2, seconds: 1 });
  assert.deepEqual(counter.add('b'), { count: 1, seconds: 60 }, 'others have windows of their own');
  clock.now += 999;
  assert.deepEqual(counter.add('a'), { count: 1, seconds: 60 });
  assert.deepEqual(counter.add('b'), { count: 2, seconds: 60 });
});

test('a new window is no second longer than it should be, whatever fractions the clock shows', () => {
  // Plus 60,000 and minus itself, each of these is 60,000 and a little more.
  for (const now of [62_304.218_625, 83_618.918_979, 492_504.839_138]) {
    assert.equal(createCounter(60, () => now).add('a').seconds, 60);
  }
});

test('the next count can be read without counting', () => {
  const { clock, counter } = aCounter(60);
  assert.deepEqual(counter.peek('a'), { count: 1, seconds: 60 });
  counter.add('a');
  clock.now += 10_000;
  assert.deepEqual([counter.peek('a'), counter.peek('a')], Array(2).fill({ count: 2, seconds: 50 }));
  clock.now += 50_000;
  assert.deepEqual(counter.peek('a'), { count: 1, seconds: 60 });
});

test('a count can be taken back, and a name forgotten', () => {
  const { counter } = aCounter(60);
  counter.add('a');
  counter.add('a');
  counter.takeBack('a');
  assert.equal(counter.add('a').count, 2);
  counter.forget('a');
  counter.takeBack('a');
  assert.equal(counter.add('a').count, 1);
});

test('memory stays bounded however many names there are: the oldest are dropped', () => {
  const { clock, counter } = aCounter(60);
  counter.add('first');
  clock.now += 1;
  for (let name = 0; name < 99_999; name += 1) counter.add(`name ${name}`);
  assert.equal(counter.add('name 99998').count, 2, 'the newest is known');
  counter.add('one more');
  assert.equal(counter.add('first').count, 1);
});
