/** The architecture rules that can be checked automatically. ARCHITECTURE.md explains them. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { accountContract, contract } from '#contract/all.ts';
import { statusOf } from '#contract/parts.ts';
import { type ProblemCode, problems, sentenceOf } from '#domain/problems.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const filesIn = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .sort();
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');

const sources = filesIn('src/**/*.ts');
/** The folder below src, or '' for the files that wire everything. */
const layerOf = (file: string) => (file.split('/').length > 2 ? (file.split('/')[1] ?? '') : '');
const stemOf = (file: string) => basename(file).replace(/\.ts$/, '');

interface Import {
  readonly file: string;
  readonly target: string;
  /** What is named between the braces. */
  readonly names: readonly string[];
}

function importsOf(file: string): Import[] {
  const code = withoutComments(read(file));
  const named = [...code.matchAll(/^(?:import|export)\s([^;'"]*?)\sfrom\s+'([^']+)'/gm)].map(
    ([, what = '', target = '']) => ({
      file,
      target,
      names: [...what.matchAll(/[{,]\s*(?:type\s+)?(\w+)/g)].map(([, name = '']) => name),
    }),
  );
  const others = [...code.matchAll(/\bimport(?:\s+|\s*\(\s*)'([^']+)'/g)].map(([, target = '']) => ({
    file,
    target,
    names: [],
  }));
  return [...named, ...others];
}

const imports = sources.flatMap(importsOf);

/** Layer → the layers whose files it may import by name. */
const mayUse: Record<string, readonly string[]> = {
  domain: [],
  concurrency: ['domain'],
  contract: ['domain'],
  store: ['domain'],
  security: ['domain'],
  operations: ['domain', 'store'],
  commands: ['domain', 'store', 'security'],
  import: ['domain', 'concurrency', 'store', 'security', 'commands'],
  delivery: ['domain', 'concurrency', 'store', 'security'],
  jobs: ['domain', 'store', 'operations'],
  telemetry: ['domain', 'store'],
  http: ['domain', 'concurrency', 'contract', 'store', 'security', 'commands', 'import', 'delivery', 'telemetry'],
  cli: ['domain', 'store', 'security', 'operations', 'commands', 'import', 'jobs/mail.ts'],
  demo: ['domain', 'contract', 'store', 'commands'],
};

/** Layer → the packages that it may import, where it may not import them all. */
const mayInstall: Record<string, RegExp> = {
  domain: /^typebox(\/|$)/,
  concurrency: /^node:/,
  contract: /^typebox(\/|$)/,
  store: /^(node:|sql-template-tag$|pg$)/,
  security: /^node:/,
  operations: /^(node:|sql-template-tag$)/,
  commands: /^(node:|uuid$|otpauth$|@zxcvbn-ts\/language-common$)/,
  import: /^(node:|ipaddr\.js$|p-limit$|p-retry$)/,
  delivery: /^(node:|pino$)/,
  jobs: /^(node:|pino$|nodemailer$)/,
  telemetry: /^(node:|pino$)/,
};

test('the imports are found', () => {
  assert.ok(sources.length > 50);
  for (const layer of Object.keys(mayUse))
    assert.ok(
      imports.some(({ file }) => layerOf(file) === layer),
      layer,
    );
  const context = imports.find(({ file, target }) => file === 'src/commands/groups.ts' && target === './context.ts');
  assert.ok(context?.names.includes('write') && context.names.includes('Context'));
});

test('every folder in src is one of the layers listed here', () => {
  assert.deepEqual([...new Set(sources.map(layerOf).filter(Boolean))].sort(), Object.keys(mayUse).sort());
});

test('a layer imports only the layers that it may', () => {
  const wrong = imports.filter(({ file, target }) => {
    const allowed = mayUse[layerOf(file)];
    if (!allowed || !target.startsWith('#')) return false;
    const place = target.slice(1);
    return !allowed.includes(place) && !allowed.includes(place.split('/')[0] ?? '');
  });
  assert.deepEqual(
    wrong.map(({ file, target }) => `${file} imports ${target}`),
    [],
  );
});

test('in the picture of ARCHITECTURE.md a layer is above all that it may import', () => {
  const levels = [...read('ARCHITECTURE.md').matchAll(/^│ +([^│]+) │/gm)].map(([, names = '']) =>
    names.trim().split(/ +/),
  );
  const levelOf = (layer: string) => levels.findIndex((names) => names.includes(layer));
  assert.deepEqual(
    levels.flat().sort(),
    Object.keys(mayUse)
      .filter((layer) => layer !== 'demo')
      .sort(),
  );
  for (const [layer, used] of Object.entries(mayUse)) {
    const below = used.map((place) => place.split('/')[0] ?? '').filter((name) => levelOf(name) > levelOf(layer));
    assert.equal(below.length, used.length, layer);
  }
});

test('a relative import stays in its layer, but for the configuration and, in the demo, a whole server', () => {
  const wrong = imports.filter(({ file, target }) => {
    if (!target.startsWith('.')) return false;
    const found = relative(root, join(root, dirname(file), target)).replaceAll('\\', '/');
    assert.ok(existsSync(join(root, found)), `${file} imports ${target}`);
    const reachesOut: Record<string, readonly string[]> = {
      cli: ['src/config.ts'],
      demo: ['src/config.ts', 'src/app.ts', 'src/serve.ts'],
    };
    return layerOf(file) !== '' && layerOf(found) !== layerOf(file) && !reachesOut[layerOf(file)]?.includes(found);
  });
  assert.deepEqual(
    wrong.map(({ file, target }) => `${file} imports ${target}`),
    [],
  );
});

/** A room is a folder below src; files directly in src wire the rooms together. */
const roomOf = (file: string) => dirname(file).slice('src/'.length);
const isWithin = (inner: string, outer: string) => inner.startsWith(`${outer}/`);

test('there is no cycle between rooms', () => {
  const targets = new Map<string, Set<string>>();
  for (const { file, target } of imports) {
    if (!/^[#.]/.test(target)) continue;
    const found = target.startsWith('#') ? `src/${target.slice(1)}` : join(dirname(file), target).replaceAll('\\', '/');
    const [from, to] = [roomOf(file), roomOf(found)];
    // What lies in a layer itself, its rooms share; a file there may also put the rooms together.
    if (!from || !to || from === to || isWithin(from, to) || isWithin(to, from)) continue;
    targets.set(from, (targets.get(from) ?? new Set()).add(to));
  }
  assert.ok(targets.get('http/pipeline')?.has('http/server'));
  const reached = (from: string, seen = new Set<string>()): Set<string> => {
    for (const to of targets.get(from) ?? []) if (!seen.has(to)) reached(to, seen.add(to));
    return seen;
  };
  assert.deepEqual(
    [...targets.keys()].filter((room) => reached(room).has(room)),
    [],
  );
});

test('a layer imports only the packages that it may', () => {
  const wrong = imports.filter(({ file, target }) => {
    const allowed = mayInstall[layerOf(file)];
    return allowed && !/^[#.]/.test(target) && !allowed.test(target);
  });
  assert.deepEqual(
    wrong.map(({ file, target }) => `${file} imports ${target}`),
    [],
  );
});

test('all SQL is in the store and in the operations on whole databases', () => {
  const users = imports.filter(({ target }) => /^(sql-template-tag|node:sqlite|pg)$/.test(target));
  assert.ok(users.length > 0);
  assert.deepEqual(
    users.filter(({ file }) => !['store', 'operations'].includes(layerOf(file))).map(({ file }) => file),
    [],
  );
});

test('a handler can read and can call commands, but has nothing to write with', () => {
  const forbidden: Record<string, readonly string[]> = {
    '#commands/context.ts': ['write', 'RecordingTx'],
    '#store/sql.ts': ['Tx', 'Store'],
  };
  const wrong = imports
    .filter(({ file }) => layerOf(file) === 'http')
    .flatMap(({ file, target, names }) =>
      names.filter((name) => forbidden[target]?.includes(name)).map((name) => [file, name]),
    );
  assert.deepEqual(wrong, []);
});

test('nothing but the configuration and those who hand it over mentions process.env', () => {
  const mentioning = sources.filter((file) => read(file).includes('process.env'));
  const allowed = ['src/config.ts', 'src/main.ts'];
  assert.deepEqual(
    mentioning.filter((file) => !allowed.includes(file) && layerOf(file) !== 'cli'),
    [],
  );
});

test('domain and contract are pure: nothing there waits, and nothing asks for the time or for luck', () => {
  for (const file of sources.filter((one) => ['domain', 'contract'].includes(layerOf(one)))) {
    const code = withoutComments(read(file)).replaceAll(/'[^'\n]*'/g, "''");
    assert.doesNotMatch(code, /\b(async|await|Promise)\b/, file);
    assert.doesNotMatch(code, /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bconsole\b/, file);
  }
});

test('docs/problems.md has a section with message and status for every problem, and for nothing else', () => {
  const [, ...sections] = read('docs/problems.md').split(/^### /m);
  const heads = sections.map((section) => section.split('\n- **When:**')[0]);
  const expected = Object.keys(problems).map((code) => expectedHead(code as ProblemCode));
  // Shows only the differences, so that the lines of a new problem can be copied from here.
  assert.deepEqual(
    heads.filter((head) => !expected.includes(head ?? '')),
    expected.filter((head) => !heads.includes(head)),
  );
  assert.equal(heads.length, expected.length);
});

/** How the section of a problem begins. */
const expectedHead = (code: ProblemCode) => {
  const extra = extraOfStatus[code] ?? '';
  return `\`${code}\`\n\n- **Message:** \`${sentenceOf(code)}\`\n- **Status:** ${statusOf[problems[code].kind]}${extra}`;
};
const extraOfStatus: Partial<Record<ProblemCode, string>> = {
  note_required: ', with an **empty body**',
  unavailable: ', with `Retry-After`',
};

test('`npm test` stays short: tests that start servers as processes, or build the interface, have folders of their own', () => {
  const slow = filesIn('test/!(e2e|failures|journeys|postgres|trust)/**/*.test.ts').filter((file) => {
    const names = importsOf(file).flatMap((one) => one.names);
    const startsServer = names.includes('anInstallation') && read(file).includes('.start(');
    return startsServer || names.includes('startNode') || names.includes('buildInterface');
  });
  assert.deepEqual(slow, []);
});

test('no file or folder has a name that fits everything', () => {
  const vague = new Set(['index', 'util', 'utils', 'helper', 'helpers', 'common', 'shared', 'lib', 'types', 'misc']);
  const all = [...sources, ...filesIn('test/**/*.ts'), ...filesIn('scripts/*')];
  const wrong = all.filter((file) => file.split('/').some((part) => vague.has(part.split('.')[0] ?? '')));
  assert.deepEqual(wrong, []);
});

test('a resource has the same file name in every layer', () => {
  const machinery = ['parts', 'endpoint', 'all', 'openapi', 'examples', 'service', 'uploads', 'live'];
  const resources = filesIn('src/contract/*.ts')
    .map(stemOf)
    .filter((stem) => !machinery.includes(stem));
  const camelCase = (stem: string) => stem.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const listed = Object.keys({ ...contract, ...accountContract }).filter((name) => !machinery.includes(name));
  assert.deepEqual(listed.sort(), resources.map(camelCase).sort(), 'contract/all.ts lists every one');
  for (const stem of resources) {
    for (const folder of ['src/domain', 'src/store', 'src/http/routes']) {
      // A resource whose rules fill more than a file has a folder of its name.
      const found = [`${folder}/${stem}.ts`, `${folder}/${stem}`].some((path) => existsSync(join(root, path)));
      assert.ok(found, `${folder}/${stem}.ts`);
    }
    const tests = stem === 'accounts' ? 'test/accounts/*.test.ts' : `test/admin/${stem}*.test.ts`;
    assert.notDeepEqual(filesIn(tests), [], tests);
  }
  const routes = filesIn('src/http/routes/*.ts').map(stemOf);
  assert.deepEqual(
    routes.filter((stem) => !resources.includes(stem)),
    ['documents', 'live', 'service', 'uploads'],
  );
});

interface WebImport {
  readonly file: string;
  /** Below web/src, or `#` and a layer of the server. */
  readonly target: string;
}

const webImports: WebImport[] = filesIn('web/src/**/*.{ts,tsx}').flatMap((file) =>
  [...withoutComments(read(file)).matchAll(/(?:from|import\()\s*'([#.][^']*)'/g)].map(([, target = '']) => ({
    file: file.slice('web/src/'.length),
    target: target.startsWith('#') ? target : relative('web/src', join(dirname(file), target)),
  })),
);
const say = ({ file, target }: WebImport) => `${file} imports ${target}`;

test('the interface is a client like any other: it imports the contract and the domain, and features do not know each other', () => {
  assert.ok(webImports.length > 1000);
  const wrong = webImports.filter(({ file, target }) => {
    if (target.startsWith('#')) return !/^#(domain|contract)\//.test(target);
    const [, feature] = /^features\/([^/]+)\//.exec(file) ?? [];
    const [, other] = /^features\/([^/]+)\//.exec(target) ?? [];
    return target.startsWith('..') || (feature && other && feature !== other);
  });
  assert.deepEqual(wrong.map(say), []);
});

/** Room of the interface → the rooms that it may import. `ui` knows neither resources nor the server. */
const mayUseInWeb: Record<string, readonly string[]> = {
  ui: [],
  state: ['#domain'],
  server: ['state', '#domain', '#contract'],
  kit: ['ui', 'state', 'server', '#domain', '#contract'],
  'features/definitions/editing': ['kit', 'ui', 'state', 'server', 'targeting', '#domain', '#contract'],
};

test('a room of the interface imports only the rooms that it may', () => {
  for (const [room, allowed] of Object.entries(mayUseInWeb)) {
    const own = webImports.filter(({ file }) => file.startsWith(`${room}/`));
    assert.ok(own.length > 0, room);
    const wrong = own.filter(({ target }) => ![room, ...allowed].some((place) => target.startsWith(`${place}/`)));
    assert.deepEqual(wrong.map(say), []);
  }
});
