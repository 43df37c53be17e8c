import { v7 as newId } from 'uuid';
import type { FlagSet } from '#domain/flag-sets.ts';
import { Problem } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { lockEnvironment } from '#store/environments.ts';
import * as store from '#store/flag-sets.ts';
import { lockProject } from '#store/projects.ts';
import { deleteReferencesTo, listFlagSetEnvironments, listFlagsInSet } from '#store/references.ts';
import { requireRight } from './actors.ts';
import { type Context, type Entry, type RecordingTx, write } from './context.ts';
import { leaveFlagSetIn } from './definitions.ts';

export interface NewFlagSet {
  readonly project: Project;
  readonly name: string;
  readonly description: string;
}

export const createFlagSet = (context: Context, fields: NewFlagSet) =>
  write(context, (tx) => createFlagSetIn(tx, fields));

/** The path does not name the project, so the right to edit it is checked here. */
export async function createFlagSetIn(tx: RecordingTx, { project, name, description }: NewFlagSet): Promise<FlagSet> {
  await lockProject(tx, project.id);
  await requireRight(tx, tx.actor, { right: 'edit', project, environments: [] });
  const flagSet: FlagSet = { id: newId(), projectId: project.id, name, description, createdAt: tx.now };
  await store.insertFlagSet(tx, flagSet);
  await tx.record({ ...entry('flag_set.created', flagSet), after: flagSet });
  return flagSet;
}

/** Each definition that leaves the set takes a change number and an audit entry, all in one transaction. */
const maxDefinitions = 1_000;

/** Deletes a flag set. Definitions that name it leave it first. */
export const deleteFlagSet = (context: Context, project: Project, flagSet: FlagSet) =>
  write(context, (tx) => deleteFlagSetIn(tx, project, flagSet));

export async function deleteFlagSetIn(tx: RecordingTx, project: Project, flagSet: FlagSet) {
  await emptyFlagSet(tx, project, flagSet);
  if ((await store.deleteFlagSet(tx, flagSet.id)) === 0) {
    throw new Problem('flag_set_not_found', { nameOrId: flagSet.id });
  }
  // Definitions that were being saved: the deletion waited for them. Later ones do not find the set.
  await emptyFlagSet(tx, project, flagSet);
  await tx.record({ ...entry('flag_set.deleted', flagSet), before: flagSet });
  return true as const;
}

/** Environments are locked in order of their ids, each before its definitions are read: none is saved meanwhile. */
async function emptyFlagSet(tx: RecordingTx, project: Project, flagSet: FlagSet): Promise<void> {
  const environments = await listFlagSetEnvironments(tx, flagSet);
  if (environments.length === 0) return;
  const total = environments.reduce((sum, { count }) => sum + count, 0);
  if (total > maxDefinitions) throw new Problem('flag_set_in_use', { name: flagSet.name, max: maxDefinitions });
  await requireRight(tx, tx.actor, { right: 'define', project, environments });
  for (const environment of environments) {
    await lockEnvironment(tx, environment.id);
    const flags = await listFlagsInSet(tx, environment.id, flagSet.id);
    if (flags.length > 0) {
      await leaveFlagSetIn(tx, { project, environment, note: withoutNote, flags, flagSetId: flagSet.id });
    }
    await deleteReferencesTo(tx, environment.id, { kind: 'flag_set', name: flagSet.id });
  }
}

const withoutNote = { title: undefined, comment: undefined };

const entry = (action: Entry['action'], { id, name, projectId }: FlagSet) => ({
  action,
  object: { type: 'flag_set' as const, id, name },
  project: { id: projectId },
});
