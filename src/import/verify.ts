/**
 * Evaluates the flags of a source and those that are stored here, or would be after an import, with the engine of the
 * official SDK, for random keys and for attributes that reach every rule, and lists each difference. In a thread: a
 * regular expression may take forever, and the server must answer meanwhile.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { parseStored } from '#domain/definitions/definition.ts';
import { parseSegmentRules, parseTargeting } from '#domain/definitions/parse.ts';
import type { Choices, Item, Kind, Plan } from '#domain/import/plan.ts';
import type { ComparedEnvironment, Difference, Comparison as Verification } from '#domain/import/report.ts';
import type { SourceAccount, SourceActivation, SourceEnvironment, SourceProject } from '#domain/import/source.ts';
import { rulesTextOf, type SegmentRules } from '#domain/rule-based-segments.ts';
import type { SegmentKind } from '#domain/segments.ts';
import { toWireFlag } from '#domain/wire/flags.ts';
import { toWireSegment } from '#domain/wire/segments.ts';
import { listDefinitionsAfter } from '#store/definitions.ts';
import { listFlagSetNames, listSegmentsAfter } from '#store/delivery.ts';
import { findEnvironment } from '#store/environments.ts';
import { listLargeKeys } from '#store/large-segments.ts';
import { findProject } from '#store/projects.ts';
import { listAllKeys } from '#store/segment-keys.ts';
import { findSegment } from '#store/segments.ts';
import type { Reader } from '#store/sql.ts';
import { pausing } from './pausing.ts';
import type { Compared, Comparison, Side } from './verify-worker.ts';

export interface VerifyOptions {
  /** How many keys are evaluated for each flag in each environment. */
  readonly perFlag: number;
  readonly choices?: Choices | undefined;
  /** What an import would write: the comparison is with what would be here after it. */
  readonly plan?: Plan | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
  /** Another one chooses other keys and attributes. */
  readonly seed?: number | undefined;
}

export interface VerifyProgress {
  /** Definitions. */
  readonly done: number;
  readonly total: number;
  readonly environments: readonly ComparedEnvironment[];
}

const maxDifferences = 1_000;
const account = { kind: 'account' } as const;

export async function verifyAccount(db: Reader, source: SourceAccount, options: VerifyOptions): Promise<Verification> {
  const { choices, signal, onProgress } = options;
  const projects = source.projects.filter(({ name }) => choices?.onlyProjects?.includes(name) ?? true);
  const places = projects.flatMap((project) => project.environments.map((environment) => ({ project, environment })));
  const total = projects.reduce((sum, { flags }) => sum + flags.flatMap((flag) => flag.definitions).length, 0);
  const environments: ComparedEnvironment[] = [];
  const differences: Difference[] = [];
  const planned = plannedBy(options.plan);
  const worker = new Worker(new URL('verify-worker.ts', import.meta.url));
  try {
    for (const [index, place] of places.entries()) {
      const how = { ...options, planned, seed: (options.seed ?? 1) + index };
      const { project, skipped, comparison } = await readPlace(db, place, how);
      const { name: environment, production, hasSeeds } = place.environment;
      const one = {
        project,
        environment,
        production,
        hasSeeds,
        evaluations: 0,
        compared: 0,
        skipped,
        differenceCount: 0,
      };
      environments.push(one);
      const report = () =>
        onProgress?.({ done: sumOf(environments, 'compared') + sumOf(environments, 'skipped'), total, environments });
      report();
      for await (const part of compare(worker, comparison, signal)) {
        one.evaluations += part.evaluations;
        one.compared += part.flags;
        one.differenceCount += part.differenceCount;
        for (const difference of part.differences) {
          if (differences.length === maxDifferences) break;
          differences.push({ project, environment, ...difference, attributes: JSON.stringify(difference.attributes) });
        }
        report();
      }
    }
  } finally {
    await worker.terminate();
  }
  return {
    evaluations: sumOf(environments, 'evaluations'),
    compared: sumOf(environments, 'compared'),
    skipped: sumOf(environments, 'skipped'),
    differenceCount: sumOf(environments, 'differenceCount'),
    differences,
    environments,
  };
}

const sumOf = (
  environments: readonly ComparedEnvironment[],
  member: 'evaluations' | 'compared' | 'skipped' | 'differenceCount',
): number => environments.reduce((sum, one) => sum + one[member], 0);

async function* compare(worker: Worker, comparison: Comparison, signal: AbortSignal | undefined) {
  if (comparison.flags.length === 0) return;
  worker.postMessage(comparison);
  for (;;) {
    const [part] = (await once(worker, 'message', signal ? { signal } : {})) as [Compared];
    yield part;
    if (part.isDone) return;
  }
}

/** What an import would write, by the place as it is named here. */
type Planned = (project: string, environment: string) => PlannedItems;
type PlannedItems = <K extends Kind>(kind: K) => ReadonlyMap<string, Item<K>>;

function plannedBy(plan: Plan | undefined): Planned {
  const written = plan?.items.filter(({ wanted }) => wanted !== undefined) ?? [];
  const byPlace = Map.groupBy(written, ({ kind, project, environment }) => `${kind}\n${project}\n${environment}`);
  return (project, environment) => (kind) =>
    new Map((byPlace.get(`${kind}\n${project}\n${environment}`) ?? []).map((item) => [item.name, item as never]));
}

interface Place {
  readonly project: SourceProject;
  readonly environment: SourceEnvironment;
}

interface ReadOptions extends VerifyOptions {
  readonly planned: Planned;
  readonly seed: number;
}

async function readPlace(db: Reader, { project, environment: { name: environment } }: Place, options: ReadOptions) {
  const pause = pausing(options.signal);
  const name = options.choices?.projects?.[project.name] ?? project.name;
  const here = await findProject(db, name, account);
  const at = here && (await findEnvironment(db, here.id, environment, account));
  const there = readThere(project, environment);
  const planned = options.planned(name, environment);
  const stored = at ? await readHere(db, at, pause) : emptySide();
  const ours = options.plan ? await withPlanned(stored, project, { planned, pause }) : stored;
  const known = new Set(ours.flags.map((flag) => flag.name));
  const flags = new Set(there.flags.map((flag) => flag.name).filter((flag) => known.has(flag)));
  const defined = project.flags.filter(({ definitions }) => definitions.some((one) => one.environment === environment));
  const keys = new Set(Array.from({ length: options.perFlag }, (_, index) => `user-${options.seed}-${index}`));
  const activations = activationsIn(project, environment);
  for (const activation of activations) await chooseKeys(activation, keys);
  const chosen = { keys, pause };
  const keysThere = (segment: string) => activations.find((one) => one.name === segment)?.activation.keys?.();
  const theirSegments = await membersOf(there.kinds, chosen, keysThere);
  const plannedKeys = planned('keys');
  const ourSegments = await membersOf(ours.kinds, chosen, (segment, kind) => {
    if (plannedKeys.has(segment)) return keysThere(segment);
    return at && keysHere(db, { projectId: at.projectId, environmentId: at.id, segment, kind });
  });
  return {
    project: name,
    skipped: defined.filter((flag) => !flags.has(flag.name)).length,
    comparison: {
      there: { flags: there.flags, ruleBased: there.ruleBased, ...theirSegments },
      here: { flags: ours.flags, ruleBased: ours.ruleBased, ...ourSegments },
      flags: [...flags],
      keys: [...keys],
      perFlag: options.perFlag,
      seed: options.seed,
      maxDifferences,
    } satisfies Comparison,
  };
}

type WireSide = Pick<Side, 'flags' | 'ruleBased'> & {
  /** The kinds of the segments that are active. */
  readonly kinds: ReadonlyMap<string, SegmentKind>;
};

const emptySide = (): WireSide => ({ flags: [], ruleBased: [], kinds: new Map() });

const activationsIn = ({ segments }: SourceProject, environment: string) =>
  segments.flatMap(({ name, kind, environments }) =>
    environments.filter((one) => one.environment === environment).map((activation) => ({ name, kind, activation })),
  );

/** As the source's own SDKs get it, if that was read; otherwise translated from its Admin API. */
function readThere(project: SourceProject, environment: string): WireSide {
  const kinds = new Map(activationsIn(project, environment).map(({ name, kind }) => [name, kind]));
  const wire = project.environments.find(({ name }) => name === environment)?.wire;
  if (wire) {
    const named = <Thing>(all: ReadonlyMap<string, Thing>) => [...all].map(([name, one]) => ({ ...one, name }));
    return { flags: named(wire.flags), ruleBased: named(wire.segments), kinds };
  }
  const surroundings = { kindOf: (name: string) => kinds.get(name), setNameOf: (name: string) => name };
  const flags = project.flags.flatMap(({ name, trafficType, definitions }) =>
    definitions.flatMap(({ environment: place, body, flagSets, seeds, algorithm: algo, changeNumber = 0 }) => {
      if (place !== environment || !seeds) return [];
      const targeting = readable(() => parseTargeting({ ...body, flagSets }));
      const more = { ...seeds, algo, name, trafficType: { id: trafficType, name: trafficType } };
      return targeting ? [toWireFlag({ ...targeting, ...more, revision: changeNumber }, surroundings)] : [];
    }),
  );
  const ruleBased = project.segments.flatMap(({ name, trafficType, environments }) =>
    environments.flatMap(({ environment: place, definition, changeNumber = 0 }) => {
      if (place !== environment || !definition) return [];
      const rules = readable(() => parseSegmentRules(definition));
      return rules ? [toWireSegment({ ...rules, name, trafficType, changeNumber }, surroundings)] : [];
    }),
  );
  return { flags, ruleBased, kinds };
}

/** Undefined for what our rules refuse: the plan says why. */
function readable<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

async function readHere(
  db: Reader,
  { projectId, ...environment }: { id: string; name: string; projectId: string },
  pause: () => Promise<void>,
): Promise<WireSide> {
  const kinds = new Map<string, SegmentKind>();
  const rules: { name: string; trafficType: string; changeNumber: number; text: string }[] = [];
  for await (const { name, kind, trafficType, number, rules: text } of listSegmentsAfter(db, environment.id, -1)) {
    kinds.set(name, kind);
    const changeNumber = number;
    if (kind === 'rule_based') rules.push({ name, trafficType, changeNumber, text: rulesTextOf({ rules: text }) });
    await pause();
  }
  const setNames = await listFlagSetNames(db, projectId);
  const surroundings = { kindOf: (name: string) => kinds.get(name), setNameOf: (id: string) => setNames.get(id) };
  const flags: ReturnType<typeof toWireFlag>[] = [];
  for await (const stored of listDefinitionsAfter(db, environment, -1)) {
    flags.push(toWireFlag(parseStored(stored), surroundings));
    await pause();
  }
  const ruleBased = rules.map(({ text, ...rest }) =>
    toWireSegment({ ...(JSON.parse(text) as SegmentRules), ...rest }, surroundings),
  );
  return { flags, ruleBased, kinds };
}

interface Planning {
  readonly planned: PlannedItems;
  readonly pause: () => Promise<void>;
}

/** What would be here after the import: what is stored, with what the plan creates or updates. */
async function withPlanned(stored: WireSide, project: SourceProject, { planned, pause }: Planning): Promise<WireSide> {
  const segments = new Map(project.segments.map((segment) => [segment.name, segment]));
  const kinds = new Map(stored.kinds);
  for (const name of planned('activation').keys()) {
    const segment = segments.get(name);
    if (segment) kinds.set(name, segment.kind);
  }
  // Flag sets do not take part in an evaluation.
  const surroundings = { kindOf: (name: string) => kinds.get(name), setNameOf: () => undefined };
  const byName = <Thing extends { readonly name: string }>(all: readonly Thing[]) =>
    new Map(all.map((one) => [one.name, one]));
  const [flags, ruleBased] = [byName(stored.flags), byName(stored.ruleBased)];
  const trafficTypes = new Map(project.flags.map(({ name, trafficType }) => [name, trafficType]));
  for (const [name, { wanted }] of planned('definition')) {
    // With new seeds it has nothing to compare with.
    if (!wanted?.seeds) flags.delete(name);
    else {
      const trafficType = trafficTypes.get(name) ?? '';
      const more = {
        ...wanted.seeds,
        algo: wanted.algorithm,
        name,
        trafficType: { id: trafficType, name: trafficType },
      };
      flags.set(name, toWireFlag({ ...wanted.targeting, ...more, revision: wanted.changeNumber ?? 0 }, surroundings));
    }
    await pause();
  }
  for (const [name, { wanted }] of planned('rules')) {
    const more = { name, trafficType: segments.get(name)?.trafficType ?? '', changeNumber: wanted?.changeNumber ?? 0 };
    if (wanted) ruleBased.set(name, toWireSegment({ ...wanted.rules, ...more }, surroundings));
    await pause();
  }
  return { flags: [...flags.values()], ruleBased: [...ruleBased.values()], kinds };
}

const membersPerSegment = 50;

/** Some members of each segment, so that rules about it are reached. */
async function chooseKeys({ activation }: { readonly activation: SourceActivation }, keys: Set<string>) {
  if (!activation.keys) return;
  for await (const page of activation.keys()) {
    for (const key of page.slice(0, membersPerSegment)) keys.add(key);
    return;
  }
}

interface Chosen {
  readonly keys: ReadonlySet<string>;
  readonly pause: () => Promise<void>;
}

/** Only the chosen keys are kept: a segment may have millions. */
async function membersOf(
  kinds: ReadonlyMap<string, SegmentKind>,
  { keys, pause }: Chosen,
  pagesOf: (segment: string, kind: SegmentKind) => AsyncIterable<readonly string[]> | undefined,
): Promise<Pick<Side, 'standard' | 'large'>> {
  const sides = { standard: new Map<string, Set<string>>(), large: new Map<string, Set<string>>() };
  for (const [segment, kind] of kinds) {
    const pages = kind === 'rule_based' ? undefined : pagesOf(segment, kind);
    if (!pages || kind === 'rule_based') continue;
    const found = new Set<string>();
    for await (const page of pages) {
      for (const key of page) if (keys.has(key)) found.add(key);
      await pause();
    }
    sides[kind].set(segment, found);
  }
  return sides;
}

interface KeysPlace {
  readonly projectId: string;
  readonly environmentId: string;
  readonly segment: string;
  readonly kind: SegmentKind;
}

const largeKeysAtOnce = 5_000;

async function* keysHere(db: Reader, { projectId, environmentId, segment, kind }: KeysPlace): AsyncGenerator<string[]> {
  if (kind === 'standard') return yield* listAllKeys(db, { environmentId, segment });
  const found = await findSegment(db, { projectId, kind }, segment);
  if (!found) return;
  const place = { environmentId, segmentId: found.id };
  for (let last = ''; ; ) {
    const read = await listLargeKeys(db, place, { from: last, limit: largeKeysAtOnce });
    // A page begins with the last key of the one before.
    yield read[0] === last ? read.slice(1) : read;
    if (read.length < largeKeysAtOnce) return;
    last = read.at(-1) ?? last;
  }
}
