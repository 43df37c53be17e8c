/** Every package has a reason and a permissive licence, and none runs an install script unless we allow it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { licences, locked, nameOf, placesOfInterface, placesOfServer, root } from '../scripts/licences.ts';
import { temporaryFolder } from './support/databases.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
};

/** These name their licence only in their LICENSE file. */
const withLicenceFile = ['node_modules/@openfeature/ofrep-core', 'node_modules/@openfeature/ofrep-provider'];
const licenceOf = (place: string): string =>
  locked[place]?.license ??
  (withLicenceFile.includes(place) && /Apache License\s+Version 2\.0/.test(read(join(place, 'LICENSE')))
    ? 'Apache-2.0'
    : 'none');

/** The rows of a table of docs/dependencies.md: the packages that each names, and its licences. */
function rowsOf(heading: string): { packages: string[]; licence: string }[] {
  const section = read('docs/dependencies.md').split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| (`.*`) \| .+ \| (.+) \|$/gm)].map(([, names = '', licence = '']) => ({
    packages: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    licence: licence.toLowerCase(),
  }));
}

for (const [heading, declared] of [
  ['At run time', manifest.dependencies],
  ['For development', manifest.devDependencies],
] as const) {
  test(`docs/dependencies.md says why each package is there: ${heading.toLowerCase()}`, () => {
    const named = rowsOf(heading).flatMap(({ packages }) => packages);
    assert.deepEqual(named.toSorted(), Object.keys(declared).sort());
  });

  test(`docs/dependencies.md says the licence of each package: ${heading.toLowerCase()}`, () => {
    for (const { packages, licence } of rowsOf(heading)) {
      for (const name of packages) {
        const found = licenceOf(`node_modules/${name}`).toLowerCase();
        assert.ok(licence.includes(found), `${name} is under ${found}, not ${licence}`);
      }
    }
  });
}

/** Those that ask for no more than that their text goes along. */
const permissive = [
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'MIT OR Apache-2.0',
  '(MIT OR CC0-1.0)',
];
/** In tools that run here and go to nobody. */
const forToolsOnly = ['MPL-2.0', 'Python-2.0'];

test('no package comes under a licence that nobody has agreed to, and none that goes along asks for our sources', () => {
  const shipped = new Set([...placesOfServer, ...placesOfInterface()]);
  assert.ok(shipped.size > 50);
  for (const place of Object.keys(locked)) {
    const agreed = shipped.has(place) ? permissive : [...permissive, ...forToolsOnly];
    assert.ok(agreed.includes(licenceOf(place)), `${place} is under ${licenceOf(place)}`);
  }
});

test('the lockfile tells the licences that the packages themselves tell', () => {
  let compared = 0;
  for (const place of [...placesOfServer, ...placesOfInterface()]) {
    const file = join(place, 'package.json');
    // Some are for other platforms.
    if (!existsSync(join(root, file))) continue;
    const { license } = JSON.parse(read(file)) as { license: string };
    assert.equal(locked[place]?.license, license, place);
    compared += 1;
  }
  assert.ok(compared > 50);
});

test('docs/licences.md lists what goes along; npm run licences writes it', () => {
  assert.equal(read('docs/licences.md'), licences());
});

test('every install script is allowed or refused by name, and only Node’s own runs', () => {
  const wanting = Object.keys(locked).filter((place) => locked[place]?.hasInstallScript);
  assert.deepEqual(Object.keys(manifest.allowScripts).sort(), wanting.map(nameOf).sort());
  assert.deepEqual(
    Object.keys(manifest.allowScripts).filter((name) => manifest.allowScripts[name]),
    ['node'],
  );
});

test('the installation runs the scripts that are allowed by name, and no other', () => {
  const folder = temporaryFolder();
  const write = (file: string, content: object) => writeFileSync(join(folder, file), JSON.stringify(content));
  const packages = ['allowed', 'refused', 'unlisted'];
  for (const name of packages) {
    mkdirSync(join(folder, name));
    write(`${name}/package.json`, { name, version: '1.0.0', scripts: { postinstall: 'echo > it-ran' } });
  }
  write('package.json', {
    dependencies: Object.fromEntries(packages.map((name) => [name, `file:./${name}`])),
    allowScripts: { allowed: true, refused: false },
  });
  cpSync(join(root, 'scripts/install.mjs'), join(folder, 'scripts/install.mjs'));
  const run = (program: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  };
  run('npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit');
  run(process.execPath, 'scripts/install.mjs');
  assert.deepEqual(
    packages.filter((name) => existsSync(join(folder, name, 'it-ran'))),
    ['allowed'],
  );
});

test('every package is locked to its content, and none to a place', () => {
  for (const [place, entry] of Object.entries(locked)) {
    if (place === '') continue;
    assert.match((entry as { integrity?: string }).integrity ?? '', /^sha512-/, place);
    assert.equal((entry as { resolved?: string }).resolved, undefined, place);
  }
});

test('npm run sbom lists every package of the lockfile, without asking anybody', () => {
  const { stdout, stderr, status } = spawnSync('npm', ['run', '--silent', 'sbom'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, npm_config_offline: 'true' },
  });
  assert.equal(status, 0, stderr);
  const { bomFormat, components } = JSON.parse(stdout) as {
    bomFormat: string;
    components: { name: string; version: string; group?: string; purl: string }[];
  };
  assert.equal(bomFormat, 'CycloneDX');
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const expected = Object.keys(locked).filter(Boolean);
  const missing = expected.filter((place) => !listed.has(`${nameOf(place)}@${locked[place]?.version}`));
  assert.deepEqual(missing, []);
});
