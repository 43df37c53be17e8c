/** What a definition must satisfy before it is saved: its own rules, and what it refers to. */
import {
  checkTargeting,
  dependenciesOf,
  maxDependencies,
  type Targeting,
  toTargeting,
  withFlagSets,
} from '#domain/definitions/definition.ts';
import { referencesOf } from '#domain/definitions/references.ts';
import { refuse } from '#domain/problems.ts';
import type { Reference } from '#domain/schema.ts';
import { keepFlagSets } from '#store/flag-sets.ts';
import { listFlagNames } from '#store/flags.ts';
import { countOtherDependencies, haveSegmentsFlags, listDependents } from '#store/references.ts';
import type { Tx } from '#store/sql.ts';
import { type Cycle, findCycle } from './cycles.ts';

/**
 * Flag sets by their ids, whether the targeting names them by id or by name. They stay until the commit. Refuses those
 * that the project does not have.
 */
export async function resolveFlagSets(tx: Tx, project: Reference, targeting: Targeting): Promise<Targeting> {
  const asked = (targeting.flagSets ?? []).map(({ id }) => id);
  if (asked.length === 0) return targeting;
  const sets = await keepFlagSets(tx, project.id, asked);
  const idOf = (nameOrId: string) =>
    (sets.find(({ id }) => id === nameOrId) ?? sets.find(({ name }) => name === nameOrId))?.id;
  refuse(
    'definition_invalid',
    asked.flatMap((nameOrId, index) =>
      idOf(nameOrId) === undefined ? [`flagSets/${index} ${nameOrId} is not a flag set of the project`] : [],
    ),
  );
  const ids = new Set(asked.flatMap((nameOrId) => idOf(nameOrId) ?? []));
  return withFlagSets(
    targeting,
    [...ids].map((id) => ({ id, type: 'flag_set' })),
  );
}

/** SDKs download whole definitions, so their size is limited. */
const maxCharacters = 1_048_576;

interface Place {
  readonly project: Reference;
  readonly environment: Reference;
  readonly flag: Reference;
}

interface Proposed {
  readonly targeting: Targeting;
  readonly before: Targeting | undefined;
}

/** Refuses with all complaints. Returns the text to store. */
export async function requireValid(tx: Tx, place: Place, { targeting, before }: Proposed): Promise<string> {
  const { project, flag } = place;
  // One more than allowed is enough for the complaint; do not look up the rest.
  const needed = dependenciesOf(targeting).slice(0, maxDependencies + 1);
  const neededBefore = before ? dependenciesOf(before) : [];
  const existing = await listFlagNames(tx, project.id, needed);
  const complaints = checkTargeting(targeting, {
    flag: flag.name,
    // A flag that was deleted since must not block other edits.
    existingFlags: new Set([...existing, ...neededBefore]),
    dependentFlags: await findCycles(tx, place, needed, neededBefore),
  });
  // The reply consists of this text, so its member order matters.
  const text = JSON.stringify(toTargeting(targeting));
  if (text.length > maxCharacters)
    complaints.push(`the definition must not have more than ${maxCharacters} characters`);
  refuse('definition_invalid', complaints);
  const cycle = await findCycleThroughSegments(tx, place, { targeting, before });
  refuse('definition_invalid', cycle ? [`${cycle.through.kind} ${cycle.through.name} ${cycle.complaint}`] : []);
  return text;
}

/** For a definition that is restored: what it depends on may be gone, but must not depend on it. */
export async function requireNoCycle(tx: Tx, place: Place, targeting: Targeting): Promise<void> {
  const { flag, environment } = place;
  const where = `in ${environment.name}`;
  const cycles = await findCycles(tx, place, dependenciesOf(targeting), []);
  refuse(
    'definition_invalid',
    [...cycles].map((name) => `flag ${name} depends on ${flag.name} ${where}, which would depend on it again`),
  );
  const cycle = await findCycleThroughSegments(tx, place, { targeting, before: undefined });
  refuse(
    'definition_invalid',
    cycle ? [`${cycle.through.kind} ${cycle.through.name} ${where} ${cycle.complaint}`] : [],
  );
}

/** Only if a rule-based segment depends on a flag. */
async function findCycleThroughSegments(
  tx: Tx,
  { environment, flag }: Place,
  { targeting, before }: Proposed,
): Promise<Cycle | undefined> {
  const known = new Set(before ? referencesOf(before).map(({ kind, name }) => `${kind} ${name}`) : []);
  const added = referencesOf(targeting).filter(({ kind, name }) => !known.has(`${kind} ${name}`));
  if (added.length === 0 || !(await haveSegmentsFlags(tx, environment.id))) return undefined;
  return findCycle(tx, environment.id, { kind: 'flag', name: flag.name }, added);
}

/**
 * The cycle check visits every dependency that leads to the flag and blocks other requests meanwhile. With this many,
 * and names of maximum length, it takes less than 25 ms.
 */
const maxDependenciesInEnvironment = 5_000;

/**
 * Those of the needed flags that depend on this one. Only a new dependency can close a cycle, since there was none
 * before. Refuses new ones if the environment has too many.
 */
async function findCycles(
  tx: Tx,
  { environment, flag }: Place,
  needed: readonly string[],
  known: readonly string[],
): Promise<Set<string>> {
  const added = needed.filter((name) => !known.includes(name));
  if (added.length === 0) return new Set();
  const max = maxDependenciesInEnvironment;
  const own = { kind: 'flag', name: flag.name } as const;
  const others = await countOtherDependencies(tx, environment.id, own, max + 1);
  const sentence = `rules must not add dependencies: all definitions of an environment together have at most ${max}`;
  refuse('definition_invalid', others + needed.length > max ? [sentence] : []);
  return listDependents(tx, environment.id, own, added);
}
