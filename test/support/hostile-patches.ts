/** JSON Patches that must be refused as a whole, whatever their first operations would do. */
import { maxOperations, Patch } from '#domain/json-patch.ts';
import { everyEndpoint, type NamedEndpoint } from './every-endpoint.ts';
import type { Hostile } from './hostile-requests.ts';

type Step = Record<string, unknown>;

const test = (path: string, value: unknown): Step => ({ op: 'test', path, value });
const put = (path: string, value: unknown): Step => ({ op: 'add', path, value });
const times = (count: number, step: Step): Step[] => Array.from({ length: count }, () => step);

/** Wrong for whatever is patched. */
const anywhere: Record<string, readonly Step[]> = {
  'index 10^9': [
    put('/treatments/1000000000', { name: 'x' }),
    put('/treatments/0/keys/1000000000', 'x'),
    { op: 'remove', path: '/treatments/1000000000' },
    { op: 'replace', path: '/defaultRule/999999999999999999999', value: {} },
    { op: 'move', from: '/treatments/1000000000', path: '/treatments/0' },
    { op: 'copy', from: '/treatments/4294967296', path: '/treatments/-' },
    ...['-1', '01', '1.0', '1e0', '+0', ' 0', '0x0', '--', '٠', 'length', ''].map((index) =>
      put(`/treatments/${index}`, { name: 'x' }),
    ),
  ],
  '~0 and ~1': [
    ...['/~', '/~2', '/treatments~10', '/~1treatments', '/treatments/~00', '/~01', '/~0~1', '/treatments/0~1name'].map(
      (path) => put(path, 'x'),
    ),
    { op: 'move', from: '/~1', path: '/killed' },
    { op: 'copy', from: '/treatments~01', path: '/killed' },
  ],
  'inherited places': [
    '/__proto__',
    '/__proto__/admin',
    '/constructor/prototype',
    '/treatments/__proto__',
    '/toString',
  ].flatMap((path) => [
    put(path, 1),
    { op: 'remove', path },
    { op: 'copy', from: path, path: '/killed' },
    test(path, 1),
  ]),
  'no operation': [
    { op: 'destroy', path: '/killed' },
    { op: 'add', path: '/killed' },
    { op: 'move', path: '/killed' },
    { op: 'copy', path: '/killed', from: 7 },
    { op: 'add', path: 'killed', value: true },
    { op: 'add', path: '//', value: true },
    { op: ['add'], path: '/killed', value: true },
    { op: 'move', from: '/rules', path: '/rules/0' },
  ],
};

/** Wrong in a definition. */
const inDefinitions: Record<string, readonly Step[]> = {
  'places of the server': ['/id', '/name', '/environment', '/environment/id', '/creationTime', ''].map((path) =>
    put(path, 'x'),
  ),
  'wrong values': [
    put('/killed', 7),
    put('/trafficAllocation', 1e3),
    put('/treatments', null),
    put('/treatments/0/name', 'x'.repeat(101)),
    put('/rules/-', {}),
    put('/defaultRule/0/size', -1),
    put('/defaultTreatment', 'nobody'),
  ],
};

export function* hostilePatches(): Generator<Hostile> {
  for (const endpoint of everyEndpoint.filter(({ body }) => body === Patch)) {
    const isOfDefinition = endpoint.name === 'patchDefinition';
    const good = goodStep(endpoint);
    for (const [kind, steps] of Object.entries({ ...anywhere, ...(isOfDefinition ? inDefinitions : {}) })) {
      for (const step of steps) {
        yield of(endpoint, `patch: ${kind}`, [step]);
        yield of(endpoint, `patch: ${kind}`, [good, good, step]);
      }
    }
    yield of(endpoint, 'patch: a test that fails in the middle', [good, test(String(good.path), 'other'), good]);
    yield of(endpoint, 'patch: a test that fails in the middle', [...times(998, good), test('/nowhere', 1), good]);
    for (const count of [maxOperations + 1, 40_000, 50_000]) {
      yield of(endpoint, 'patch: 50,000 operations', times(count, { op: 'add', path: '' }));
    }
  }
}

const of = (endpoint: NamedEndpoint, kind: string, steps: readonly Step[]): Hostile => ({
  kind,
  endpoint,
  body: JSON.stringify(steps),
});

/** What would change something if it stood alone. */
function goodStep({ name }: NamedEndpoint): Step {
  if (name === 'patchDefinition') return put('/trafficAllocation', 50);
  return name === 'patchFlag' ? put('/description', 'changed') : put('/name', 'changed');
}
