/** The documents: links lead somewhere, indexes are complete, docs/settings.md lists the variables that Burgee reads. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tables } from '#operations/copy.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const documents = globSync(['*.md', '{docs,bench,examples}/**/*.md'], { cwd: root }).sort();

/** As GitHub makes them: lower case, without punctuation, a hyphen for each space. */
const anchorsOf = (document: string): string[] =>
  [...withoutBlocks(read(document)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

const withoutBlocks = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '');

test('every link between documents leads to a file and to a heading in it', () => {
  const dead = documents.flatMap((document) =>
    [...withoutBlocks(read(document)).matchAll(/\]\(([^)\s#]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, path = '']) => !/^[a-z]+:/.test(path))
      .filter(([, path = '', anchor]) => {
        const target = path === '' ? document : normalize(join(dirname(document), path));
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && !anchorsOf(target).includes(anchor);
      })
      .map(([link]) => `${document}: ${link}`),
  );
  assert.ok(documents.length > 30, 'documents are found');
  assert.deepEqual(dead, []);
});

test('docs/settings.md has a row for every variable that the configuration reads, and for no other', () => {
  const variables = [...read('src/config.ts').matchAll(/\bread\(\s*'([A-Z_]+)'/g)].map(([, name = '']) => name);
  const rows = [...read('docs/settings.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = '']) => name);
  assert.ok(variables.length > 20, 'variables are found');
  assert.deepEqual(rows.sort(), variables.sort());
});

test('docs/data.md has a row for every table, and for no other', () => {
  const [, section = ''] = read('docs/data.md').split(/^## Tables$/m);
  const rows = [...section.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  assert.deepEqual(rows.sort(), [...tables.map(({ name }) => name), 'migrations'].sort());
});

test('docs/decisions/README.md lists every decision, docs/operating/README.md every page', () => {
  for (const folder of ['docs/decisions', 'docs/operating']) {
    const pages = globSync('*.md', { cwd: join(root, folder) }).filter((name) => name !== 'README.md');
    const listed = [...read(`${folder}/README.md`).matchAll(/\]\(([^)/]+\.md)\)/g)].map(([, name = '']) => name);
    assert.deepEqual([...new Set(listed)].sort(), pages.sort(), folder);
  }
});
