import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const run = (file: string, ...args: string[]) =>
  spawnSync(process.execPath, [fileURLToPath(new URL(`../../bench/${file}`, import.meta.url)), ...args], {
    encoding: 'utf8',
  });

for (const file of ['bench.ts', 'growth.ts', 'segments.ts', 'traffic.ts']) {
  test(`${file} says what it takes, and measures nothing`, () => {
    const { status, stdout, stderr } = run(file, '--help');
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /^npm run bench\S* {2,}measures, and writes bench\/.*\.md/);
    for (const option of ['--quick', '--rounds 3']) assert.ok(stdout.includes(option), option);
  });

  test(`${file} refuses what it does not understand with a sentence, and measures nothing`, () => {
    for (const [args, sentence] of [
      [['--fast'], /^Unknown option '--fast'\n/],
      [['--rounds', 'many'], /^--rounds takes a number from 1 on, not many\n/],
      [['--rounds', '0'], /^--rounds takes a number from 1 on, not 0\n/],
    ] as const) {
      const { status, stdout, stderr } = run(file, ...args);
      assert.deepEqual([status, stdout], [1, '']);
      assert.match(stderr, sentence);
      assert.match(stderr, /\n\nnpm run bench/);
    }
  });
}
