import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { anInstallation } from '../support/process.ts';

/** The blocks of the walk through the API, as one script. */
function walkOf(document: string): string {
  const walk = /<!-- walk:start -->(.*)<!-- walk:end -->/s.exec(document)?.[1];
  assert.ok(walk, 'docs/first-flag.md has no walk');
  return [...walk.matchAll(/^```sh\n(.*?)^```$/gms)].map((block) => block[1]).join('');
}

interface Line {
  readonly text: string;
  /** What was printed between reading this line and reading the next. */
  readonly output: string;
}

/** `sh -v` prints each line when it reads it, before it runs it; so what is between two lines is the output. */
function linesOf(script: string, printed: string): Line[] {
  const texts = script.split('\n').filter((text) => text !== '');
  let end = 0;
  const places = texts.map((text) => {
    const start = printed.indexOf(`${text}\n`, end);
    assert.notEqual(start, -1, `the walk ended before: ${text}\n${printed}`);
    end = start + text.length + 1;
    return { start, end };
  });
  return texts.map((text, index) => ({ text, output: printed.slice(places[index]?.end, places[index + 1]?.start) }));
}

test('the walk through the API in docs/first-flag.md works as it stands there', async () => {
  const script = walkOf(readFileSync(new URL('../../docs/first-flag.md', import.meta.url), 'utf8'));
  const burgee = anInstallation();
  const server = await burgee.start();
  writeFileSync(join(burgee.folder, 'walk.sh'), script);
  const variables = { BURGEE_URL: server.url, BURGEE_KEY: await server.printedKey() };
  const { code, stdout } = await burgee.shell('exec sh -e -v walk.sh 2>&1', variables);
  assert.equal(code, 0, stdout);
  const lines = linesOf(script, stdout);
  lines.forEach(({ text }, index) => {
    const promised = /^# → (.+)$/.exec(text)?.[1];
    const output = lines[index - 1]?.output ?? '';
    if (promised) assert.ok(output.includes(promised), `${lines[index - 1]?.text} should print ${promised}: ${output}`);
  });
  const outputs = lines.map(({ output }) => output.trim()).filter((output) => output !== '');
  assert.ok(outputs.length > 1, stdout);
  assert.equal(outputs.at(-1), 'true');
});

test('git ignores databases and backups: they hold secrets', () => {
  const files = ['burgee-monday.db', 'data/burgee.db', 'burgee.db-wal'];
  const { stdout } = spawnSync('git', ['check-ignore', ...files], {
    cwd: new URL('../..', import.meta.url),
    encoding: 'utf8',
  });
  assert.deepEqual(stdout.trim().split('\n'), files);
});
