// Checks the built interface against its budgets (bytes, gzip): what everyone loads first, and what each further page
// adds.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'web/dist');
const kB = 1000;
const budgets = { script: 200 * kB, style: 34 * kB, fonts: 60 * kB, layer: 25 * kB, page: 25 * kB, editor: 135 * kB };
/** Loaded only when it is opened. */
const editor = /JsonEditor|CodeEditor/;

const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));
const sizeOf = (file) => {
  const packed = join(dist, `${file}.gz`);
  return statSync(existsSync(packed) ? packed : join(dist, file)).size;
};
const sum = (files) => [...files].reduce((total, file) => total + sizeOf(file), 0);

/** Everything that must be there before the module runs. */
function filesOf(key, found = new Set()) {
  const { file, css = [], imports = [] } = manifest[key];
  if (found.has(file)) return found;
  for (const one of [file, ...css]) found.add(one);
  for (const one of imports) filesOf(one, found);
  return found;
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
/** After signing in, people see the flag list first. */
const firstChunks = ['app', 'FlagsPage'];
function chunksNamed(name) {
  const chunks = Object.keys(manifest).filter((key) => manifest[key].name === name);
  if (chunks.length === 0) throw new Error(`No chunk is named ${name}: it would be missing from the first load`);
  return chunks;
}
const first = new Set([entry, ...firstChunks.flatMap(chunksNamed)].flatMap((key) => [...filesOf(key)]));
/** Loaded once for all pages about rules, and for all pages of a flag, so that they count for none of them. */
const layers = ['targeting', 'flag'].flatMap(chunksNamed).map((key) => manifest[key].file);
/** A part that a page loads later does not count what the page has already loaded. */
const importersOf = (key) => Object.keys(manifest).filter((one) => manifest[one].dynamicImports?.includes(key));
const filesAround = (key) =>
  key.endsWith('Page.tsx')
    ? []
    : importersOf(key)
        .filter((one) => one !== entry)
        .flatMap((one) => [...filesOf(one)]);
const ofKind = (files, kind) => [...files].filter((file) => file.endsWith(kind));

const lines = [
  ['first load, JavaScript', sum(ofKind(first, '.js')), budgets.script],
  ['all CSS', sum(globSync('assets/*.css', { cwd: dist })), budgets.style],
  ...layers.map((file) => [`shared by pages: ${file}`, sizeOf(file), budgets.layer]),
  ['fonts', sum(globSync('assets/*.woff2', { cwd: dist })), budgets.fonts],
  ...Object.keys(manifest)
    .filter((key) => manifest[key].isDynamicEntry)
    .map((key) => {
      const known = new Set([...first, ...layers, ...filesAround(key)]);
      const added = [...filesOf(key)].filter((file) => !known.has(file));
      return [key, sum(added), editor.test(key) ? budgets.editor : budgets.page];
    }),
];

let isTooLarge = false;
for (const [what, size, budget] of lines.toSorted((a, b) => b[1] / b[2] - a[1] / a[2])) {
  isTooLarge ||= size > budget;
  const mark = size > budget ? 'TOO LARGE ' : '';
  if (size > budget / 4) console.log(`${mark}${what}: ${(size / kB).toFixed(1)} of ${budget / kB} kB`);
}
if (isTooLarge) process.exitCode = 1;
