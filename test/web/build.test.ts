/** What holds for the built interface and its sources, without a browser. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildInterface } from './browser.ts';

const web = fileURLToPath(new URL('../../web/', import.meta.url));
buildInterface();

const sizeOf = (path: string): number => statSync(`${web}dist${path}`).size;
const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

test('what every page loads stays within its budget', () => {
  const html = readFileSync(`${web}dist/index.html`, 'utf8');
  const loaded = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => `${path}.gz`);
  const ofKind = (kind: string) => loaded.filter((path) => path.endsWith(`${kind}.gz`)).map(sizeOf);
  assert.ok(sum(ofKind('.js')) < 170_000, `JavaScript: ${sum(ofKind('.js'))} bytes`);
  assert.ok(sum(ofKind('.css')) < 12_000, `CSS: ${sum(ofKind('.css'))} bytes`);
  const fonts = globSync('assets/*.woff2', { cwd: `${web}dist` }).map((path) => sizeOf(`/${path}`));
  assert.ok(sum(fonts) < 60_000, `fonts: ${sum(fonts)} bytes`);
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
