// Runs Burgee's Node (24, brought by the `node` package) with the given arguments, after installing what is missing.
// Plain JavaScript without dependencies: it must work on a fresh checkout with any Node from 20 on.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
const stamp = join(root, 'node_modules/.burgee-installed');

installWhenLockfileChanged();
runNode(process.argv.slice(2));

function installWhenLockfileChanged() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && existsSync(node) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stderr.write('Installing what Burgee needs (only when the lockfile changed) ...\n');
  // --include=dev: Node itself is a devDependency, and NODE_ENV=production would leave it out.
  const npm = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) {
    process.stderr.write('npm ci failed; its message is above. Is the package registry reachable?\n');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

/** The child shares our terminal; what we are told (stop, hang up) it is told, and its exit code is ours. */
function runNode(args) {
  const child = spawn(node, args, { stdio: 'inherit' });
  // A terminal sends Ctrl-C to the whole group, so the child has it already; we only must not die first.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`Could not run ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
