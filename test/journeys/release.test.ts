/** The archive that `npm run release` makes, in an otherwise empty folder; and the container made from it. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onPostgres, temporaryFolder } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { anInstallation } from '../support/process.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const adminKey = 'a-key-for-the-release-archive';
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

/** Readable by everyone. */
const folder = temporaryFolder();
const unpacked = join(folder, `burgee-${version}`);
const main = join(unpacked, 'bin/burgee.mjs');
const node = join(folder, 'node24/node');

/** What running the example leaves in the checkout; git ignores it. */
const example = 'examples/three-nodes';
const secrets = ['.env', 'certificates/privkey.pem'].map((name) => join(example, name));

/** Leaves alone what is really there. */
function plant(path: string): void {
  const file = join(root, path);
  if (existsSync(file)) return;
  const made = mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'secret');
  after(() => rmSync(made ?? file, { recursive: true }));
}

before(() => {
  for (const path of secrets) plant(path);
  chmodSync(folder, 0o755);
  mkdirSync(dirname(node));
  copyFileSync(realpathSync(process.execPath), node);
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'release'], { cwd: root, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const archive = stdout.trim();
  assert.equal(archive, join(root, `dist/burgee-${version}.tar.gz`));
  const checked = spawnSync('sha256sum', ['--check', '--quiet', `${archive}.sha256`], { cwd: dirname(archive) });
  assert.equal(checked.status, 0);
  assert.equal(spawnSync('tar', ['-xzf', archive, '-C', folder]).status, 0);
});

const namesIn = (place: string): string[] => globSync('**', { cwd: place }).sort();

test('the archive has what runs, and nothing of what only makes it', () => {
  for (const path of [
    'src/main.ts',
    'web/dist/index.html',
    'node_modules/fastify',
    'docs/operating/README.md',
    'LICENSE',
  ]) {
    assert.ok(existsSync(join(unpacked, path)), path);
  }
  for (const path of [
    'test',
    'scripts',
    'web/src',
    'node_modules/vite',
    'node_modules/typescript',
    'node_modules/node',
    'node_modules/@scalar',
  ]) {
    assert.ok(!existsSync(join(unpacked, path)), path);
  }
  const { scripts, devDependencies } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  assert.deepEqual([scripts, devDependencies], [undefined, undefined]);
});

test("links in the archive's documents lead to files in it", () => {
  const documents = ['*.md', 'docs/**/*.md', 'bench/*.md', 'examples/**/*.md'];
  const missing = globSync(documents, { cwd: unpacked }).flatMap((document) =>
    [...readFileSync(join(unpacked, document), 'utf8').matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(unpacked, dirname(document), link)))
      .map((link) => `${document}: ${link}`),
  );
  assert.deepEqual(missing, []);
});

test('secrets of examples in the checkout are not in the archive', () => {
  assert.deepEqual(readdirSync(join(unpacked, example)).sort(), [
    '.env.example',
    'burgee.env.example',
    'compose.yaml',
    'haproxy.cfg',
    'nginx.conf',
  ]);
});

for (const database of onPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite']) {
  test(`with Node 24 and ${database} it starts, answers, serves its pages, and has its command line`, async () => {
    const burgee = anInstallation({
      main,
      node,
      empty: true,
      ...(database === 'SQLite' ? { databaseUrl: `file:${join(temporaryFolder(), 'burgee.db')}` } : {}),
    });
    const server = await burgee.start({ BURGEE_ADMIN_API_KEY: adminKey, PATH: '' });
    assert.deepEqual(await (await fetch(`${server.url}/ready`)).json(), { status: 'ready' });
    const { status } = await server.call('POST', '/workspaces', { as: adminKey, body: { name: 'released' } });
    assert.equal(status, 200);
    assert.match(await (await fetch(server.url, { headers: { accept: 'text/html' } })).text(), /<div id="root">/);
    assert.match(await (await fetch(`${server.url}/docs`)).text(), /scalar\.js/);
    assert.equal((await fetch(`${server.url}/docs/js/scalar.js`)).status, 200);
    const listed = await burgee.shell(`${main} keys list`, { PATH: `${dirname(node)}:/usr/bin:/bin` });
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /API_ALL_GRANTED/);
    assert.equal((await server.end('SIGTERM')).code, 0);
  });
}

test('the wrapper reads the settings of the service, and variables that are set already win', async () => {
  const burgee = anInstallation({ main, node });
  const settings = join(folder, 'burgee.env');
  writeFileSync(settings, `DATABASE_URL='file:${join(folder, 'of-the-service.db')}'\n`);
  const wrapper = join(unpacked, 'bin/burgee');
  const environment = { BURGEE_ENV_FILE: settings, PATH: `${dirname(node)}:/usr/bin:/bin` };
  const ofTheFile = await burgee.shell(`env -u DATABASE_URL ${wrapper} keys list`, environment);
  assert.match(ofTheFile.stderr, /^There is no database at .*of-the-service\.db/);
  // Otherwise `DATABASE_URL=… burgee restore` would overwrite the database in use.
  const other = { ...environment, DATABASE_URL: `file:${join(folder, 'other.db')}` };
  assert.match((await burgee.shell(`${wrapper} keys list`, other)).stderr, /^There is no database at .*other\.db/);
  assert.equal((await burgee.shell(`${wrapper} --version`, environment)).stdout, `${version}\n`);
});

test('one of the services that share an image builds it, because concurrent exports fail', () => {
  const compose = readFileSync(join(unpacked, example, 'compose.yaml'), 'utf8');
  assert.equal(compose.match(/^ +build:/gm)?.length, 1);
});

/** The last stage of the Dockerfile, as far as it says what is run and how. */
function lastStage() {
  const [, text = ''] =
    /(?:[\s\S]*\n)FROM [^\n]*\n([\s\S]*)$/.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
  const joined = text.replaceAll('\\\n', ' ');
  const list = (instruction: RegExp) => JSON.parse(instruction.exec(joined)?.[1] ?? '[]') as string[];
  return {
    user: /^USER (.+)$/m.exec(joined)?.[1],
    environment: Object.fromEntries((/^ENV (.+)$/m.exec(joined)?.[1] ?? '').split(' ').map((pair) => pair.split('='))),
    command: list(/^CMD (\[.+\])$/m),
    healthCheck: list(/^HEALTHCHECK .* CMD (\[.+\])$/m),
  };
}

test('the container runs as a user who may write nothing but /data, and its health check tells', async () => {
  const { user, environment, command, healthCheck } = lastStage();
  assert.equal(user, 'node');
  assert.equal(environment.DATABASE_URL, 'file:/data/burgee.db');
  // For the copy that a restore makes.
  assert.equal(environment.TMPDIR, '/data');
  const data = temporaryFolder();
  if (isRoot) chownSync(data, nobody, nobody);
  else spawnSync('chmod', ['-R', 'a-w', unpacked]);
  // The container cannot choose one by itself, since its health check must know it.
  const port = String(await freePort());
  const launch = ([program = '', ...args]: string[]) => {
    assert.equal(program, 'node');
    return spawn(
      node,
      args.map((arg) => arg.replace(/^\/burgee\//, `${unpacked}/`)),
      {
        cwd: '/',
        env: { ...environment, HOST: '127.0.0.1', PORT: port, DATABASE_URL: `file:${data}/burgee.db` },
        stdio: 'ignore',
        ...(isRoot ? { uid: nobody, gid: nobody } : {}),
      },
    );
  };
  const healthy = async () => (await once(launch(healthCheck), 'exit'))[0] === 0;
  const had = namesIn(unpacked);
  assert.equal(await healthy(), false);
  const container = launch(command);
  try {
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until('it is ready', isReady);
    assert.equal(await healthy(), true);
    assert.ok(existsSync(join(data, 'burgee.db')));
  } finally {
    const ended = once(container, 'exit');
    container.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  }
  assert.deepEqual(namesIn(unpacked), had);
});

test('all that the archive is made from gets into the build of the container', () => {
  const [, list = ''] =
    /const copied = \[([^\]]+)\]/.exec(readFileSync(join(root, 'scripts/release.mjs'), 'utf8')) ?? [];
  const copied = [...list.matchAll(/'([^']+)'/g)].map(([, path = '']) => path);
  const needed = [...copied, 'scripts', 'package.json', 'package-lock.json', '.npmrc', 'tsconfig*.json'];
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  assert.ok(copied.length > 5 && lines.includes('*'));
  assert.deepEqual(
    needed.filter((path) => !lines.includes(`!${path}`) && !lines.includes(`!${path.split('/')[0]}`)),
    [],
  );
});
