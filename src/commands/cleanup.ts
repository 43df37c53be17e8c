import type { CleanupPolicy, Keep } from '#domain/cleanup.ts';
import { equalJson } from '#domain/json.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import type { Reference } from '#domain/schema.ts';
import { deleteKeep, findKeep, findPolicy, saveKeep, savePolicy } from '#store/cleanup.ts';
import { listEnvironments } from '#store/environments.ts';
import { lockFlag } from '#store/flags.ts';
import { lockProject } from '#store/projects.ts';
import { type Context, type RecordingTx, write } from './context.ts';

/** Changes when flags of the project count as finished. */
export const changePolicy = (context: Context, project: Project, policy: CleanupPolicy) =>
  write(context, (tx) => changePolicyIn(tx, project, policy));

export async function changePolicyIn(tx: RecordingTx, project: Project, after: CleanupPolicy): Promise<CleanupPolicy> {
  await lockProject(tx, project.id);
  const before = await findPolicy(tx, project.id);
  const known = new Set((await listEnvironments(tx, project.id, { kind: 'account' })).map(({ id }) => id));
  const unknown = after.environmentIds.filter((id) => !known.has(id) && !before.environmentIds.includes(id));
  refuse(
    'request_invalid',
    unknown.map((id) => `environmentIds names ${id}, which is not an environment of the project`),
  );
  if (equalJson(before, after)) return tx.unchanged(before);
  await savePolicy(tx, project.id, after);
  await tx.record({
    action: 'workspace.cleanup_changed',
    object: { type: 'workspace', id: project.id, name: project.name },
    project,
    before,
    after,
    touches: 'nothing',
  });
  return after;
}

interface FlagPlace {
  readonly project: Project;
  readonly flag: Reference;
}

/** Keeps a flag that looks finished. */
export const keepFlag = (context: Context, place: FlagPlace, keep: Pick<Keep, 'until' | 'note'>) =>
  write(context, (tx) => keepFlagIn(tx, place, keep));

export async function keepFlagIn(tx: RecordingTx, place: FlagPlace, keep: Pick<Keep, 'until' | 'note'>): Promise<Keep> {
  const before = await lockKeep(tx, place);
  const after: Keep = { ...keep, keptAt: tx.now, keptBy: tx.actor.name };
  await saveKeep(tx, place.flag.id, after);
  await tx.record({
    ...entry('flag.kept', place),
    ...(before ? { before: { keep: before } } : {}),
    after: { keep: after },
  });
  return after;
}

/** Lists the flag for cleanup again. */
export const unkeepFlag = (context: Context, place: FlagPlace) => write(context, (tx) => unkeepFlagIn(tx, place));

export async function unkeepFlagIn(tx: RecordingTx, place: FlagPlace) {
  const before = await lockKeep(tx, place);
  if (!before) return tx.unchanged(true as const);
  await deleteKeep(tx, place.flag.id);
  await tx.record({ ...entry('flag.unkept', place), before: { keep: before } });
  return true as const;
}

async function lockKeep(tx: RecordingTx, { flag }: FlagPlace): Promise<Keep | undefined> {
  if (!(await lockFlag(tx, flag.id))) throw new Problem('flag_not_found', { nameOrId: flag.name });
  return findKeep(tx, flag.id);
}

const entry = (action: 'flag.kept' | 'flag.unkept', { project, flag: { id, name } }: FlagPlace) => ({
  action,
  object: { type: 'flag' as const, id, name },
  project,
  touches: 'nothing' as const,
});
