import { randomInt } from 'node:crypto';
import {
  checkTargeting,
  type Definition,
  definitionNotFound,
  dependenciesOf,
  maxDependencies,
  type Targeting,
  toTargeting,
} from '#domain/definitions/definition.ts';
import { parseSeeds, parseTargeting, patchTargeting } from '#domain/definitions/parse.ts';
import type { Environment } from '#domain/environments.ts';
import type { Seeds } from '#domain/evaluation/bucketing.ts';
import type { DefinedFlag } from '#domain/flags.ts';
import { equalJson } from '#domain/json.ts';
import type { Operation } from '#domain/json-patch.ts';
import { refuse } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { nextRevision, requireMatch } from '#domain/revisions.ts';
import * as store from '#store/definitions.ts';
import { nextChangeNumber } from '#store/environments.ts';
import { listFlagNames, lockFlag } from '#store/flags.ts';
import { definitionTag, type Tx, Unchanged } from '#store/sql.ts';
import { type Context, type Entry, type RecordingTx, write } from './context.ts';
import { requireNote } from './projects.ts';

/** Which definition is changed, why, and on which condition. */
export interface DefinitionChange {
  readonly project: Project;
  readonly environment: Environment;
  readonly flag: DefinedFlag;
  /** What the caller said for the flag: its name or its id. */
  readonly nameOrId: string;
  readonly note: Note;
  readonly ifMatch: string | undefined;
}

/** Defines a flag in an environment where it has no definition yet. */
export const createDefinition = (context: Context, change: DefinitionChange & { body: unknown }) =>
  write(context, async (tx) => {
    const { project, flag, note, ifMatch } = change;
    await requireNote(tx, project, note);
    const targeting = parseTargeting(change.body);
    const seeds = parseSeeds(change.body) ?? newSeeds();
    if (!(await lockFlag(tx, flag.id))) throw definitionNotFound(tx.actor, change, 'flag');
    const { environment, changeNumber: revision } = await nextChangeNumber(tx, change.environment);
    const existing = await store.findDefinition(tx, environment, flag.id);
    if (!existing) requireMatch(ifMatch, undefined);
    const { text, needed } = await requireValid(tx, change, { targeting, knownDependencies: [] });
    const definition: store.SeededDefinition = {
      id: flag.id,
      name: flag.name,
      environment: { id: environment.id, name: environment.name },
      trafficType: flag.trafficType,
      ...targeting,
      creationTime: tx.now,
      lastUpdateTime: tx.now,
      ...seeds,
      revision,
    };
    await store.insertDefinition(tx, definition, text);
    await store.saveDependencies(tx, environment.id, flag, needed);
    await tx.record({ ...entry('definition.created', change), after: toRecord(definition) });
    return definition;
  });

/** Replaces a definition by another. A body that does not speak of `killed` must not restore what was killed. */
export const replaceDefinition = (context: Context, change: DefinitionChange & { body: unknown }) =>
  changeDefinition(context, change, 'definition.replaced', ({ killed }) => parseTargeting(change.body, { killed }));

/** Changes a definition by JSON Patch. All or nothing; concurrent patches are applied one after the other. */
export const patchDefinition = (context: Context, change: DefinitionChange & { operations: readonly Operation[] }) =>
  changeDefinition(context, change, 'definition.patched', (before) => patchTargeting(before, change.operations));

/** Serves the default treatment to everybody, whatever the rules say. */
export const killDefinition = (context: Context, change: DefinitionChange) =>
  switchDefinition(context, change, 'definition.killed', true);

/** Lets the rules decide again. */
export const restoreDefinition = (context: Context, change: DefinitionChange) =>
  switchDefinition(context, change, 'definition.restored', false);

/** Removes the definition; the flag stays, and so do its definitions elsewhere. */
export const deleteDefinition = (context: Context, change: DefinitionChange) =>
  write(context, async (tx) => {
    const { environment, flag } = change;
    const { before, revision } = await begin(tx, change);
    await store.deleteDefinition(tx, environment.id, flag.id);
    await store.insertTombstone(tx, environment.id, flag.name, revision);
    const notBefore = nextRevision(tx.now, before.lastUpdateTime);
    await tx.record({ ...entry('definition.deleted', change), before: toRecord(before), notBefore });
    return true as const;
  });

const changeDefinition = (
  context: Context,
  change: DefinitionChange,
  action: Entry['action'],
  next: (before: Definition) => Targeting,
) =>
  write(context, async (tx) => {
    const { before, revision } = await begin(tx, change);
    const targeting = next(before);
    if (equalJson(targeting, toTargeting(before))) return new Unchanged(before);
    const knownDependencies = dependenciesOf(before);
    const { text, needed } = await requireValid(tx, change, { targeting, knownDependencies });
    // They seldom change, and are what the definition before had.
    if (!equalJson(needed, knownDependencies)) {
      await store.saveDependencies(tx, change.environment.id, change.flag, needed);
    }
    return finish(tx, { change, action, before, targeting, text, revision });
  });

/** A switch must work even when the rules of the definition have become invalid, so they are not looked at. */
const switchDefinition = (context: Context, change: DefinitionChange, action: Entry['action'], killed: boolean) =>
  write(context, async (tx) => {
    const { before, revision } = await begin(tx, change);
    if (before.killed === killed) return new Unchanged(before);
    const targeting = { ...toTargeting(before), killed };
    return finish(tx, { change, action, before, targeting, text: JSON.stringify(targeting), revision });
  });

/** Takes the environment's next number, and with it the lock, then reads the definition as it is now. */
async function begin(tx: RecordingTx, change: DefinitionChange) {
  const { project, environment: named, flag, note, ifMatch } = change;
  await requireNote(tx, project, note);
  const { environment, changeNumber: revision } = await nextChangeNumber(tx, named);
  const before = await store.findDefinition(tx, environment, flag.id);
  if (!before) throw definitionNotFound(tx.actor, change, 'definition');
  requireMatch(ifMatch, before);
  return { before, revision };
}

interface Finished {
  readonly change: DefinitionChange;
  readonly action: Entry['action'];
  readonly before: store.SeededDefinition;
  readonly targeting: Targeting;
  /** The targeting as it is stored. */
  readonly text: string;
  readonly revision: number;
}

async function finish(
  tx: RecordingTx,
  { change, action, before, targeting, text, revision }: Finished,
): Promise<Definition> {
  const lastUpdateTime = nextRevision(tx.now, before.lastUpdateTime);
  const after = { ...before, ...targeting, lastUpdateTime, revision };
  await store.saveDefinition(tx, after, text);
  await tx.record({
    ...entry(action, change),
    before: toRecord(before),
    after: toRecord(after),
    notBefore: lastUpdateTime,
  });
  return after;
}

/** Definitions are served whole to every SDK, so they must not grow without end. */
const maxCharacters = 1_048_576;

interface Proposed {
  readonly targeting: Targeting;
  /** The dependencies that the definition has now. */
  readonly knownDependencies: readonly string[];
}

/** Refuses with every complaint. Answers the targeting as it is stored, and the flags that it needs. */
async function requireValid(tx: Tx, change: DefinitionChange, { targeting, knownDependencies }: Proposed) {
  const { project, flag } = change;
  // One more than is allowed is enough to complain, and all that is worth asking the database for.
  const needed = dependenciesOf(targeting).slice(0, maxDependencies + 1);
  const complaints = checkTargeting(targeting, {
    flag: flag.name,
    existingFlags: await listFlagNames(tx, project.id, needed),
    dependentFlags: await findCycles(tx, change, needed, knownDependencies),
  });
  // In the order of the reply, which is made of this text.
  const text = JSON.stringify(toTargeting(targeting));
  if (text.length > maxCharacters)
    complaints.push(`the definition must not have more than ${maxCharacters} characters`);
  refuse('definition_invalid', complaints);
  return { text, needed };
}

/**
 * Looking for a cycle visits every dependency that leads to the flag while nobody else is served: with this many, and
 * names of the greatest length, it takes less than 25 ms.
 */
const maxDependenciesInEnvironment = 5_000;

/**
 * Those of the needed flags that depend on this one. Only a dependency that is new can close a cycle, since there was
 * none before. Refuses new ones when the environment has too many.
 */
async function findCycles(
  tx: Tx,
  { environment, flag }: DefinitionChange,
  needed: readonly string[],
  known: readonly string[],
): Promise<Set<string>> {
  const added = needed.filter((name) => !known.includes(name));
  if (added.length === 0) return new Set();
  const most = maxDependenciesInEnvironment;
  const others = await store.countOtherDependencies(tx, environment.id, flag.id, most + 1);
  const sentence = `rules must not add dependencies: all definitions of an environment together have at most ${most}`;
  refuse('definition_invalid', others + needed.length > most ? [sentence] : []);
  return store.listDependents(tx, environment.id, flag.name, added);
}

/** Two different signed 32-bit numbers, as the SDKs expect them. */
function newSeeds(): Seeds {
  const seed = randomInt(-(2 ** 31), 2 ** 31);
  const trafficAllocationSeed = randomInt(-(2 ** 31), 2 ** 31);
  return seed === trafficAllocationSeed ? newSeeds() : { seed, trafficAllocationSeed };
}

/**
 * A definition as the audit log keeps it: all that is needed to make it again with every key in its bucket. The members
 * have one order, so that what a change leaves and what the next one finds are the same text.
 */
export const toRecord = (definition: store.SeededDefinition) => ({
  id: definition.id,
  name: definition.name,
  environment: definition.environment,
  trafficType: definition.trafficType,
  ...toTargeting(definition),
  creationTime: definition.creationTime,
  lastUpdateTime: definition.lastUpdateTime,
  seed: definition.seed,
  trafficAllocationSeed: definition.trafficAllocationSeed,
  changeNumber: definition.revision,
});

const entry = (action: Entry['action'], { project, environment, flag, note }: DefinitionChange) => ({
  action,
  object: { type: 'definition' as const, id: flag.id, name: flag.name },
  project,
  environment,
  note,
  touches: definitionTag(environment.id, flag.id),
});
