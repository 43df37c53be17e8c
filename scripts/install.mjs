// Installs what is missing. Plain JavaScript without dependencies: it must work on a fresh checkout with any Node from 20 on.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules/.burgee-installed');

/** The Node that Burgee runs on, brought by the `node` package. */
export const node = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');

/** Where Node keeps what it compiled, so that the next start is quicker. */
export const compileCache = join(root, 'node_modules/.cache/compiled');

const lockfile = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');
if (!existsSync(node) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== lockfile) install();

function install() {
  process.stderr.write('Installing what Burgee needs (only when the lockfile changed) ...\n');
  // --include=dev: Node itself is a devDependency, and NODE_ENV=production would leave it out.
  npm('ci', '--include=dev', '--ignore-scripts');
  // Not left to npm: of those that know `allowScripts`, some run what it does not name, and others do not know it.
  const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of Object.keys(allowScripts)) if (allowScripts[name]) npm('rebuild', name, '--ignore-scripts=false');
  writeFileSync(stamp, lockfile);
}

function npm(command, ...args) {
  const { status } = spawnSync('npm', [command, '--no-audit', '--no-fund', '--loglevel=error', ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  process.stderr.write(`npm ${command} failed; its message is above. Is the package registry reachable?\n`);
  process.exit(1);
}
