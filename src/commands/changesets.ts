/**
 * Changesets. Creating one writes nothing but the changeset; applying it runs the other commands' inner functions in one
 * transaction, so that it is applied as a whole or not at all.
 */
import { v7 as newId } from 'uuid';
import {
  type Changeset,
  checkOperations,
  definitionEditOf,
  type Edit,
  inverseOf,
  kindOf,
  maxBases,
  type NewOperation,
  nameOf,
  type PlacedOperation,
  patchOf,
  permissionFor,
  toChangeset,
} from '#domain/changesets.ts';
import { definitionNotFound, parseStored } from '#domain/definitions/definition.ts';
import { type EditBase, editNow, sentenceOf } from '#domain/definitions/edit-now.ts';
import { applyEdit } from '#domain/definitions/edits.ts';
import { parseSegmentRules } from '#domain/definitions/parse.ts';
import type { Environment } from '#domain/environments.ts';
import { type Flag, type FlagSettings, patchFlag, settingsNow, settingsOf } from '#domain/flags.ts';
import { joinObjects } from '#domain/json.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { nextRevision, requireMatch, withoutRevision } from '#domain/revisions.ts';
import { rulesTextOf } from '#domain/rule-based-segments.ts';
import { parseKeys, type Segment } from '#domain/segments.ts';
import { listChangesOfChangeset } from '#store/changes.ts';
import * as store from '#store/changesets.ts';
import { findStoredDefinition } from '#store/definitions.ts';
import { listEnvironments, lockEnvironment } from '#store/environments.ts';
import { findFlag, lockFlag } from '#store/flags.ts';
import { findProjectById } from '#store/projects.ts';
import { listPresentKeys } from '#store/segment-keys.ts';
import { findActivation, findSegment, lockSegment } from '#store/segments.ts';
import type { Tx } from '#store/sql.ts';
import { requireActor } from './actors.ts';
import { type Context, type Entry, type RecordingTx, write } from './context.ts';
import { editDefinitionIn } from './definitions.ts';
import { patchFlagIn } from './flags.ts';
import { requireNote } from './projects.ts';
import { replaceRulesIn } from './rule-based-segments.ts';
import { addKeysIn, removeKeysIn } from './segment-keys.ts';

export interface ChangesetFields {
  readonly project: Project;
  readonly title: string;
  readonly comment: string;
  readonly operations: readonly NewOperation[];
}

/** Keeps edits for later, with what they are based on. Anyone who sees the objects may propose a change to them. */
export const createChangeset = (context: Context, fields: ChangesetFields) =>
  write(context, (tx) => createChangesetIn(tx, fields));

export async function createChangesetIn(tx: RecordingTx, { operations, ...fields }: ChangesetFields) {
  return insertIn(tx, fields, await placeOperations(tx, fields.project, operations));
}

type Head = Omit<ChangesetFields, 'operations'> & { readonly reverts?: string };

export async function insertIn(
  tx: RecordingTx,
  { project, title, comment, reverts }: Head,
  operations: readonly PlacedOperation[],
): Promise<Changeset> {
  await requireNote(tx, project, { title, comment });
  const { type, id, name } = tx.actor;
  const head: store.ChangesetHead = {
    id: newId(),
    status: 'DRAFT',
    title,
    comment,
    workspace: { id: project.id, name: project.name },
    author: { type, id, name },
    ...(reverts === undefined ? {} : { reverts }),
    createdAt: tx.now,
    updatedAt: tx.now,
    revision: tx.now,
  };
  await store.insertChangeset(tx, head, operations);
  const changeset = toChangeset(head, operations);
  await tx.record({ ...entry('changeset.created', changeset), after: withoutRevision(changeset) });
  return changeset;
}

export interface ChangesetChange {
  readonly title?: string | undefined;
  readonly comment?: string | undefined;
  readonly operations?: readonly NewOperation[] | undefined;
  readonly ifMatch: string | undefined;
}

/** Changes a draft. New operations are based on what is there now. */
export const changeChangeset = (context: Context, id: string, change: ChangesetChange) =>
  write(context, (tx) => changeChangesetIn(tx, id, change));

export async function changeChangesetIn(tx: RecordingTx, id: string, change: ChangesetChange): Promise<Changeset> {
  const { head, project, operations: before } = await lockDraft(tx, id, change.ifMatch);
  await requireMayEdit(tx, project, { head, operations: before });
  const { title = head.title, comment = head.comment } = change;
  await requireNote(tx, project, { title, comment });
  const operations = change.operations ? await placeOperations(tx, project, change.operations) : before;
  const after = { ...head, title, comment, ...touched(tx, head) };
  await store.saveChangeset(tx, after);
  if (change.operations) await store.replaceOperations(tx, id, operations);
  const changeset = toChangeset(after, operations);
  await tx.record({
    ...entry('changeset.changed', changeset),
    before: withoutRevision(toChangeset(head, before)),
    after: withoutRevision(changeset),
  });
  return changeset;
}

/** Gives a draft up. It stays readable. */
export const withdrawChangeset = (context: Context, id: string, ifMatch: string | undefined) =>
  write(context, (tx) => withdrawChangesetIn(tx, id, ifMatch));

export async function withdrawChangesetIn(tx: RecordingTx, id: string, ifMatch: string | undefined) {
  const { head, project, operations } = await lockDraft(tx, id, ifMatch);
  await requireMayEdit(tx, project, { head, operations });
  const after = { ...head, status: 'WITHDRAWN' as const, ...touched(tx, head) };
  await store.saveChangeset(tx, after);
  const changeset = toChangeset(after, operations);
  await tx.record({
    ...entry('changeset.withdrawn', changeset),
    before: withoutRevision(toChangeset(head, operations)),
  });
  return changeset;
}

/**
 * Applies all operations, or none. What was changed since is merged; where both changed the same it is refused, and all
 * conflicts are named.
 */
export const applyChangeset = (context: Context, id: string, ifMatch: string | undefined) =>
  write(context, (tx) => applyChangesetIn(tx, id, ifMatch));

export async function applyChangesetIn(tx: RecordingTx, id: string, ifMatch: string | undefined): Promise<Changeset> {
  const { head, project, operations } = await lockDraft(tx, id, ifMatch);
  await requireMayApply(tx, project, operations);
  const objects = await lockObjects(tx, project, operations);
  const recording = asPartOf(tx, head);
  const applying = { project, note: { title: head.title, comment: head.comment }, objects };
  const conflicts: string[] = [];
  const applied: PlacedOperation[] = [];
  for (const operation of operations) {
    const { conflicts: found, edit = operation.edit } = await appliers[operation.kind](recording, applying, operation);
    conflicts.push(...found.map((conflict) => `${nameOf(operation)}: ${conflict}`));
    applied.push({ ...operation, edit });
  }
  if (conflicts.length > 0) throw new Problem('changeset_conflict', { conflicts });
  const after = { ...head, status: 'PUBLISHED' as const, publishedAt: tx.now, ...touched(tx, head) };
  await store.saveChangeset(tx, after);
  await store.replaceOperations(tx, id, applied);
  const changeset = toChangeset(after, applied);
  await recording.record({ ...entry('changeset.published', changeset), after: withoutRevision(changeset) });
  return changeset;
}

/** A draft that takes a published changeset back, against what is there now. Seeds come back too. */
export const revertChangeset = (context: Context, id: string, note: Partial<Note>) =>
  write(context, (tx) => revertChangesetIn(tx, id, note));

export async function revertChangesetIn(tx: RecordingTx, id: string, note: Partial<Note>): Promise<Changeset> {
  const { head, project, operations } = await findIn(tx, id);
  if (head.status !== 'PUBLISHED') {
    throw new Problem('changeset_state', { status: head.status, needed: 'PUBLISHED', verb: 'reverted' });
  }
  const changes = (await listChangesOfChangeset(tx, id)).filter(({ object }) => object.type !== 'changeset');
  const inverse = changes.map((change) => inverseOf(change, operations));
  if (inverse.length === 0) throw new Problem('changeset_without_changes');
  const { title = `Revert: ${head.title}`.trim(), comment = `Takes back the changeset ${id}.` } = note;
  return insertIn(tx, { project, title, comment, reverts: id }, inverse.toReversed());
}

const touched = (tx: Tx, { revision }: store.ChangesetHead) => ({
  updatedAt: tx.now,
  revision: nextRevision(tx.now, revision),
});

async function findIn(tx: RecordingTx, id: string) {
  const head = await store.findChangeset(tx, id, tx.actor.scope);
  const project = head && (await findProjectById(tx, head.workspace.id));
  if (!head || !project) throw new Problem('changeset_not_found', { nameOrId: id });
  return { head, project, operations: (await store.listOperations(tx, [id])).get(id) ?? [] };
}

async function lockDraft(tx: RecordingTx, id: string, ifMatch: string | undefined) {
  await store.lockChangeset(tx, id);
  const found = await findIn(tx, id);
  requireMatch(ifMatch, found.head);
  if (found.head.status !== 'DRAFT') {
    throw new Problem('changeset_state', { status: found.head.status, needed: 'DRAFT', verb: 'changed or applied' });
  }
  return found;
}

/** The author, or whoever could apply it. */
async function requireMayEdit(
  tx: RecordingTx,
  project: Project,
  { head, operations }: { head: store.ChangesetHead; operations: readonly PlacedOperation[] },
): Promise<void> {
  if (head.author.type === tx.actor.type && head.author.id === tx.actor.id) return;
  await requireMayApply(tx, project, operations);
}

/** Refuses unless the actor could make each of the changes alone. */
async function requireMayApply(tx: RecordingTx, project: Project, operations: readonly PlacedOperation[]) {
  for (const operation of operations) {
    const { kind, object, environment } = operation;
    const access = { needs: permissionFor(operation), scope: kind === 'flag' ? 'project' : 'environment' } as const;
    await requireActor(tx, tx.actor, {
      access,
      project,
      environment,
      flag: kind === 'segment' ? undefined : object,
    });
  }
}

interface Objects {
  readonly flags: ReadonlyMap<string, Flag>;
  readonly segments: ReadonlyMap<string, Segment>;
  readonly environments: ReadonlyMap<string, Environment>;
}

/** Those that are still there. Flags and segments before environments, each by id: the order of all commands. */
async function lockObjects(
  tx: RecordingTx,
  project: Project,
  operations: readonly PlacedOperation[],
): Promise<Objects> {
  const idsOf = (isWanted: (operation: PlacedOperation) => boolean) =>
    [...new Set(operations.filter(isWanted).map(({ object }) => object.id))].sort();
  const flags = new Map<string, Flag>();
  for (const id of idsOf(({ kind }) => kind !== 'segment')) {
    const flag = await lockFlag(tx, id);
    if (flag) flags.set(id, flag);
  }
  const segments = new Map<string, Segment>();
  for (const id of idsOf(({ kind }) => kind === 'segment')) {
    const segment = await lockSegment(tx, id);
    if (segment) segments.set(id, segment);
  }
  const needed = new Set(operations.map(({ environment }) => environment?.id));
  const reached = await listEnvironments(tx, project.id, tx.actor.scope);
  const environments = new Map<string, Environment>();
  for (const id of reached.flatMap((one) => (needed.has(one.id) ? [one.id] : [])).sort()) {
    environments.set(id, await lockEnvironment(tx, id));
  }
  return { flags, segments, environments };
}

/** Every entry names the changeset. */
const asPartOf = (tx: RecordingTx, { id }: store.ChangesetHead): RecordingTx => ({
  ...tx,
  record: (...entries) => tx.record(...entries.map((one) => ({ ...one, changesetId: id }))),
});

interface Applying {
  readonly project: Project;
  readonly note: Note;
  readonly objects: Objects;
}

interface Applied {
  readonly conflicts: readonly string[];
  /** The edit as it was carried out, if that is less than was asked for. */
  readonly edit?: Edit;
}

const done: Applied = { conflicts: [] };
const gone = (what: string): Applied => ({ conflicts: [`${what} was deleted`] });

const appliers: Readonly<
  Record<PlacedOperation['kind'], (tx: RecordingTx, applying: Applying, operation: PlacedOperation) => Promise<Applied>>
> = {
  definition: async (tx, { objects, ...applying }, { object, environment: at, edit, base }) => {
    const environment = objects.environments.get(at?.id ?? '');
    if (!environment) return gone('the environment');
    const flag = objects.flags.get(object.id);
    if (!flag) return gone('the flag');
    const stored = await findStoredDefinition(tx, environment, flag.id);
    const started = base === undefined ? undefined : (JSON.parse(base) as EditBase);
    const { edit: now, conflicts } = editNow(definitionEditOf(edit), started, stored && parseStored(stored));
    const change = { ...applying, environment, flag, nameOrId: flag.name, ifMatch: undefined };
    if (now) await editDefinitionIn(tx, change, now);
    return { conflicts: conflicts.map(sentenceOf) };
  },
  flag: async (tx, { objects, ...applying }, { object, edit, base = '{}' }) => {
    const flag = objects.flags.get(object.id);
    if (!flag) return gone('the flag');
    const { operations, conflicts } = settingsNow(patchOf(edit), JSON.parse(base) as FlagSettings, flag);
    if (conflicts.length === 0) await patchFlagIn(tx, { ...applying, flag, ifMatch: undefined, operations });
    return { conflicts };
  },
  segment: async (tx, { objects, ...applying }, { object, environment: at, edit, base }) => {
    const environment = objects.environments.get(at?.id ?? '');
    if (!environment) return gone('the environment');
    const segment = objects.segments.get(object.id);
    const activation = segment && (await findActivation(tx, environment.id, segment.id));
    if (!segment || !activation) return gone('the segment');
    const change = { ...applying, environment, segment };
    if (edit.kind === 'replaceRules') {
      if (rulesTextOf(activation) !== base) return { conflicts: ['someone else changed its rules'] };
      await replaceRulesIn(tx, { ...change, ifMatch: undefined }, edit.body);
      return done;
    }
    const keys = parseKeys(edit.keys ?? []);
    const present = await listPresentKeys(tx, { environmentId: environment.id, segment: segment.name }, keys);
    const adds = edit.kind === 'addKeys';
    // A revert takes back only these.
    const changed = keys.filter((key) => present.has(key) !== adds);
    await (adds ? addKeysIn : removeKeysIn)(tx, { ...change, keys: changed, source: 'changeset' });
    return { ...done, edit: { kind: edit.kind, keys: changed } };
  },
};

/** Finds what the operations name, and keeps what they start from. Refuses edits that could never be applied. */
async function placeOperations(
  tx: RecordingTx,
  project: Project,
  operations: readonly NewOperation[],
): Promise<PlacedOperation[]> {
  checkOperations(operations);
  const environments = await listEnvironments(tx, project.id, tx.actor.scope);
  const environmentOf = (word: string | undefined): Environment | undefined => {
    const found = environments.find(({ id }) => id === word) ?? environments.find(({ name }) => name === word);
    if (word !== undefined && !found) throw new Problem('environment_not_found', { nameOrId: word });
    return found;
  };
  const placed: PlacedOperation[] = [];
  for (const operation of operations) {
    const kind = kindOf(operation);
    const environment = environmentOf(operation.environment);
    if (kind === 'flag') placed.push(await placeFlag(tx, project, operation));
    else if (environment) {
      const place = kind === 'segment' ? placeSegment : placeDefinition;
      placed.push(await place(tx, { project, environment }, operation));
    }
  }
  const keys = placed.map(({ kind, object, environment }) => `${kind} ${object.id} ${environment?.id}`);
  const repeated = placed.find((_, index) => keys.indexOf(keys[index] ?? '') < index);
  const size = placed.reduce((sum, { base = '' }) => sum + base.length, 0);
  refuse('changeset_invalid', [
    ...(repeated ? [`operations must change ${nameOf(repeated)} only once`] : []),
    ...(size > maxBases ? ['operations change too much at once: divide them into several changesets'] : []),
  ]);
  return placed;
}

interface Placing {
  readonly project: Project;
  readonly environment: Environment;
}

async function requireFlag(tx: Tx, { id }: Project, { flag: nameOrId = '' }: NewOperation): Promise<Flag> {
  const flag = await findFlag(tx, id, nameOrId);
  if (!flag) throw new Problem('flag_not_found', { nameOrId });
  return flag;
}

const toReference = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name });

async function placeDefinition(
  tx: RecordingTx,
  { project, environment }: Placing,
  operation: NewOperation,
): Promise<PlacedOperation> {
  const flag = await requireFlag(tx, project, operation);
  const stored = await findStoredDefinition(tx, environment, flag.id);
  const edit = definitionEditOf(operation.edit);
  if (edit.kind === 'create') {
    if (stored) throw new Problem('definition_exists', { flag: flag.name, environment: environment.name });
    applyEdit(undefined, edit);
  } else {
    if (!stored) throw definitionNotFound(tx.actor, { project, environment, nameOrId: flag.name }, 'definition');
    applyEdit(parseStored(stored), edit);
  }
  return {
    kind: 'definition',
    object: toReference(flag),
    environment: toReference(environment),
    edit: operation.edit,
    base: stored && joinObjects(JSON.stringify({ revision: stored.revision }), stored.targeting),
  };
}

async function placeFlag(tx: Tx, project: Project, operation: NewOperation): Promise<PlacedOperation> {
  const flag = await requireFlag(tx, project, operation);
  const { edit } = operation;
  patchFlag(flag, patchOf(edit));
  const base = JSON.stringify(settingsOf(flag));
  return { kind: 'flag', object: toReference(flag), environment: undefined, edit, base };
}

async function placeSegment(
  tx: Tx,
  { project, environment }: Placing,
  { segment: nameOrId = '', edit }: NewOperation,
): Promise<PlacedOperation> {
  const kind = edit.kind === 'replaceRules' ? 'rule_based' : 'standard';
  const segment = await findSegment(tx, { projectId: project.id, kind }, nameOrId);
  if (!segment) throw new Problem('segment_not_found', { nameOrId });
  const activation = await findActivation(tx, environment.id, segment.id);
  if (!activation) throw new Problem('segment_not_active', { name: segment.name, environment: environment.name });
  if (edit.kind === 'replaceRules') parseSegmentRules(edit.body);
  else parseKeys(edit.keys ?? []);
  const base = edit.kind === 'replaceRules' ? rulesTextOf(activation) : undefined;
  return { kind: 'segment', object: toReference(segment), environment: toReference(environment), edit, base };
}

const entry = (action: Entry['action'], { id, title, comment, workspace }: Changeset) => ({
  action,
  object: { type: 'changeset' as const, id, name: title },
  project: workspace,
  note: { title, comment },
  // Replies that show changesets are not cached.
  touches: 'nothing' as const,
});
