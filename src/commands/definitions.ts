import { randomInt } from 'node:crypto';
import type { Bucketing } from '#domain/bucketing.ts';
import {
  definitionNotFound,
  parseStored,
  type Targeting,
  toRecordText,
  toTargeting,
  withFlagSets,
} from '#domain/definitions/definition.ts';
import { applyEdit, type ChangeEdit, type CreateEdit, type DefinitionEdit } from '#domain/definitions/edits.ts';
import { parseBucketing } from '#domain/definitions/parse.ts';
import { referencesOf } from '#domain/definitions/references.ts';
import type { Environment } from '#domain/environments.ts';
import type { DefinedFlag, Flag } from '#domain/flags.ts';
import { equalJson, JsonText } from '#domain/json.ts';
import type { Operation } from '#domain/json-patch.ts';
import { Problem } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { nextRevision, requireMatch } from '#domain/revisions.ts';
import type { Reference } from '#domain/schema.ts';
import * as store from '#store/definitions.ts';
import { findDeletedDefinition } from '#store/deletions.ts';
import { nextChangeNumber, takeChangeNumbers } from '#store/environments.ts';
import { keepFlagSets } from '#store/flag-sets.ts';
import { isArchived, lockFlag } from '#store/flags.ts';
import { saveReferences } from '#store/references.ts';
import { definitionTag, type Tx } from '#store/sql.ts';
import { requireDirect } from './approvals.ts';
import { type Context, type Entry, type RecordingTx, write } from './context.ts';
import { requireNoCycle, requireValid, resolveFlagSets } from './definition-checks.ts';
import { requireNote } from './projects.ts';
import { stopRampsIn } from './ramps.ts';

/** The definition to change, with the note and the precondition. */
export interface DefinitionChange {
  readonly project: Project;
  readonly environment: Environment;
  readonly flag: DefinedFlag;
  /** The flag's name or id, as the caller sent it. */
  readonly nameOrId: string;
  readonly note: Note;
  readonly ifMatch: string | undefined;
  /** The least change number, of an import; that of the clock if absent. */
  readonly atLeast?: number | undefined;
}

/** Defines a flag in an environment where it has no definition yet. */
export const createDefinition = (context: Context, change: DefinitionChange, body: unknown) =>
  write(context, (tx) => editDefinitionIn(tx, change, { kind: 'create', body }));

/** Replaces a definition. `killed` stays as it is if the body leaves it out. */
export const replaceDefinition = (context: Context, change: DefinitionChange, body: unknown) =>
  write(context, (tx) => editDefinitionIn(tx, change, { kind: 'replace', body }));

/** Changes a definition by JSON Patch, all or nothing. Concurrent patches are applied one after the other. */
export const patchDefinition = (context: Context, change: DefinitionChange, operations: readonly Operation[]) =>
  write(context, (tx) => editDefinitionIn(tx, change, { kind: 'patch', operations }));

/** Serves the default treatment to everyone, whatever the rules say. */
export const killDefinition = (context: Context, change: DefinitionChange) =>
  write(context, (tx) => editDefinitionIn(tx, change, { kind: 'kill' }));

/** Applies the rules again. */
export const restoreDefinition = (context: Context, change: DefinitionChange) =>
  write(context, (tx) => editDefinitionIn(tx, change, { kind: 'restore' }));

/** Deletes the definition. The flag and its definitions in other environments stay. */
export const deleteDefinition = (context: Context, change: DefinitionChange) =>
  write(context, async (tx) => {
    await editDefinitionIn(tx, change, { kind: 'delete' });
    return true as const;
  });

/**
 * Restores the definition as it was when it was last deleted in this environment, from the audit log. It keeps its seeds.
 */
export const undeleteDefinition = (context: Context, change: DefinitionChange) =>
  write(context, async (tx) => {
    const { project, environment, flag, ifMatch } = change;
    await requireNote(tx, project, change.note);
    const current = await lockFlag(tx, flag.id);
    if (!current) throw definitionNotFound(tx.actor, change, 'flag');
    if (current.archivedAt !== undefined) throw new Problem('flag_archived', { name: flag.name });
    const place = { flag: flag.name, environment: environment.name };
    if (await store.isDefined(tx, environment.id, flag.id)) throw new Problem('definition_exists', place);
    requireMatch(ifMatch, undefined);
    const deleted = await findDeletedDefinition(tx, project.id, { flagId: flag.id, environmentId: environment.id });
    if (!deleted) throw new Problem('deleted_definition_not_found', place);
    return undeleteDefinitionIn(tx, change, deleted as RecordedDefinition);
  });

/** A definition after an edit: the stored form and the parsed targeting. */
export interface EditedDefinition {
  readonly stored: store.SeededDefinition;
  readonly targeting: Targeting;
}

/**
 * Applies an edit inside a transaction. An edit without effect records nothing; alongside other changes it still takes
 * a change number, which clients see as an update without content.
 */
export async function editDefinitionIn(
  tx: RecordingTx,
  change: DefinitionChange,
  edit: CreateEdit | ChangeEdit,
): Promise<EditedDefinition>;
export async function editDefinitionIn(
  tx: RecordingTx,
  change: DefinitionChange,
  edit: DefinitionEdit,
): Promise<EditedDefinition | undefined>;
export async function editDefinitionIn(tx: RecordingTx, change: DefinitionChange, edit: DefinitionEdit) {
  await requireNote(tx, change.project, change.note);
  if (edit.kind === 'create') return create(tx, change, edit);
  const { stored, revision, recording } = await lockDefinition(tx, change, edit);
  if (edit.kind === 'delete') {
    await removeDefinition(recording, change, { stored, revision });
    return undefined;
  }
  // The environment is locked, which archiving the flag waits for.
  if (await isArchived(tx, change.flag.id)) throw new Problem('flag_archived', { name: change.flag.name });
  const before = parseStored(stored);
  const targeting = await resolveFlagSets(tx, change.project, applyEdit(before, edit));
  if (equalJson(targeting, toTargeting(before))) return tx.unchanged({ stored, targeting });
  if (targeting.killed && !before.killed) {
    const place = { projectId: change.project.id, environmentId: stored.environment.id, flagId: stored.id };
    await stopRampsIn(tx, place, { flag: stored.name, environment: stored.environment.name });
  }
  const text = isSwitch(edit) ? JSON.stringify(targeting) : await saveValid(tx, change, { targeting, before });
  return save(recording, change, { stored, revision, action: actions[edit.kind], targeting, text });
}

const actions = {
  replace: 'definition.replaced',
  patch: 'definition.patched',
  kill: 'definition.killed',
  restore: 'definition.restored',
} as const;

/** Kill and restore must work even if the rules have become invalid, so they skip validation. */
const isSwitch = ({ kind }: DefinitionEdit): boolean => kind === 'kill' || kind === 'restore';

async function create(tx: RecordingTx, change: DefinitionChange, edit: CreateEdit): Promise<EditedDefinition> {
  const { flag, ifMatch } = change;
  const asked = applyEdit(undefined, edit);
  const bucketing = parseBucketing(edit.body) ?? newBucketing();
  const current = await lockFlag(tx, flag.id);
  if (!current) throw definitionNotFound(tx.actor, change, 'flag');
  if (current.archivedAt !== undefined) throw new Problem('flag_archived', { name: flag.name });
  const locked = await nextChangeNumber(tx, change.environment, undefined, change.atLeast);
  const { environment, changeNumber: revision } = locked;
  const recording = await requireDirect(tx, locked);
  if (!(await store.isDefined(tx, environment.id, flag.id))) requireMatch(ifMatch, undefined);
  const targeting = await resolveFlagSets(tx, change.project, asked);
  const text = await requireValid(tx, change, { targeting, before: undefined });
  const stored: store.SeededDefinition = {
    id: flag.id,
    name: flag.name,
    environment: { id: environment.id, name: environment.name },
    trafficType: flag.trafficType,
    targeting: text,
    creationTime: tx.now,
    lastUpdateTime: tx.now,
    ...bucketing,
    revision,
  };
  await insert(recording, change, { stored, targeting, action: 'definition.created' });
  return { stored, targeting };
}

/** A definition as its audit entry has it. */
export type RecordedDefinition = Pick<store.SeededDefinition, 'creationTime' | 'lastUpdateTime'> & Targeting;

/**
 * Restores a definition that was deleted, alone or together with its flag. Flags that its rules depend on and flag sets may be
 * gone meanwhile, so these are not required; a cycle is refused. The flag must be locked.
 */
export async function undeleteDefinitionIn(
  tx: RecordingTx,
  change: Omit<DefinitionChange, 'ifMatch'>,
  recorded: RecordedDefinition,
): Promise<EditedDefinition> {
  const { flag, project } = change;
  const locked = await nextChangeNumber(tx, change.environment);
  const { environment, changeNumber: revision } = locked;
  const recording = await requireDirect(tx, locked);
  const { flagSets = [] } = recorded;
  const ids = flagSets.map(({ id }) => id);
  const left = new Set(ids.length === 0 ? [] : (await keepFlagSets(tx, project.id, ids)).map(({ id }) => id));
  const targeting = withFlagSets(
    toTargeting(recorded),
    flagSets.filter(({ id }) => left.has(id)),
  );
  await requireNoCycle(tx, change, targeting);
  const stored: store.SeededDefinition = {
    id: flag.id,
    name: flag.name,
    environment: { id: environment.id, name: environment.name },
    trafficType: flag.trafficType,
    targeting: JSON.stringify(targeting),
    creationTime: recorded.creationTime,
    lastUpdateTime: nextRevision(tx.now, recorded.lastUpdateTime),
    // Entries before 0028 have no seeds.
    ...(parseBucketing(recorded) ?? newBucketing()),
    revision,
  };
  await insert(recording, change, { stored, targeting, action: 'definition.undeleted' });
  return { stored, targeting };
}

interface DefinitionCopies {
  readonly project: Project;
  readonly environment: Reference;
  /** The originals, and what their flags became. */
  readonly copies: readonly { readonly source: store.SeededDefinition; readonly flag: Flag }[];
  /** What flag sets became, by the ids of the originals. */
  readonly flagSets: ReadonlyMap<string, Reference>;
}

/**
 * Part of copying a project. The copies have seeds of their own. They need neither a check, being as valid as what they
 * were copied from, nor an approval: the environment is new.
 */
export async function copyDefinitionsIn(tx: RecordingTx, { copies, flagSets, ...place }: DefinitionCopies) {
  const { environment, changeNumber } = await takeChangeNumbers(tx, place.environment, copies.length);
  const copied = copies.map(({ source, flag }, index) => {
    const targeting = inFlagSets(toTargeting(parseStored(source)), flagSets);
    const stored: store.SeededDefinition = {
      id: flag.id,
      name: flag.name,
      environment,
      trafficType: flag.trafficType,
      targeting: JSON.stringify(targeting),
      creationTime: tx.now,
      lastUpdateTime: tx.now,
      ...newBucketing(),
      revision: changeNumber - copies.length + 1 + index,
    };
    return { stored, targeting };
  });
  await store.insertFirstDefinitions(
    tx,
    copied.map(({ stored, targeting }) => ({ definition: stored, summary: store.summaryOf(targeting) })),
  );
  for (const { stored, targeting } of copied) {
    const references = referencesOf(targeting);
    const from = { id: stored.id, name: stored.name, kind: 'flag' as const };
    if (references.length > 0) await saveReferences(tx, environment.id, from, references);
  }
  await tx.record(
    ...copied.map(({ stored }) => ({
      ...entry('definition.created', { ...place, environment, flag: stored, note: {} }),
      after: toRecord(stored),
    })),
  );
}

function inFlagSets(targeting: Targeting, flagSets: ReadonlyMap<string, Reference>): Targeting {
  const sets = (targeting.flagSets ?? []).flatMap(({ id, type }) => {
    const copy = flagSets.get(id);
    return copy ? [{ id: copy.id, type }] : [];
  });
  return withFlagSets(targeting, sets);
}

async function insert(
  tx: RecordingTx,
  change: Place & { readonly flag: Reference },
  { stored, targeting, action }: EditedDefinition & { readonly action: Entry['action'] },
): Promise<void> {
  const { environment } = stored;
  await store.insertDefinition(tx, stored, store.summaryOf(targeting));
  await saveReferences(tx, environment.id, { ...change.flag, kind: 'flag' }, referencesOf(targeting));
  await tx.record({ ...entry(action, change), after: toRecord(stored), notBefore: stored.lastUpdateTime });
}

/**
 * Takes the environment's next change number, which is the lock, then reads the current definition. Refuses an edit that
 * needs an approval.
 */
async function lockDefinition(tx: RecordingTx, change: DefinitionChange, { kind }: DefinitionEdit) {
  const locked = await nextChangeNumber(tx, change.environment, undefined, change.atLeast);
  const { environment, changeNumber: revision } = locked;
  const stored = await store.findStoredDefinition(tx, environment, change.flag.id);
  if (!stored) throw definitionNotFound(tx.actor, change, 'definition');
  const recording = await requireDirect(tx, locked, kind === 'kill');
  requireMatch(change.ifMatch, stored);
  return { stored, revision, recording };
}

interface Locked {
  readonly stored: store.SeededDefinition;
  /** The change number. */
  readonly revision: number;
}

/**
 * Part of deleting a definition, alone or with its flag. The environment must be locked. Returns the time of the entry.
 */
export async function removeDefinition(tx: RecordingTx, place: Place, { stored, revision }: Locked): Promise<number> {
  const { environment, flag } = place;
  await store.deleteDefinition(tx, environment.id, flag.id);
  await store.insertTombstone(tx, environment.id, flag.name, revision);
  const notBefore = nextRevision(tx.now, stored.lastUpdateTime);
  await tx.record({ ...entry('definition.deleted', place), before: toRecord(stored), notBefore });
  return notBefore;
}

/**
 * Takes a flag set out of the definitions of flags, as part of deleting the set; the caller deletes the references. The
 * environment must be locked. Each definition takes a change number and an audit entry of its own.
 */
export async function leaveFlagSetIn(
  tx: RecordingTx,
  { flags, flagSetId, ...place }: Omit<Place, 'flag'> & { flags: readonly store.SizedFlag[]; flagSetId: string },
): Promise<void> {
  const { environment, changeNumber } = await takeChangeNumbers(tx, place.environment, flags.length);
  let revision = changeNumber - flags.length;
  for (const some of store.inReadableParts(flags)) {
    const changes = (await store.listStoredDefinitionsOfFlags(tx, environment, some)).map((stored) => {
      const before = toTargeting(parseStored(stored));
      const left = (before.flagSets ?? []).filter(({ id }) => id !== flagSetId);
      const targeting = withFlagSets(before, left);
      const text = JSON.stringify(targeting);
      revision += 1;
      return toChange(tx, place, { stored, revision, action: 'definition.patched', targeting, text });
    });
    await saveAll(tx, changes);
  }
}

/**
 * Part of deleting a project. It leaves no tombstones and does not look at approvals: the environment is deleted in the
 * same transaction.
 */
export async function removeDefinitionsIn(
  tx: RecordingTx,
  { flags, ...place }: Omit<Place, 'flag'> & { flags: readonly store.SizedFlag[] },
): Promise<void> {
  for (const some of store.inReadableParts(flags)) {
    const all = await store.listStoredDefinitionsOfFlags(tx, place.environment, some);
    await tx.record(
      ...all.map((stored) => ({
        ...entry('definition.deleted', { ...place, flag: stored }),
        before: toRecord(stored),
        notBefore: nextRevision(tx.now, stored.lastUpdateTime),
      })),
    );
    await store.deleteDefinitions(tx, place.environment.id, some);
  }
}

/** What the audit entry of a change refers to. */
type Place = Pick<DefinitionChange, 'project' | 'note'> & { readonly environment: Reference; readonly flag: Reference };

/** Refuses an invalid targeting. Saves its references and returns the text to store. */
async function saveValid(
  tx: RecordingTx,
  change: DefinitionChange,
  { targeting, before }: { targeting: Targeting; before: Targeting },
): Promise<string> {
  const text = await requireValid(tx, change, { targeting, before });
  const references = referencesOf(targeting);
  // References seldom change.
  if (!equalJson(references, referencesOf(before))) {
    await saveReferences(tx, change.environment.id, { ...change.flag, kind: 'flag' }, references);
  }
  return text;
}

interface Saved extends Locked {
  readonly action: Entry['action'];
  readonly targeting: Targeting;
  /** The targeting as stored. The reply and the audit entry use the same text. */
  readonly text: string;
}

async function save(tx: RecordingTx, place: Place, saved: Saved): Promise<EditedDefinition> {
  const change = toChange(tx, place, saved);
  await saveAll(tx, [change]);
  return { stored: change.definition, targeting: saved.targeting };
}

/** A definition to store, and its audit entry. */
function toChange(tx: Tx, place: Omit<Place, 'flag'>, { stored: before, revision, action, targeting, text }: Saved) {
  const lastUpdateTime = nextRevision(tx.now, before.lastUpdateTime);
  const definition = { ...before, targeting: text, lastUpdateTime, revision };
  const states = { before: toRecord(before), after: toRecord(definition), notBefore: lastUpdateTime };
  const recorded: Entry = { ...entry(action, { ...place, flag: before }), ...states };
  return { definition, summary: store.summaryOf(targeting), recorded };
}

async function saveAll(tx: RecordingTx, changes: readonly ReturnType<typeof toChange>[]): Promise<void> {
  await store.saveDefinitions(tx, changes);
  await tx.record(...changes.map(({ recorded }) => recorded));
}

/** Two different signed 32-bit numbers, as SDKs expect. */
function newBucketing(): Bucketing {
  const seed = randomInt(-(2 ** 31), 2 ** 31);
  const trafficAllocationSeed = randomInt(-(2 ** 31), 2 ** 31);
  return seed === trafficAllocationSeed ? newBucketing() : { seed, trafficAllocationSeed, algo: 2 };
}

const toRecord = (stored: store.SeededDefinition) => new JsonText(toRecordText(stored));

const entry = (action: Entry['action'], { project, environment, flag, note }: Place) => ({
  action,
  object: { type: 'definition' as const, id: flag.id, name: flag.name },
  project,
  environment,
  note,
  touches: definitionTag(environment.id, flag.id),
});
