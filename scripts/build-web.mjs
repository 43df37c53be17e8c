// Builds the interface into web/dist if its sources have changed. Plain JavaScript without dependencies: it
// runs on any Node from 20 on, and runs Vite on Burgee's own.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { node } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'web/dist');
const sources = ['web', 'src/domain', 'src/contract', 'package-lock.json', 'scripts/build-web.mjs'];

const stamp = hashOf(sources.map((path) => join(root, path)).flatMap(filesUnder));
if (stampOf(dist) !== stamp) await build();

/** Builds into another folder and renames it, so that a running server or a second build never sees half of it. */
async function build() {
  const started = Date.now();
  process.stderr.write('Building the interface (only when its sources changed) ...\n');
  const fresh = join(root, `web/.dist-${process.pid}`);
  try {
    runVite('web/vite.config.ts', fresh);
    runVite('web/demo/vite.config.ts', join(fresh, 'demo'));
    compress(join(fresh, 'assets'));
    await addApiViewer(join(fresh, 'docs'));
    writeFileSync(join(fresh, '.stamp'), stamp);
    moveIntoPlace(fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  process.stderr.write(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.\n`);
}

/** Another process may build the same at the same time; the second one discards its build. */
function moveIntoPlace(fresh) {
  const old = `${fresh}-old`;
  for (let attempt = 1; stampOf(dist) !== stamp; attempt += 1) {
    try {
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(fresh, dist);
    } catch (error) {
      if (attempt === 5) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

function runVite(config, outDir) {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = ['build', '--config', join(root, config), '--outDir', outDir, '--emptyOutDir'];
  // Standard output is for what the server prints, so this goes to standard error.
  const { status } = spawnSync(node, [vite, ...args, '--logLevel', 'warn'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  process.stderr.write('The interface could not be built; the message of Vite is above.\n');
  process.exit(1);
}

/** Writes compressed copies of each file, which the server sends to browsers that accept them. */
function compress(folder) {
  for (const file of filesUnder(folder).filter((name) => /\.(js|css|svg)$/.test(name))) {
    const content = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(content));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}

/**
 * The script behind /docs. Its Fastify plugin carries the whole script as one text; the package that has it as a file
 * brings 270 others. Imported here and not at the top, because packages may have been installed a moment ago.
 */
async function addApiViewer(folder) {
  const [{ fastify }, { default: viewer }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ]);
  const app = fastify();
  await app.register(viewer, { routePrefix: '/docs', configuration: { content: {} } });
  const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js');
  if (statusCode !== 200) throw new Error(`The API viewer could not be taken out of its package: ${statusCode}`);
  const file = join(folder, 'scalar.js');
  mkdirSync(folder);
  writeFileSync(file, rawPayload);
  // The highest quality takes half a minute for 12 % less.
  writeFileSync(`${file}.br`, brotliCompressSync(rawPayload, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }));
  writeFileSync(`${file}.gz`, gzipSync(rawPayload, { level: 9 }));
}

function stampOf(folder) {
  const file = join(folder, '.stamp');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Of names and contents, always in the same order. The path of the checkout does not matter. */
function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/** All files below a folder, except builds, finished or in progress; for a file, the file itself. */
function filesUnder(path) {
  if (path === dist) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path)
    .filter((name) => !name.startsWith('.'))
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}
