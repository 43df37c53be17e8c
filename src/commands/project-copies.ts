/**
 * Copies a project: its environments in their order, who can do what, rollout statuses, traffic types, attributes and
 * flag sets; and, if asked for, its flags with their definitions. Keys, segments, archived flags, changesets and history
 * are not copied.
 */
import { v7 as newId } from 'uuid';
import type { Environment, StoredPermissions } from '#domain/environments.ts';
import type { Flag } from '#domain/flags.ts';
import { Problem } from '#domain/problems.ts';
import type { Project, ProjectCopy } from '#domain/projects.ts';
import type { NewProjects } from '#domain/restrictions.ts';
import type { Circle, Grantee } from '#domain/rights.ts';
import type { Reference } from '#domain/schema.ts';
import { listAttributes } from '#store/attributes.ts';
import { inReadableParts, listDefinedFlags, listStoredDefinitionsOfFlags } from '#store/definitions.ts';
import { findEnvironmentOrder, listEnvironments, saveEnvironmentOrder } from '#store/environments.ts';
import { listFlagSets } from '#store/flag-sets.ts';
import { countFlags, countFlagsAndDefinitions, listFlags } from '#store/flags.ts';
import { insertProject, lockProject } from '#store/projects.ts';
import type { StoredAccess } from '#store/restrictions.ts';
import { insertRolloutStatuses, listOwnRolloutStatuses } from '#store/rollout-statuses.ts';
import { listTrafficTypes } from '#store/traffic-types.ts';
import { requirePermission } from './actors.ts';
import { saveAttributesIn } from './attributes.ts';
import { type Context, type RecordingTx, write } from './context.ts';
import { copyDefinitionsIn } from './definitions.ts';
import { createEnvironmentWithoutKeysIn } from './environments.ts';
import { createFlagSetIn } from './flag-sets.ts';
import { createFlagIn } from './flags.ts';
import { recordNewProjectIn } from './projects.ts';
import { permissionsIn, requireAccess, restrictCopyIn } from './restrictions.ts';
import { createTrafficTypeIn } from './traffic-types.ts';

/** Flags and definitions: everything is one transaction, which has eight seconds on PostgreSQL. */
const maxCopied = 2_000;

const neededForFlags = ['flag.read', 'definition.read', 'flag.write', 'definition.write'] as const;

export const copyProject = (context: Context, source: Project, copy: ProjectCopy, newProjects: NewProjects) =>
  write(context, (tx) => copyProjectIn(tx, source, copy, newProjects));

export async function copyProjectIn(
  tx: RecordingTx,
  { id }: Project,
  { name, flags = false }: ProjectCopy,
  newProjects: NewProjects,
) {
  const source = await lockProject(tx, id);
  // Access lists do not apply: who may create projects may change them.
  for (const needs of flags ? neededForFlags : []) {
    await requirePermission(tx, tx.actor, { access: { needs, scope: 'account' } });
  }
  if (flags && (await countFlagsAndDefinitions(tx, id)) > maxCopied) {
    throw new Problem('project_too_large', { name: source.name, max: maxCopied, contents: 'flags and definitions' });
  }
  const access = await requireAccess(tx, id);
  const project: Project = { ...source, id: newId(), name };
  await insertProject(tx, project);
  await recordNewProjectIn(tx, project);
  await restrictCopyIn(tx, project, { original: withoutKeys(access), newProjects });
  const copied: Copied = {
    project,
    statuses: await copyStatuses(tx, project, source),
    environments: await copyEnvironments(tx, project, { source, access }),
    trafficTypes: await copyTrafficTypes(tx, project, source),
    flagSets: await copyFlagSets(tx, project, source),
  };
  if (flags) await copyFlags(tx, source, copied);
  return project;
}

/** What was copied, by the ids of the originals. */
interface Copied {
  readonly project: Project;
  readonly statuses: ReadonlyMap<string, Reference>;
  readonly environments: ReadonlyMap<string, Environment>;
  readonly trafficTypes: ReadonlyMap<string, Reference>;
  readonly flagSets: ReadonlyMap<string, Reference>;
}

/** As those that a project starts with, they have no audit entries of their own. */
async function copyStatuses(tx: RecordingTx, project: Project, source: Project): Promise<Copied['statuses']> {
  const statuses = await listOwnRolloutStatuses(tx, source.id);
  const copies = new Map(statuses.map((status) => [status.id, { ...status, id: newId() }]));
  await insertRolloutStatuses(tx, project.id, [...copies.values()]);
  return copies;
}

async function copyEnvironments(
  tx: RecordingTx,
  project: Project,
  { source, access }: { source: Project; access: StoredAccess },
): Promise<Copied['environments']> {
  const copies = new Map<string, Environment>();
  for (const { id, name, production } of await listEnvironments(tx, source.id, { kind: 'account' })) {
    const permissions = permissionsWithoutKeys(permissionsIn(access, id));
    copies.set(id, await createEnvironmentWithoutKeysIn(tx, project, { name, production, permissions }));
  }
  const order = await findEnvironmentOrder(tx, source.id);
  await saveEnvironmentOrder(
    tx,
    project.id,
    order.flatMap((id) => copies.get(id)?.id ?? []),
  );
  return copies;
}

/** Copied lists leave API keys out: those of the original cannot reach the copy, others are added where needed. */
const isNoKey = ({ type }: Grantee): boolean => type !== 'api_key';
const people = ({ restricted, grantees }: Circle): Circle => ({ restricted, grantees: grantees.filter(isNoKey) });
const withoutKeys = ({ view, edit, ownersEdit }: StoredAccess) => ({
  view: people(view),
  edit: people(edit),
  ownersEdit,
});
const permissionsWithoutKeys = (permissions: StoredPermissions): StoredPermissions => ({
  ...permissions,
  editors: people(permissions.editors),
  killers: permissions.killers.filter(isNoKey),
  approvers: people(permissions.approvers),
  skippers: permissions.skippers.filter(isNoKey),
});

async function copyTrafficTypes(tx: RecordingTx, project: Project, source: Project): Promise<Copied['trafficTypes']> {
  const copies = new Map<string, Reference>();
  for (const { id, name, displayAttributeId } of await listTrafficTypes(tx, source.id)) {
    const copy = await createTrafficTypeIn(tx, project, { name, displayAttributeId });
    const attributes = await listAttributes(tx, id);
    await saveAttributesIn(
      tx,
      copy,
      attributes.map(({ trafficTypeId: _, ...settings }) => settings),
    );
    copies.set(id, copy);
  }
  return copies;
}

async function copyFlagSets(tx: RecordingTx, project: Project, source: Project): Promise<Copied['flagSets']> {
  const copies = new Map<string, Reference>();
  const list = (offset: number) =>
    listFlagSets(tx, { projectId: source.id, after: undefined, before: undefined, offset, limit: 100 });
  for (let some = await list(0); some.length > 0; some = await list(copies.size)) {
    for (const { id, name, description } of some) {
      copies.set(id, await createFlagSetIn(tx, { project, name, description }));
    }
  }
  return copies;
}

/** Rules name other flags and segments by name. Those of flags exist before any definition. */
async function copyFlags(tx: RecordingTx, source: Project, copied: Copied): Promise<void> {
  const { project } = copied;
  const flags = new Map<string, Flag>();
  const filter = { projectId: source.id, tags: [], name: undefined, rolloutStatusId: undefined, isArchived: false };
  const total = await countFlags(tx, filter);
  const list = (offset: number) => listFlags(tx, filter, { offset, limit: 100 }, total);
  for (let some = await list(0); some.length > 0; some = await list(flags.size)) {
    for (const { id, name, description, tags, owners, rolloutStatus, ...flag } of some) {
      const trafficType = copied.trafficTypes.get(flag.trafficType.id);
      if (!trafficType) throw new Problem('traffic_type_not_found', { nameOrId: flag.trafficType.name });
      const copy = await createFlagIn(tx, {
        project,
        trafficType,
        name,
        description,
        owners,
        ifMatch: undefined,
        tags: (tags ?? []).map((tag) => tag.name),
        rolloutStatus: copied.statuses.get(rolloutStatus.id),
      });
      flags.set(id, copy);
    }
  }
  for (const [id, environment] of copied.environments) {
    const defined = (await listDefinedFlags(tx, id, maxCopied)).filter((flag) => flags.has(flag.id));
    for (const some of inReadableParts(defined)) {
      const sources = await listStoredDefinitionsOfFlags(tx, { id, name: environment.name }, some);
      const copies = sources.flatMap((source) => {
        const flag = flags.get(source.id);
        return flag ? [{ source, flag }] : [];
      });
      await copyDefinitionsIn(tx, { project, environment, copies, flagSets: copied.flagSets });
    }
  }
}
