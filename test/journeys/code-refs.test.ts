/** `burgee code-refs scan`, as a pipeline runs it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../support/databases.ts';
import { anInstallation, sideBySide } from '../support/process.ts';

const adminKey = 'a-key-for-the-tests-of-code-references';
const burgee = anInstallation();
const server = await burgee.start({ BURGEE_ADMIN_API_KEY: adminKey });
const variables = { BURGEE_URL: server.url, BURGEE_KEY: adminKey, BURGEE_PROJECT: 'Default' };
const flags = ['checkout', 'checkout-v2', 'search.ranker', 'unused', 'ignored', 'linked'];
for (const name of flags) {
  const { status } = await server.call('POST', '/splits/ws/Default/trafficTypes/user', {
    as: adminKey,
    body: { name },
  });
  assert.equal(status, 200);
}

function aFolder(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
    encoding: 'utf8',
  }).trim();

const scan = (...args: string[]) => burgee.run(['code-refs', 'scan', ...args], variables);

interface Reports {
  readonly reports: readonly {
    readonly repository: string;
    readonly branch: string;
    readonly commit?: string;
    readonly references: readonly { path: string; line: number; excerpt?: string; url?: string }[];
  }[];
}

const reportsOn = async (flag: string): Promise<Reports['reports']> => {
  const { body } = await server.call('GET', `/splits/ws/Default/${flag}/code-references`, { as: adminKey });
  return (body as Reports).reports;
};

const code = `import { isOn } from './flags';
if (isOn('checkout')) start(flags.checkout);
  const ranker = isOn("search.ranker"); // checkout_page is another word
isOn('checkout-v2');
`;

describe('scanning code', sideBySide, () => {
  test('a repository reports what it does not ignore, with commit and links, and replaces its last report', async () => {
    const folder = aFolder({
      'web/src/app.ts': code,
      'web/dist/app.js': "isOn('ignored')",
      '.gitignore': 'dist/\n',
      'web/picture.png': Buffer.from("\0\u0001 isOn('unused')"),
      'web/data.json': `"${'x'.repeat(1_100_000)}", "unused"`,
      'outside.ts': "isOn('unused')",
    });
    git(folder, 'init', '-q', '-b', 'main');
    git(folder, 'remote', 'add', 'origin', 'git@github.com:acme/shop.git');
    git(folder, 'add', '.');
    git(folder, 'commit', '-qm', 'one');
    writeFileSync(join(folder, 'web/src/new.ts'), "isOn('search.ranker')");
    const { code: status, stdout, stderr } = await scan(join(folder, 'web'));
    assert.equal(status, 0, stderr);
    assert.match(
      stdout,
      /^flag +places +first\nsearch\.ranker +2 +web\/src\/app\.ts:3\ncheckout +1 +web\/src\/app\.ts:2\n/,
    );
    assert.match(stderr, /3 of 6 flags are named in 2 files of acme\/shop, branch main; 2 files are binary/);
    assert.match(stderr, /Reported 4 places\.\n$/);
    const commit = git(folder, 'rev-parse', 'HEAD');
    const [report] = await reportsOn('checkout');
    assert.deepEqual([report?.repository, report?.branch, report?.commit], ['acme/shop', 'main', commit]);
    assert.deepEqual(report?.references, [
      {
        path: 'web/src/app.ts',
        line: 2,
        excerpt: "if (isOn('checkout')) start(flags.checkout);",
        url: `https://github.com/acme/shop/blob/${commit}/web/src/app.ts#L2`,
      },
    ]);
    assert.deepEqual(
      (await reportsOn('search.ranker'))[0]?.references.map(({ path, line }) => `${path}:${line}`),
      ['web/src/app.ts:3', 'web/src/new.ts:1'],
    );
    assert.deepEqual(await reportsOn('ignored'), []);
    assert.deepEqual(await reportsOn('unused'), []);
    writeFileSync(join(folder, 'web/src/app.ts'), '');
    assert.equal((await scan(join(folder, 'web'), '--no-excerpts')).code, 0);
    assert.deepEqual(await reportsOn('checkout'), []);
    assert.deepEqual((await reportsOn('search.ranker'))[0]?.references, [
      { path: 'web/src/new.ts', line: 1, url: `https://github.com/acme/shop/blob/${commit}/web/src/new.ts#L1` },
    ]);
  });

  test('a folder without git is scanned without packages and links, and a dry run reports nothing', async () => {
    const elsewhere = aFolder({ 'linked.ts': "isOn('linked')" });
    const folder = aFolder({ 'app.py': "is_on('unused')\n", 'node_modules/a/index.js': "isOn('ignored')" });
    symlinkSync(join(elsewhere, 'linked.ts'), join(folder, 'linked.ts'));
    const unnamed = await scan(folder);
    assert.equal(unnamed.code, 1);
    assert.match(unnamed.stderr, /^No branch is checked out here: name it with --branch\n$/);
    const dry = await scan(folder, '--branch', 'trunk', '--repository', 'tools', '--dry-run');
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stdout, /^flag +places +first\nunused +1 +app\.py:1\n$/);
    assert.match(
      dry.stderr,
      /1 of 6 flags .* of tools, branch trunk\.\nNothing was reported, because of --dry-run\.\n$/,
    );
    assert.equal((await reportsOn('unused')).filter(({ repository }) => repository === 'tools').length, 0);
  });

  test('errors say what to do about them', async () => {
    const folder = aFolder({ 'app.py': '' });
    for (const [args, complaint] of [
      [['--key', 'wrong'], /Set --key or BURGEE_KEY to an Admin API key\n$/],
      [
        ['--project', 'nowhere'],
        /\(project nowhere\)\. Set --project or BURGEE_PROJECT to a project that the key may see\n$/,
      ],
      [['--server', 'http://127.0.0.1:1'], /^Cannot reach http:\/\/127\.0\.0\.1:1: .*\. Set --server or BURGEE_URL\n$/],
    ] as const) {
      const { code: status, stderr } = await scan(folder, '--branch', 'trunk', ...args);
      assert.equal(status, 1);
      assert.match(stderr, complaint);
    }
    const missing = await scan(join(folder, 'absent'), '--branch', 'trunk');
    assert.deepEqual([missing.code, missing.stderr], [1, `${join(folder, 'absent')} is not a folder\n`]);
  });
});
