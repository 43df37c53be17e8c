/**
 * Reads what changed in an environment since it was last read.
 *
 * Invariants
 * 1. The environment's number is read first (`upTo`): whatever has a number up to it is read after it, and is in the
 *    result. What is committed meanwhile has a greater number. It may be in the result, and is read again next time.
 * 2. Removed flags and segments are read after existing ones, and of two rows about one name the greater number counts:
 *    what moves from one table to the other meanwhile is not lost.
 * 3. Whether a rule means a standard, large or rule-based segment depends on which kind is active here. Activating one
 *    renumbers what names it, so a text is right as long as its number does not change.
 */

import { type Turns, takeTurns } from '#concurrency/turns.ts';
import { parseStored } from '#domain/definitions/definition.ts';
import { referencesOf } from '#domain/definitions/references.ts';
import { rulesTextOf, type SegmentRules, segmentsNamedIn } from '#domain/rule-based-segments.ts';
import type { SegmentKind } from '#domain/segments.ts';
import { archivedFlag, forSpec, type Spec, specs, toWireFlag, type WireFlag } from '#domain/wire/flags.ts';
import { archivedSegment, toWireSegment } from '#domain/wire/segments.ts';
import { listDefinitionsAfter, type SeededDefinition } from '#store/definitions.ts';
import {
  type ActiveSegment,
  type DeliveredEnvironment,
  findDeliveredEnvironment,
  listFlagSetNames,
  listSegmentsAfter,
  listSegmentTombstonesAfter,
  listTombstonesAfter,
  type SegmentTombstone,
  type Tombstone,
} from '#store/delivery.ts';
import type { Reader } from '#store/sql.ts';

/** A flag as SDKs read it, or that it is gone. */
export interface FlagEntry {
  readonly name: string;
  readonly number: number;
  readonly isArchived: boolean;
  /** JSON of the newest spec. */
  readonly text: Buffer;
  /** Where the JSON of an older spec differs. */
  readonly olderTexts: ReadonlyMap<Spec, Buffer>;
  readonly sets: readonly string[];
  readonly isKilled: boolean;
  readonly defaultTreatment: string;
  /** The segments that it names. */
  readonly segments: readonly string[];
  /** Undefined if it is gone. */
  readonly definition: SeededDefinition | undefined;
}

/** A rule-based segment as SDKs read it, or that it is gone. */
export interface RuleBasedEntry {
  readonly name: string;
  readonly number: number;
  readonly isArchived: boolean;
  readonly text: Buffer;
  readonly segments: readonly string[];
  /** JSON; undefined if it is gone. */
  readonly rules: string | undefined;
}

/** The contents of an environment, except segment keys. */
export interface Content {
  readonly environment: DeliveredEnvironment;
  /** By name, as the other maps. */
  readonly flags: ReadonlyMap<string, FlagEntry>;
  readonly ruleBased: ReadonlyMap<string, RuleBasedEntry>;
  /** Segments of all kinds that are active here. */
  readonly active: ReadonlyMap<string, ActiveSegment>;
  /** Standard and large segments that were active here, with the number of their deactivation. */
  readonly inactive: ReadonlyMap<string, number>;
}

/** Undefined if the environment does not exist; `before` itself if nothing changed. */
export async function readContent(
  db: Reader,
  environmentId: string,
  before: Content | undefined,
): Promise<Content | undefined> {
  const environment = await findDeliveredEnvironment(db, environmentId);
  if (!environment) return undefined;
  const upTo = before?.environment.changeNumber ?? -1;
  if (before && environment.changeNumber === upTo) return before;
  // The database was restored: nothing that was read before counts.
  if (environment.changeNumber < upTo) return readContent(db, environmentId, undefined);
  const definitions = await all(listDefinitionsAfter(db, environment, upTo));
  const tombstones = await all(listTombstonesAfter(db, environmentId, upTo));
  const segments = await all(listSegmentsAfter(db, environmentId, upTo));
  const segmentTombstones = await all(listSegmentTombstonesAfter(db, environmentId, upTo));
  const places = placesOf(before, segments, segmentTombstones);
  const kindOf = (name: string) => places.active.get(name)?.kind;
  const setNames = definitions.some(({ targeting }) => targeting.includes('"flagSets"'))
    ? await listFlagSetNames(db, environment.projectId)
    : new Map<string, string>();
  const surroundings = { kindOf, setNameOf: (id: string) => setNames.get(id) };
  return {
    environment,
    ...places,
    flags: await newest(before?.flags, [
      ...definitions.map((definition) => ({
        number: definition.revision,
        name: definition.name,
        make: () => toFlagEntry(definition, surroundings),
      })),
      ...tombstones.map((tombstone) => ({ ...tombstone, make: () => goneFlag(tombstone) })),
    ]),
    ruleBased: await newest(before?.ruleBased, [
      ...segments
        .filter(({ kind }) => kind === 'rule_based')
        .map((segment) => ({ ...segment, make: () => toRuleBasedEntry(segment, surroundings) })),
      ...segmentTombstones
        .filter(({ kind }) => kind === 'rule_based')
        .map((tombstone) => ({ ...tombstone, make: () => goneSegment(tombstone) })),
    ]),
  };
}

/** Reads from SQLite block the event loop, so other work gets a turn in between. */
async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = [];
  const turns = takeTurns();
  for await (const row of rows) {
    found.push(row);
    if (turns.isOver()) await turns.next();
  }
  return found;
}

function placesOf(
  before: Content | undefined,
  segments: readonly ActiveSegment[],
  tombstones: readonly SegmentTombstone[],
): Pick<Content, 'active' | 'inactive'> {
  const active = new Map(before?.active);
  const inactive = new Map(before?.inactive);
  for (const segment of segments) {
    active.set(segment.name, segment);
    inactive.delete(segment.name);
  }
  for (const { name, number } of tombstones) {
    if (number < (active.get(name)?.number ?? 0)) continue;
    active.delete(name);
    inactive.set(name, number);
  }
  return { active, inactive };
}

interface Found<Entry> {
  readonly name: string;
  readonly number: number;
  readonly make: () => Entry;
}

/** The same map if there is nothing newer. */
async function newest<Entry extends { readonly number: number }>(
  before: ReadonlyMap<string, Entry> | undefined,
  found: readonly Found<Entry>[],
): Promise<ReadonlyMap<string, Entry>> {
  if (before && found.length === 0) return before;
  const turns = takeTurns();
  const entries = await copyOf(before, turns);
  let isChanged = !before;
  for (const { name, number, make } of found) {
    if (number <= (entries.get(name)?.number ?? -1)) continue;
    // Moved to the end: sorting by number stays quick.
    entries.delete(name);
    entries.set(name, make());
    isChanged = true;
    if (turns.isOver()) await turns.next();
  }
  return isChanged ? entries : (before ?? entries);
}

/** In turns: copying 100,000 entries takes 40 ms. */
async function copyOf<Entry>(entries: ReadonlyMap<string, Entry> = new Map(), turns: Turns) {
  const copy = new Map<string, Entry>();
  for (const [name, entry] of entries) {
    copy.set(name, entry);
    if (copy.size % entriesAtOnce === 0 && turns.isOver()) await turns.next();
  }
  return copy;
}

/** They take less than a millisecond. */
const entriesAtOnce = 1_000;

interface Surroundings {
  readonly kindOf: (segment: string) => SegmentKind | undefined;
  readonly setNameOf: (id: string) => string | undefined;
}

function toFlagEntry(stored: SeededDefinition, surroundings: Surroundings): FlagEntry {
  const definition = parseStored(stored);
  const flag = toWireFlag(definition, surroundings);
  return {
    ...textsOf(flag),
    segments: referencesOf(definition).flatMap(({ kind, name }) => (kind === 'segment' ? [name] : [])),
    definition: stored,
  };
}

const goneFlag = ({ name, number }: Tombstone): FlagEntry => ({
  ...textsOf(archivedFlag(name, number)),
  segments: [],
  definition: undefined,
});

function textsOf(flag: WireFlag): Omit<FlagEntry, 'segments' | 'definition'> {
  const olderTexts = new Map<Spec, Buffer>();
  for (const spec of specs) {
    const older = forSpec(flag, spec);
    if (older !== flag) olderTexts.set(spec, toText(older));
  }
  const { name, changeNumber: number, sets, killed: isKilled, defaultTreatment } = flag;
  const isArchived = flag.status === 'ARCHIVED';
  return { name, number, isArchived, text: toText(flag), olderTexts, sets, isKilled, defaultTreatment };
}

function toRuleBasedEntry(segment: ActiveSegment, surroundings: Surroundings): RuleBasedEntry {
  const { name, number, trafficType } = segment;
  const rules = rulesTextOf(segment);
  const parsed = JSON.parse(rules) as SegmentRules;
  const text = toText(toWireSegment({ ...parsed, name, trafficType, changeNumber: number }, surroundings));
  return { name, number, isArchived: false, text, segments: segmentsNamedIn(parsed), rules };
}

const goneSegment = ({ name, number }: Tombstone): RuleBasedEntry => ({
  name,
  number,
  isArchived: true,
  text: toText(archivedSegment(name, number)),
  segments: [],
  rules: undefined,
});

const toText = (value: object): Buffer => Buffer.from(JSON.stringify(value));
