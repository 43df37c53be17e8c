import { v7 as newId } from 'uuid';
import type { Actor, Scope } from '#domain/access.ts';
import { parseStored, toTargeting } from '#domain/definitions/definition.ts';
import {
  patchFlag as applyFlagPatch,
  checkFlagName,
  type Flag,
  type FlagCopy,
  type FlagSettings,
  type Owner,
} from '#domain/flags.ts';
import { equalJson } from '#domain/json.ts';
import type { Operation } from '#domain/json-patch.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { nextRevision, requireMatch, withoutRevision } from '#domain/revisions.ts';
import { unknownStatus } from '#domain/rollout-statuses.ts';
import type { Reference } from '#domain/schema.ts';
import {
  findStoredDefinition,
  insertTombstone,
  listEnvironmentsOfFlag,
  renumberDefinition,
} from '#store/definitions.ts';
import { findFlagDeletion } from '#store/deletions.ts';
import { listEnvironments, nextChangeNumber } from '#store/environments.ts';
import * as store from '#store/flags.ts';
import { lockGroupNames } from '#store/groups.ts';
import { findProjectAccess } from '#store/restrictions.ts';
import { keepFirstRolloutStatus, keepRolloutStatus } from '#store/rollout-statuses.ts';
import { inChunks, type Tx } from '#store/sql.ts';
import { findTrafficTypeById } from '#store/traffic-types.ts';
import { lockUserNames } from '#store/users.ts';
import { requireRight } from './actors.ts';
import { requireDirect } from './approvals.ts';
import { type AloneTx, type Context, type Entry, type RecordingTx, write } from './context.ts';
import { editDefinitionIn, type RecordedDefinition, removeDefinition, undeleteDefinitionIn } from './definitions.ts';
import { requireNote } from './projects.ts';

export interface NewFlag {
  readonly project: Project;
  readonly trafficType: Reference;
  readonly name: string;
  readonly description: string;
  readonly ifMatch: string | undefined;
  readonly tags?: readonly string[];
  /** The project's first status if absent or deleted. */
  readonly rolloutStatus?: Reference | undefined;
  readonly owners?: Flag['owners'];
  readonly note?: Note;
}

/** Creates a flag in the project's first rollout status, without definitions. */
export const createFlag = (context: Context, flag: NewFlag) => write(context, (tx) => createFlagIn(tx, flag));

export async function createFlagIn(tx: RecordingTx, { project, trafficType, name, description, ...more }: NewFlag) {
  requireMatch(more.ifMatch, undefined);
  checkFlagName(name);
  const rolloutStatus = await keepStatusOrFirst(tx, project, more.rolloutStatus);
  if (!(await findTrafficTypeById(tx, trafficType.id))) {
    throw new Problem('traffic_type_not_found', { nameOrId: trafficType.name });
  }
  const flag: Flag = {
    id: newId(),
    name,
    description,
    trafficType: { id: trafficType.id, name: trafficType.name },
    creationTime: tx.now,
    rolloutStatus,
    rolloutStatusTimestamp: tx.now,
    tags: more.tags?.length ? [...new Set(more.tags)].map((tag) => ({ name: tag })) : null,
    owners: more.owners ?? ownersOf(tx.actor),
    revision: tx.now,
  };
  await store.insertFlag(tx, project.id, flag);
  if (flag.tags) await store.saveFlag(tx, flag);
  await tx.record({
    ...entry('flag.created', project, flag),
    after: withoutRevision(flag),
    ...(more.note && { note: more.note }),
  });
  return flag;
}

/** The status as it is now; the project's first one if it was deleted. */
async function keepStatusOrFirst(tx: Tx, { id, name }: Project, status: Reference | undefined): Promise<Reference> {
  const kept = (status && (await keepRolloutStatus(tx, id, status.id))) ?? (await keepFirstRolloutStatus(tx, id));
  if (!kept) throw new Problem('project_not_found', { nameOrId: name });
  return { id: kept.id, name: kept.name };
}

/** People own the flags they create; keys own nothing. */
const ownersOf = ({ type, id }: Actor): Flag['owners'] => (type === 'user' ? [{ type, id }] : []);

export interface FlagChange {
  readonly project: Project;
  readonly flag: Flag;
  readonly note: Note;
  readonly ifMatch: string | undefined;
}

/**
 * Copies a flag under another name, with its definitions in some environments or in all. Others can change the copied
 * flag meanwhile: the copy has each definition as it was at some moment.
 */
export const duplicateFlag = (context: Context, change: FlagChange & { copy: FlagCopy }) =>
  write(context, (tx) => duplicateFlagIn(tx, change));

export async function duplicateFlagIn(tx: RecordingTx, change: FlagChange & { copy: FlagCopy }): Promise<Flag> {
  const { project, flag: source, note, ifMatch, copy } = change;
  await requireNote(tx, project, note);
  // Owners can change the copied flag, but need the right to create flags.
  await requireRight(tx, tx.actor, { right: 'edit', project, environments: [] });
  const environments = await copiedEnvironments(tx, project, source, copy.environments);
  const flag = await createFlagIn(tx, {
    project,
    name: copy.name,
    description: copy.description ?? source.description,
    ifMatch,
    note,
    trafficType: source.trafficType,
    rolloutStatus: source.rolloutStatus,
    tags: copy.tags === false ? [] : (source.tags ?? []).map(({ name }) => name),
    ...(copy.owners && { owners: source.owners }),
  });
  if (environments.length > 0) await requireRight(tx, tx.actor, { right: 'define', project, environments, flag });
  for (const environment of environments) {
    const stored = await findStoredDefinition(tx, environment, source.id);
    if (!stored) continue;
    const { seed, trafficAllocationSeed, algo } = stored;
    const seeds = copy.sameSeeds ? { seed, trafficAllocationSeed, algo } : {};
    const place = { project, environment, flag, nameOrId: flag.name, note, ifMatch: undefined };
    await editDefinitionIn(tx, place, { kind: 'create', body: { ...toTargeting(parseStored(stored)), ...seeds } });
  }
  return flag;
}

/** By id, which is the order of locks. Refuses environments that the project does not have. */
async function copiedEnvironments(tx: Tx, project: Project, source: Flag, words: readonly string[] | undefined) {
  const all = await listEnvironments(tx, project.id, { kind: 'account' });
  const isNamed = (nameOrId: string) => all.some(({ id, name }) => id === nameOrId || name === nameOrId);
  refuse(
    'request_invalid',
    (words ?? [])
      .filter((nameOrId) => !isNamed(nameOrId))
      .map((nameOrId) => `environments names ${nameOrId}, which is not an environment of the project`),
  );
  const defined = new Set((await listEnvironmentsOfFlag(tx, source.id)).map(({ id }) => id));
  const isWanted = ({ id, name }: Reference) => !words || words.includes(id) || words.includes(name);
  return all.filter((one) => defined.has(one.id) && isWanted(one)).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Changes description, tags, rollout status or owners by JSON Patch. All or nothing. */
export const patchFlag = (context: Context, change: FlagChange & { operations: readonly Operation[] }) =>
  write(context, (tx) => patchFlagIn(tx, change));

export const patchFlagIn = (tx: RecordingTx, change: FlagChange & { operations: readonly Operation[] }) =>
  changeFlag(tx, change, 'flag.patched', async (flag) => {
    await requireNote(tx, change.project, change.note);
    return applyFlagPatch(flag, change.operations);
  });

/** Sets only the description. */
export const updateFlagDescription = (context: Context, change: FlagChange & { description: string }) =>
  write(context, (tx) => updateFlagDescriptionIn(tx, change));

export const updateFlagDescriptionIn = (tx: RecordingTx, change: FlagChange & { description: string }) =>
  changeFlag(tx, change, 'flag.described', async (flag) =>
    applyFlagPatch(flag, [{ op: 'replace', path: '/description', value: change.description }]),
  );

/** Replaces the flag's tags. */
export const tagFlag = (context: Context, change: FlagChange & { tags: readonly string[] }) =>
  write(context, (tx) => tagFlagIn(tx, change));

export const tagFlagIn = (tx: RecordingTx, change: FlagChange & { tags: readonly string[] }) =>
  changeFlag(tx, change, 'flag.tagged', async (flag) =>
    applyFlagPatch(flag, [{ op: 'add', path: '/tags', value: [...new Set(change.tags)] }]),
  );

async function changeFlag(
  tx: RecordingTx,
  { project, flag, note, ifMatch }: FlagChange,
  action: Entry['action'],
  change: (flag: Flag) => Promise<FlagSettings>,
): Promise<Flag> {
  const before = await lockFlag(tx, flag);
  if (before.archivedAt !== undefined) throw new Problem('flag_archived', { name: before.name });
  requireMatch(ifMatch, before);
  const { description, tags, rolloutStatusId, owners } = await change(before);
  const changed: Flag = {
    ...before,
    description,
    tags: tags.length > 0 ? tags.map((name) => ({ name })) : null,
    ...(await rolloutStatusAfter(tx, project, before, rolloutStatusId)),
    owners: await ownersAfter(tx, project, before, owners),
  };
  if (equalJson(changed, before)) return tx.unchanged(before);
  const after: Flag = { ...changed, revision: nextRevision(tx.now, before.revision) };
  await store.saveFlag(tx, after);
  return recordChange(tx, { project, note, action }, before, after);
}

interface Recorded {
  readonly project: Pick<Project, 'id'>;
  readonly note: Note;
  readonly action: Entry['action'];
}

async function recordChange(tx: RecordingTx, recorded: Recorded, before: Flag, after: Flag) {
  await tx.record(changeEntry(recorded, before, after));
  return after;
}

const changeEntry = ({ project, note, action }: Recorded, before: Flag, after: Flag): Entry => ({
  ...entry(action, project, after),
  before: withoutRevision(before),
  after: withoutRevision(after),
  note,
  notBefore: after.revision,
});

/** The status time changes only with the status. */
async function rolloutStatusAfter(tx: Tx, project: Project, before: Flag, id: string) {
  if (id === before.rolloutStatus.id) return {};
  const status = await keepRolloutStatus(tx, project.id, id);
  refuse('flag_invalid', status ? [] : [unknownStatus('rolloutStatus/id', id)]);
  return { rolloutStatus: { id, name: status?.name ?? '' }, rolloutStatusTimestamp: tx.now };
}

/**
 * Refuses new owners that do not exist or that the actor cannot see. Where owners can edit their flags, whatever the
 * lists say, making someone an owner grants a right: it takes all that it gives (decision 0133).
 */
async function ownersAfter(tx: RecordingTx, project: Project, before: Flag, owners: readonly Owner[]) {
  if (equalJson(owners, before.owners)) return before.owners;
  const added = owners.filter((owner) => !before.owners.some((known) => equalJson(known, owner)));
  const unknown = await missingOwners(tx, added, tx.actor.scope);
  refuse(
    'flag_invalid',
    unknown.map(({ type, id }) => `owners: there is no ${type} with the id ${id}`),
  );
  if ((await findProjectAccess(tx, project.id))?.ownersEdit) {
    const environments = await listEnvironments(tx, project.id, { kind: 'account' });
    await requireRight(tx, tx.actor, { right: 'define', project, environments, flag: before });
  }
  return [...owners];
}

/** Those that do not exist in the scope. The others are not deleted before the commit. */
async function missingOwners(tx: Tx, owners: readonly Owner[], scope: Scope): Promise<Owner[]> {
  const idsOf = (type: Owner['type']) => owners.filter((owner) => owner.type === type).map(({ id }) => id);
  const known = {
    user: await lockUserNames(tx, idsOf('user'), scope),
    group: await lockGroupNames(tx, idsOf('group')),
  };
  return owners.filter(({ type, id }) => !known[type].has(id));
}

/**
 * All are changed in one transaction, which has eight seconds on PostgreSQL and holds up all other commands. 5,000 took
 * up to 4.7 s there and 1.9 s on SQLite, on a machine that had much else to do.
 */
const maxOwned = 3_000;
/** More in one statement would keep other requests waiting. */
const flagsAtOnce = 50;

/** Takes a user or a group that is about to be deleted from the flags it owns. Each has an audit entry. */
export async function removeOwnerIn(tx: AloneTx, { type, id, name }: Owner & Reference): Promise<void> {
  const ids = await store.listOwnedFlagIds(tx, id, maxOwned + 1);
  if (ids.length > maxOwned) throw new Problem('owner_of_many_flags', { name, max: maxOwned });
  for (const some of inChunks(ids, flagsAtOnce)) {
    const flags = await store.lockFlags(tx, some);
    const changes = flags.map((before) => {
      const owners = before.owners.filter((owner) => owner.type !== type || owner.id !== id);
      return { before, after: { ...before, owners, revision: nextRevision(tx.now, before.revision) } };
    });
    if (changes.length === 0) continue;
    await store.saveOwners(
      tx,
      changes.map(({ after }) => after),
    );
    await tx.record(
      ...changes.map(({ before: { projectId, ...before }, after: { projectId: _, ...after } }) =>
        changeEntry({ project: { id: projectId }, note: {}, action: 'flag.patched' }, before, after),
      ),
    );
  }
}

/** For a status that is about to be deleted and is locked: its flags get another one, archived ones too. */
export async function moveFlagsIn(
  tx: RecordingTx,
  { project, from, to: rolloutStatus, note }: { project: Project; from: string; to: Reference; note: Note },
): Promise<void> {
  for (;;) {
    const flags = await store.lockFlagsInStatus(tx, from, flagsAtOnce);
    if (flags.length === 0) return;
    const revision = Math.max(...flags.map((flag) => nextRevision(tx.now, flag.revision)));
    const moved = { rolloutStatus, rolloutStatusTimestamp: tx.now, revision };
    await store.saveRolloutStatusOf(tx, flags, moved);
    await tx.record(
      ...flags.map((flag) => changeEntry({ project, note, action: 'flag.patched' }, flag, { ...flag, ...moved })),
    );
  }
}

/** Deletes a flag with all its definitions. Each gets its own audit entry, from which it can be restored. */
export const deleteFlag = (context: Context, change: FlagChange) => write(context, (tx) => deleteFlagIn(tx, change));

export async function deleteFlagIn(tx: RecordingTx, { project, flag, note, ifMatch }: FlagChange) {
  await requireNote(tx, project, note);
  const before = await lockFlag(tx, flag);
  requireMatch(ifMatch, before);
  let notBefore = nextRevision(tx.now, before.revision);
  const environments = await listEnvironmentsOfFlag(tx, flag.id);
  // Its definitions go along, so it takes the right to edit each of them.
  await requireRight(tx, tx.actor, { right: environments.length > 0 ? 'define' : 'edit', project, environments, flag });
  for (const defined of environments) {
    const locked = await nextChangeNumber(tx, defined);
    const { environment, changeNumber: revision } = locked;
    const recording = await requireDirect(tx, locked);
    // Read after its environment is locked, so nobody can change it any more.
    const stored = await findStoredDefinition(tx, environment, flag.id);
    if (!stored) continue;
    const removedAt = await removeDefinition(recording, { project, environment, flag, note }, { stored, revision });
    notBefore = Math.max(notBefore, removedAt);
  }
  // Before the deletion, which also deletes the watches.
  await tx.record({ ...entry('flag.deleted', project, before), before: withoutRevision(before), note, notBefore });
  await store.deleteFlag(tx, before);
  return true as const;
}

/** Part of deleting a project. Their definitions must be deleted. */
export async function removeFlagsIn(
  tx: RecordingTx,
  { project, flags, note }: { project: Project; flags: readonly Flag[]; note: Note },
): Promise<void> {
  // Before the deletion, which also deletes the watches.
  await tx.record(
    ...flags.map((flag) => ({
      ...entry('flag.deleted', project, flag),
      before: withoutRevision(flag),
      note,
      notBefore: nextRevision(tx.now, flag.revision),
    })),
  );
  await store.deleteFlags(tx, flags);
}

/**
 * Stops serving the flag but keeps it whole: its name, its definitions and their seeds. SDKs are notified as
 * when it is deleted.
 */
export const archiveFlag = (context: Context, change: FlagChange) => write(context, (tx) => archiveFlagIn(tx, change));

export const archiveFlagIn = (tx: RecordingTx, change: FlagChange) =>
  switchArchived(tx, change, {
    action: 'flag.archived',
    switched: (flag) => (flag.archivedAt === undefined ? { ...flag, archivedAt: tx.now } : undefined),
    deliver: (environment, changeNumber) => insertTombstone(tx, environment.id, change.flag.name, changeNumber),
  });

/** Everyone gets again what they got before. */
export const unarchiveFlag = (context: Context, change: FlagChange) =>
  write(context, (tx) => unarchiveFlagIn(tx, change));

export const unarchiveFlagIn = (tx: RecordingTx, change: FlagChange) =>
  switchArchived(tx, change, {
    action: 'flag.unarchived',
    switched: ({ archivedAt, ...flag }) => (archivedAt === undefined ? undefined : flag),
    deliver: (environment, changeNumber) => renumberDefinition(tx, environment.id, change.flag, changeNumber),
  });

interface ArchiveSwitch {
  readonly action: Entry['action'];
  /** Undefined if it is so already. */
  readonly switched: (flag: Flag) => Flag | undefined;
  readonly deliver: (environment: Reference, changeNumber: number) => Promise<unknown>;
}

async function switchArchived(tx: RecordingTx, change: FlagChange, { action, switched, deliver }: ArchiveSwitch) {
  const { project, flag, note, ifMatch } = change;
  await requireNote(tx, project, note);
  const before = await lockFlag(tx, flag);
  requireMatch(ifMatch, before);
  const changed = switched(before);
  if (!changed) return tx.unchanged(before);
  const environments = await listEnvironmentsOfFlag(tx, flag.id);
  await requireRight(tx, tx.actor, { right: environments.length > 0 ? 'define' : 'edit', project, environments, flag });
  for (const defined of environments) {
    const locked = await nextChangeNumber(tx, defined);
    await requireDirect(tx, locked);
    await deliver(locked.environment, locked.changeNumber);
  }
  const after: Flag = { ...changed, revision: nextRevision(tx.now, before.revision) };
  await store.saveArchived(tx, after);
  return recordChange(tx, { project, note, action }, before, after);
}

export interface Undeletion {
  readonly project: Project;
  readonly flagId: string;
  readonly note: Note;
  readonly ifMatch: string | undefined;
}

/**
 * Restores a flag that was deleted, and its definitions in environments that still exist, from the audit log. It keeps
 * its id, so that its history continues, and its seeds.
 */
export const undeleteFlag = (context: Context, change: Undeletion) =>
  write(context, (tx) => undeleteFlagIn(tx, change));

export async function undeleteFlagIn(tx: RecordingTx, { project, flagId, note, ifMatch }: Undeletion): Promise<Flag> {
  await requireNote(tx, project, note);
  requireMatch(ifMatch, undefined);
  const deletion = await findFlagDeletion(tx, project.id, flagId);
  if (!deletion) throw new Problem('deleted_flag_not_found', { nameOrId: flagId });
  const { archivedAt: _, ...deleted } = deletion.flag as Omit<Flag, 'revision'>;
  const trafficType = await findTrafficTypeById(tx, deleted.trafficType.id);
  if (!trafficType) throw new Problem('traffic_type_not_found', { nameOrId: deleted.trafficType.name });
  const rolloutStatus = await keepStatusOrFirst(tx, project, deleted.rolloutStatus);
  const gone = await missingOwners(tx, deleted.owners, { kind: 'account' });
  const flag: Flag = {
    ...deleted,
    owners: deleted.owners.filter((owner) => !gone.includes(owner)),
    trafficType: { id: trafficType.id, name: trafficType.name },
    rolloutStatus,
    revision: nextRevision(tx.now, deletion.at),
  };
  await store.insertFlag(tx, project.id, flag);
  await store.saveFlag(tx, flag);
  await tx.record({
    ...entry('flag.undeleted', project, flag),
    after: withoutRevision(flag),
    note,
    notBefore: flag.revision,
  });
  const all = await listEnvironments(tx, project.id, { kind: 'account' });
  const environments = all.filter(({ id }) => deletion.definitions.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
  if (environments.length > 0) await requireRight(tx, tx.actor, { right: 'define', project, environments, flag });
  for (const environment of environments) {
    const recorded = deletion.definitions.get(environment.id) as RecordedDefinition;
    await undeleteDefinitionIn(tx, { project, environment, flag, nameOrId: flag.name, note }, recorded);
  }
  return flag;
}

async function lockFlag(tx: Tx, { id, name }: Flag): Promise<Flag> {
  const flag = await store.lockFlag(tx, id);
  if (!flag) throw new Problem('flag_not_found', { nameOrId: name });
  return flag;
}

const entry = (action: Entry['action'], project: Pick<Project, 'id'>, { id, name }: Flag) => ({
  action,
  object: { type: 'flag' as const, id, name },
  project,
});
