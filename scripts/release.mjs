// Packs dist/burgee-<version>.tar.gz, which needs only Node 24: nothing to install, nothing to build. Plain
// JavaScript like its neighbours, and GNU tar. The same checkout gives the same archive, byte for byte.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
// Installs what is missing and builds the interface, when their sources changed.
import './build-web.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const copied = [
  'bin',
  'src',
  'web/dist',
  'docs',
  'examples',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  // The others link to these.
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'Dockerfile',
  'bench/RESULTS.md',
  'bench/results.svg',
  'bench/GROWTH.md',
  'bench/growth.svg',
  'bench/DELIVERY.md',
  'bench/SEGMENTS.md',
  'bench/TRAFFIC.md',
];

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const name = `burgee-${manifest.version}`;
const dist = join(root, 'dist');
const staging = join(dist, `.release-${process.pid}`);
const archive = join(dist, `${name}.tar.gz`);
try {
  mkdirSync(staging, { recursive: true });
  stage(join(staging, name));
  pack();
} finally {
  rmSync(staging, { recursive: true, force: true });
}
const checksum = createHash('sha256').update(readFileSync(archive)).digest('hex');
writeFileSync(`${archive}.sha256`, `${checksum}  ${name}.tar.gz\n`);
process.stdout.write(`${archive}\n`);

function stage(folder) {
  for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true, filter: isNoSecret });
  for (const path of productionPackages()) copyPackage(join(root, path), join(folder, path));
  // Without the scripts and what they need.
  const { scripts: _, devDependencies: __, allowScripts: ___, overrides: ____, ...rest } = manifest;
  const released = { ...rest, engines: { node: '>=24' }, bin: { burgee: 'bin/burgee.mjs' } };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(released, null, 2)}\n`);
}

/** Running an example from the checkout leaves passwords and private keys in it. */
function isNoSecret(path) {
  return !['.env', 'certificates'].includes(basename(path));
}

/** The folders that the lockfile has for running, not only for development. */
function productionPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const isNeeded = ({ dev, devOptional }) => !dev && !devOptional;
  return Object.keys(packages).filter(
    (path) => path !== '' && isNeeded(packages[path]) && existsSync(join(root, path)),
  );
}

/** Without nested packages: the lockfile lists those that are needed separately. */
function copyPackage(from, to) {
  const inside = join(from, 'node_modules');
  cpSync(from, to, { recursive: true, filter: (path) => path !== inside });
}

function pack() {
  // The same archive whoever packs it: no owners, fixed permissions, and the time of the commit.
  const like = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', `--mtime=@${time()}`];
  const packed = join(staging, 'packed');
  run('tar', [...like, '--use-compress-program=gzip -n', '--create', `--file=${packed}`, name], staging);
  renameSync(packed, archive);
}

/** Browsers compare it to know whether a page is new, so it must change. */
function time() {
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : Math.floor(Date.now() / 1000);
}

function run(program, args, cwd) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  process.stderr.write(`${program} failed${error ? `: ${error.message}` : '; its message is above'}\n`);
  process.exit(1);
}
