/** Rules for the built interface and its sources, without a browser. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildInterface } from './browser.ts';

const web = fileURLToPath(new URL('../../web/', import.meta.url));
buildInterface();

test('the first load, and what each further page adds, stay within their budgets', () => {
  const script = fileURLToPath(new URL('../../scripts/size.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});

// Browsers look for such rules by `:hover` alone, so that one of them makes every hovered row of the flag list cost more.
test('no style is for everything in what is hovered', () => {
  for (const file of globSync('src/**/*.css', { cwd: web })) {
    assert.doesNotMatch(readFileSync(web + file, 'utf8'), /:hover[^\s,{]*[\s>+~]+\*/, file);
  }
});

test('colours are named in tokens.css and nowhere else', () => {
  for (const file of globSync('src/**/*.{css,tsx}', { cwd: web })) {
    if (file.endsWith('tokens.css')) continue;
    assert.doesNotMatch(readFileSync(web + file, 'utf8'), /#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/i, file);
  }
});

test('no code is compiled in the browser, where the policy forbids it', () => {
  for (const file of globSync('dist/assets/*.js', { cwd: web })) {
    assert.doesNotMatch(readFileSync(web + file, 'utf8'), /\bnew Function\b|globalThis\.Function|\beval\(/, file);
  }
});

test('no parts of the interface import each other: one of them would run before what it needs is there', () => {
  const imports = new Map(
    globSync('dist/assets/*.js', { cwd: web }).map((file) => [
      basename(file),
      [...readFileSync(web + file, 'utf8').matchAll(/\b(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)].map(
        ([, name]) => name ?? '',
      ),
    ]),
  );
  assert.ok([...imports.values()].flat().length > 100, 'the pattern finds no imports any more');
  // The first file is only asked for what loads the others, long after it has run.
  const isFirst = (file: string) => file.startsWith('index-');
  const done = new Set<string>();
  const follow = (file: string, way: readonly string[]): void => {
    assert.ok(!way.includes(file), [...way, file].join(' → '));
    if (isFirst(file) || done.has(file)) return;
    for (const next of imports.get(file) ?? []) follow(next, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) follow(file, []);
});
