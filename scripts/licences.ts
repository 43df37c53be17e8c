/** Which packages are shipped with Burgee, and their licences, from the lockfile and the interface's imports. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: true;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Place, such as `node_modules/a/node_modules/b` → package. */
export const locked = (
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, LockedPackage> }
).packages;

export const nameOf = (place: string): string => place.replace(/^.*node_modules\//, '');

/** Everything that the server can load. */
export const placesOfServer = Object.keys(locked).filter(
  // Without optional peers.
  (place) => place !== '' && !locked[place]?.dev && !locked[place]?.devOptional,
);

/** Everything that is compiled into the interface: what its sources import, and what that needs. */
export function placesOfInterface(): string[] {
  const imported = globSync(['web/src/**/*.{ts,tsx}', 'web/demo/shop.ts'], { cwd: root })
    // Texts may show imports, such as those of SDKs.
    .map((file) => readFileSync(join(root, file), 'utf8').replaceAll(/`(?:\\.|[^`\\])*`/gs, ''))
    .flatMap((source) => [...source.matchAll(/from '([^'.#][^']*)'/g)])
    .map(([, target = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target);
  const found = new Set<string>();
  const take = (name: string, from: string) => {
    const place = placeOf(name, from);
    if (place === undefined || found.has(place)) return;
    found.add(place);
    for (const needed of Object.keys(locked[place]?.dependencies ?? {})) take(needed, place);
  };
  // The API viewer is copied into the interface as it is.
  for (const name of new Set([...imported, '@scalar/fastify-api-reference'])) take(name, '');
  return [...found];
}

/** Where a package finds another: in its own folder, else in those around it. */
function placeOf(name: string, from: string): string | undefined {
  const own = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (locked[own]) return own;
  return from === '' ? undefined : placeOf(name, from.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ''));
}

const table = (places: readonly string[]): string =>
  [...new Set(places.map((place) => `| \`${nameOf(place)}\` | ${locked[place]?.license ?? 'unknown'} |`))]
    .sort()
    .join('\n');

/** docs/licences.md. Without versions: they are in the lockfile, and a new one rarely changes the licence. */
export const licences = (): string => `# Licences

Burgee is under [Apache-2.0](../LICENSE). It is distributed with these packages. \`npm run licences\` writes this page; a test compares it with the lockfile and with what is installed, and fails for licences that nobody has approved.

## With the server

| Package | Licence |
|---|---|
${table(placesOfServer)}
| \`node\` (Node 24, and the npm package that brings it) | MIT, and those of what it contains |

## Compiled into the interface

| Package | Licence |
|---|---|
${table(placesOfInterface())}
`;
