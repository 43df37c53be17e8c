/**
 * Burgee and its libraries in a few files, for tests that start it as a process of its own. Of a start from the sources
 * two thirds is loading 1,400 modules; the suite starts Burgee several hundred times. They are CommonJS because an
 * `import` of `node:http` also loads Node's `fetch`, which takes 65 ms of 500. Only `test/run.ts` makes one:
 * `node --test` runs the sources, and so do the tests of the release and of the first start.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Beside the packages, since what is not bundled is found from there. */
const cache = join(root, 'node_modules/.cache/server-bundles');
const dayMs = 86_400_000;

/** Returns the file to run. It is named by its content, so that Node's compile cache finds it. */
export async function bundleServer(): Promise<string> {
  const { NODE_ENV } = process.env;
  const files = await bundled();
  // Vite sets it, and the tests would inherit it.
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  const hash = createHash('sha256');
  for (const { fileName, code } of files) hash.update(fileName).update(code);
  const folder = join(cache, hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) write(files, folder);
  return join(folder, 'main.cjs');
}

async function bundled(): Promise<Rolldown.OutputChunk[]> {
  const result = (await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    plugins: [sourcePlaces],
    build: {
      ssr: 'src/main.ts',
      write: false,
      minify: false,
      target: 'node24',
      rolldownOptions: { output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' } },
    },
    ssr: { noExternal: true },
  })) as Rolldown.RolldownOutput;
  return result.output.filter((file) => file.type === 'chunk');
}

/** Migrations, the interface and the worker are found from where their source file is. */
const sourcePlaces: Plugin = {
  name: 'source-places',
  enforce: 'pre',
  transform: (code, id) =>
    id.startsWith(join(root, 'src')) ? code.replaceAll('import.meta.url', `'${pathToFileURL(id).href}'`) : undefined,
};

function write(files: readonly Rolldown.OutputChunk[], folder: string): void {
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    // Another run may still use a younger one.
    if (Date.now() - statSync(path).mtimeMs > dayMs) rmSync(path, { recursive: true, force: true });
  }
  const fresh = mkdtempSync(join(cache, '.new-'));
  for (const { fileName, code } of files) {
    mkdirSync(dirname(join(fresh, fileName)), { recursive: true });
    writeFileSync(join(fresh, fileName), code);
  }
  try {
    renameSync(fresh, folder);
  } catch (error) {
    // Somebody else was quicker.
    if (!existsSync(folder)) throw error;
    rmSync(fresh, { recursive: true });
  }
}
