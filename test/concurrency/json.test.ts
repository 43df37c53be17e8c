import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJson } from '#concurrency/json.ts';

test('parsing in pieces of any size gives the same as JSON.parse', async () => {
  const spaced = fc.constantFrom(undefined, 1, '\t\n');
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), spaced, fc.integer({ min: 1, max: 40 }), async (value, space, piece) => {
      const text = JSON.stringify(value, null, space);
      assert.deepEqual(await parseJson(text, piece), JSON.parse(text));
    }),
  );
});

test('what JSON.parse refuses is refused in pieces too', async () => {
  const document = JSON.stringify({
    flags: [{ name: 'a\\"]' }, [1, [2]], 'x', true, null, {}, []],
    'b"': -1.5e3,
    none: {},
  });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(document.length),
      fc.constantFrom('', ',', '"', '}', ']', '[', '{', ':', 'x', '\\', ' '),
      fc.integer({ min: 1, max: 30 }),
      async (at, insert, piece) => {
        const text = document.slice(0, at) + insert + document.slice(insert === '' ? at + 1 : at);
        const whole = outcome(() => JSON.parse(text));
        const pieces = await parseJson(text, piece).then(
          (value) => ({ value }),
          (error: unknown) => assert.ok(error instanceof SyntaxError, String(error)),
        );
        assert.deepEqual(pieces, whole);
      },
    ),
    { numRuns: 2_000 },
  );
});

function outcome(parse: () => unknown): { value: unknown } | undefined {
  try {
    return { value: parse() };
  } catch {
    return undefined;
  }
}

test('parsing a long list yields to other work', async () => {
  const keys = Array.from({ length: 200_000 }, (_, index) => `key-${index}-0123456789`);
  const text = JSON.stringify({ added: keys, removed: [] });
  let [turns, isDone] = [0, false];
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  count();
  const parsed = await parseJson(text);
  isDone = true;
  assert.deepEqual(parsed, { added: keys, removed: [] });
  assert.ok(turns > 3, String(turns));
});

test('a long text of nested brackets is refused', async () => {
  const text = '['.repeat(110_000) + ']'.repeat(110_000);
  await assert.rejects(parseJson(text), { name: 'SyntaxError', message: 'Nested too deeply at position 64' });
});
