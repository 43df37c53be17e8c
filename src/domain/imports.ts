/** Imports that are started in the interface: what one is asked for, how far it is, and what came of it. */
import { type Static, Type } from 'typebox';
import { kinds } from './import/plan.ts';
import { ComparedEnvironment, Comparison, ImportReport } from './import/report.ts';
import { sourceKinds } from './import/source.ts';
import { Id, Millis, OneOf, Title } from './schema.ts';

const importSteps = ['plan', 'import', 'verify'] as const;
export type ImportStep = (typeof importSteps)[number];

const Address = Type.String({ minLength: 1, maxLength: 1_000 });
/** Taken out of all texts that are stored, so it must not be a word. */
const Secret = Type.String({ minLength: 8, maxLength: 2_000 });

export const NewImport = Type.Object({
  step: OneOf(importSteps, {
    description:
      '`plan` reads the source, says what an import would do, and rehearses the comparison; `import` plans again and ' +
      'writes; `verify` compares what is stored with the source',
  }),
  source: Type.Object({
    url: Type.Optional(Address),
    sdkUrl: Type.Optional(Address),
    file: Type.Optional(
      Type.Object({
        text: Type.String({ description: 'an export of Split, LaunchDarkly or Unleash: JSON as text' }),
        project: Title,
        environment: Type.Optional(Title),
      }),
    ),
  }),
  keys: Type.Optional(
    Type.Object(
      {
        admin: Secret,
        sdk: Type.Optional(Type.Array(Type.Object({ environment: Title, key: Secret }), { maxItems: 500 })),
      },
      { description: 'only in memory, until the step ends' },
    ),
  ),
  choices: Type.Optional(
    Type.Object({
      projects: Type.Optional(
        Type.Array(Type.Object({ name: Title, as: Type.Optional(Title) }), {
          maxItems: 500,
          description: 'only these projects, into projects of these names; default: all',
        }),
      ),
      only: Type.Optional(Type.Array(OneOf(sourceKinds), { maxItems: sourceKinds.length })),
      newSeeds: Type.Optional(
        Type.Array(Title, {
          maxItems: 500,
          description: 'environments whose rollouts are imported with new seeds if theirs are unknown',
        }),
      ),
      invite: Type.Optional(Type.Boolean()),
    }),
  ),
  keysPerFlag: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'of the rehearsal and of `verify`; default 100 and 1000',
    }),
  ),
});
export type NewImport = Static<typeof NewImport>;

export const ImportProgress = Type.Object({
  phase: Type.Optional(OneOf(['reading', 'planning', 'rehearsing', 'importing', 'verifying'])),
  phaseStartedAt: Type.Optional(Millis),
  doing: Type.Optional(Type.String()),
  done: Type.Optional(Type.Integer()),
  total: Type.Optional(Type.Integer()),
  requests: Type.Optional(Type.Integer()),
  waitedMs: Type.Optional(Type.Integer({ description: 'for the rate limit of the source' })),
  waitsUntil: Type.Optional(Millis),
  environments: Type.Optional(Type.Array(ComparedEnvironment)),
});
export type ImportProgress = Static<typeof ImportProgress>;

export const ImportResult = Type.Object({
  report: Type.Optional(ImportReport),
  written: Type.Optional(Type.Array(Type.Object({ kind: OneOf(kinds), count: Type.Integer() }))),
  refused: Type.Optional(Type.Array(Type.Object({ what: Type.String(), reason: Type.String() }))),
  refusedCount: Type.Optional(Type.Integer()),
  comparison: Type.Optional(Comparison),
  /** Why it failed or stopped. */
  problem: Type.Optional(Type.String()),
});
export type ImportResult = Static<typeof ImportResult>;

export const Import = Type.Object({
  id: Id,
  step: OneOf(importSteps),
  state: OneOf(['running', 'done', 'failed', 'interrupted'], {
    description: '`interrupted`: it was stopped, or its node stopped. What it wrote stays; start it again to continue',
  }),
  startedBy: Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() }),
  createdAt: Millis,
  progress: ImportProgress,
  result: Type.Optional(ImportResult),
});
export type Import = Static<typeof Import>;

/** Other addresses are the operator's to allow. */
export function checkSource({ source: { url, sdkUrl, file }, keys, step }: NewImport, mayBePrivate: boolean): string[] {
  if (file) {
    return [
      ...(url === undefined ? [] : ['source must have url or file, not both']),
      ...(step === 'verify' ? ['step must be plan or import for a file: it cannot be compared'] : []),
    ];
  }
  if (url === undefined) return ['source must have url or file'];
  const complaints = keys ? [] : ['keys is required with source/url'];
  for (const [name, address] of Object.entries({ url, sdkUrl })) {
    if (address === undefined) continue;
    const [, protocol] = /^(https?):\/\/[^/?#\s@]+(?:[/?#]|$)/i.exec(address) ?? [];
    const isPlain = protocol?.toLowerCase() === 'http';
    if (protocol !== undefined && (!isPlain || mayBePrivate)) continue;
    complaints.push(
      isPlain
        ? `source/${name} must begin with https:// unless the server runs with IMPORT_PRIVATE_SOURCES=true`
        : `source/${name} must be an address such as https://api.split.io`,
    );
  }
  return complaints;
}
