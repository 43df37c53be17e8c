/** Changes the access lists of a project and its environments. */
import {
  type Environment,
  openPermissions,
  type Permissions,
  type StoredPermissions,
  toChangePermissions,
} from '#domain/environments.ts';
import { administrators } from '#domain/groups.ts';
import { equalJson } from '#domain/json.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import {
  checkViewers,
  type NewProjects,
  type Openness,
  opennessOf,
  stricter,
  toRestriction,
} from '#domain/restrictions.ts';
import { requireMatch } from '#domain/revisions.ts';
import type { Circle, Grantee, NamedGrantee, ProjectAccessUpdate } from '#domain/rights.ts';
import { lockAdminKeyNames } from '#store/api-keys.ts';
import { lockEnvironment } from '#store/environments.ts';
import { findAdministratorsId, lockGroupNames } from '#store/groups.ts';
import { lockProject } from '#store/projects.ts';
import {
  countEnvironmentGrants,
  deleteGrantee,
  findProjectAccess,
  listProjectAccess,
  listProjectIdsListing,
  type StoredAccess,
  saveEnvironmentAccess,
  saveProjectAccess,
} from '#store/restrictions.ts';
import { lockUserNames } from '#store/users.ts';
import { type AloneTx, type Context, type RecordingTx, writeAlone } from './context.ts';

export interface AccessChange {
  readonly project: Project;
  readonly update: ProjectAccessUpdate;
  readonly ifMatch?: string | undefined;
  /** Where the body has the project's lists, for refusals. */
  readonly places: Readonly<Record<'view' | 'edit', string>>;
}

/** Changes the lists that the update names, all or none. Each object that changes has an audit entry. */
export const changeAccess = (context: Context, change: AccessChange) =>
  writeAlone(context, (tx) => changeAccessIn(tx, change));

export async function changeAccessIn(tx: AloneTx, change: AccessChange): Promise<StoredAccess> {
  const { project, update, ifMatch } = change;
  await lockProject(tx, project.id);
  const before = await requireAccess(tx, project.id);
  requireMatch(ifMatch, before);
  const environmentIds = (update.environments ?? []).map(({ id }) => id);
  const isRepeated = new Set(environmentIds).size < environmentIds.length;
  refuse('restriction_invalid', isRepeated ? ['environments must not list an environment twice'] : []);
  const hasChanged = [await changeProject(tx, before, change)];
  for (const [index, { id, editors, killers, approvals = {} }] of (update.environments ?? []).entries()) {
    const stored = permissionsIn(before, id);
    const permissions = {
      ...stored,
      editors: merged(stored.editors, editors),
      killers: killers ?? stored.killers,
      approvers: merged(stored.approvers, approvals.approvers),
      skippers: approvals.skippers ?? stored.skippers,
      areApprovalsRequired: approvals.required ?? stored.areApprovalsRequired,
      allowKills: approvals.allowKills ?? stored.allowKills,
    };
    const place = `environments/${index}`;
    const places = {
      editors: `${place}/editors/grantees`,
      killers: `${place}/killers`,
      approvers: `${place}/approvals/approvers/grantees`,
      skippers: `${place}/approvals/skippers`,
    };
    hasChanged.push(await changeEnvironment(tx, await lockEnvironment(tx, id), { stored, permissions, places }));
  }
  if (!hasChanged.includes(true)) return tx.unchanged(before);
  await requireRoom(tx, project.id);
  return requireAccess(tx, project.id);
}

async function changeProject(
  tx: AloneTx,
  before: StoredAccess,
  { update, places }: Pick<AccessChange, 'update' | 'places'>,
): Promise<boolean> {
  const view = merged(before.view, update.view);
  if (view.restricted) checkViewers(view.grantees, await findAdministratorsId(tx), places.view);
  const name = async (operation: 'view' | 'edit'): Promise<Circle> => {
    const { restricted, grantees } = merged(before[operation], update[operation]);
    const list = { projectId: before.id, place: places[operation], grantees, known: before[operation].grantees };
    return { restricted, grantees: await nameGrantees(tx, list) };
  };
  const after: Openness = {
    view: update.view ? await name('view') : before.view,
    edit: update.edit ? await name('edit') : before.edit,
    ownersEdit: update.ownersEdit ?? before.ownersEdit,
  };
  if (isSameOpenness(before, after)) return false;
  await saveOpenness(tx, before, after);
  return true;
}

const isSameOpenness = (before: StoredAccess, after: Openness): boolean =>
  equalJson(toRestriction(before, after), toRestriction(before, before));

async function saveOpenness(tx: RecordingTx, before: StoredAccess, after: Openness): Promise<void> {
  await saveProjectAccess(tx, { id: before.id, ...after });
  await recordOpenness(tx, before, after);
}

const recordOpenness = (tx: RecordingTx, before: StoredAccess, after: Openness): Promise<void> =>
  tx.record({
    action: 'restriction.replaced',
    object: { type: 'restriction', id: before.id, name: before.name },
    project: before,
    before: toRestriction(before, before),
    after: toRestriction(before, after),
  });

/**
 * Removes a user, group or key that is about to be deleted from all access lists. Each project and environment that
 * listed it has an audit entry.
 */
export async function removeGranteeIn(tx: AloneTx, grantee: NamedGrantee): Promise<void> {
  const projectIds = await listProjectIdsListing(tx, grantee);
  for (let from = 0; from < projectIds.length; from += projectsAtOnce) {
    const page = await listProjectAccess(tx, projectIds.slice(from, from + projectsAtOnce));
    for (const access of page) await recordRemoval(tx, access, grantee);
  }
  await deleteGrantee(tx, grantee);
}

const projectsAtOnce = 20;

async function recordRemoval(tx: AloneTx, before: StoredAccess, { type, id }: NamedGrantee): Promise<void> {
  const without = (list: readonly Grantee[]) => list.filter((one) => one.type !== type || one.id !== id);
  const narrowed = ({ restricted, grantees }: Circle) => ({ restricted, grantees: without(grantees) });
  const after = { view: narrowed(before.view), edit: narrowed(before.edit), ownersEdit: before.ownersEdit };
  if (!isSameOpenness(before, after)) await recordOpenness(tx, before, after);
  for (const environment of before.environments) {
    const stored = permissionsIn(before, environment.id);
    const left = {
      ...stored,
      editors: narrowed(stored.editors),
      killers: without(stored.killers),
      approvers: narrowed(stored.approvers),
      skippers: without(stored.skippers),
    };
    if (equalJson(left, stored)) continue;
    await recordEnvironment(tx, await lockEnvironment(tx, environment.id), { stored, permissions: left });
  }
}

/** Gives a new project the restrictions of the setting `NEW_PROJECTS`. Nobody's access ends. */
export async function restrictNewProjectIn(tx: RecordingTx, project: Project, choice: NewProjects): Promise<void> {
  if (choice === 'open') return;
  const before = await requireAccess(tx, project.id);
  await saveOpenness(tx, before, await settingOf(tx, choice));
}

/**
 * Gives a new project the restrictions of the one that it is a copy of, and where that has none, those of the setting.
 * Nobody's access ends.
 */
export async function restrictCopyIn(
  tx: RecordingTx,
  project: Project,
  { original, newProjects }: { original: Openness; newProjects: NewProjects },
): Promise<void> {
  const before = await requireAccess(tx, project.id);
  const after = stricter(original, await settingOf(tx, newProjects));
  if (!isSameOpenness(before, after)) await saveOpenness(tx, before, after);
}

const settingOf = async (tx: RecordingTx, choice: NewProjects): Promise<Openness> =>
  opennessOf(choice, { type: 'group', id: await findAdministratorsId(tx), name: administrators.name });

const merged = (stored: Circle, update: ProjectAccessUpdate['view']) => ({
  restricted: update?.restricted ?? stored.restricted,
  grantees: update?.grantees ?? stored.grantees,
});

async function changeEnvironment(
  tx: AloneTx,
  environment: Environment,
  change: PermissionsChange & { readonly stored: StoredPermissions },
): Promise<boolean> {
  const { stored } = change;
  const named = await namePermissions(tx, environment.projectId, change);
  if (equalJson(named, stored)) return false;
  await saveEnvironmentAccess(tx, environment.projectId, { id: environment.id, ...named });
  await recordEnvironment(tx, environment, { stored, permissions: named });
  return true;
}

const recordEnvironment = (
  tx: RecordingTx,
  environment: Environment,
  { stored, permissions }: { stored: StoredPermissions; permissions: StoredPermissions },
): Promise<void> =>
  tx.record({
    action: 'environment.patched',
    object: { type: 'environment', id: environment.id, name: environment.name },
    project: { id: environment.projectId },
    environment,
    before: environmentRecord(environment, stored),
    after: environmentRecord(environment, permissions),
  });

/** All lists of a project are read at once, so their total is limited. */
const maxInEnvironments = 1_000;

/** Refuses if the lists of the project's environments have too many entries in total. */
export async function requireRoom(tx: RecordingTx, projectId: string): Promise<void> {
  const isTooLong = (await countEnvironmentGrants(tx, projectId)) > maxInEnvironments;
  const sentence = `the lists of a project's environments must not have more than ${maxInEnvironments} entries together: list groups instead of people`;
  refuse('restriction_invalid', isTooLong ? [sentence] : []);
}

/** An environment as audit entries have it. */
export function environmentRecord(environment: Environment, permissions: StoredPermissions) {
  const changePermissions = toChangePermissions(permissions);
  return Object.keys(changePermissions).length > 0 ? { ...environment, changePermissions } : environment;
}

export async function requireAccess(tx: RecordingTx, projectId: string): Promise<StoredAccess> {
  const access = await findProjectAccess(tx, projectId);
  if (!access) throw new Problem('project_not_found', { nameOrId: projectId });
  return access;
}

/** The lists of one of the project's environments. */
export function permissionsIn({ environments }: StoredAccess, environmentId: string): StoredPermissions {
  const found = environments.find(({ id }) => id === environmentId);
  if (!found) throw new Problem('environment_not_found', { nameOrId: environmentId });
  const { editors, killers, approvers, skippers, areApprovalsRequired, allowKills } = found;
  return { editors, killers, approvers, skippers, areApprovalsRequired, allowKills };
}

interface PermissionsChange {
  /** Absent for a new environment. */
  readonly stored?: StoredPermissions;
  readonly permissions: Permissions;
  /** Where the body has the lists, for refusals. */
  readonly places?: Readonly<Record<keyof typeof inChangePermissions, string>>;
}

const inChangePermissions = {
  editors: 'changePermissions/editors',
  killers: 'changePermissions/killers',
  approvers: 'changePermissions/approvers',
  skippers: 'changePermissions/approvalSkippableBy',
};

/** Adds the grantees' names. Refuses new ones that do not exist or that the actor cannot see. */
export async function namePermissions(
  tx: RecordingTx,
  projectId: string,
  { stored = openPermissions, permissions, places: given }: PermissionsChange,
): Promise<StoredPermissions> {
  const { editors, killers, approvers, skippers, areApprovalsRequired, allowKills } = permissions;
  const places = { ...inChangePermissions, ...given };
  const named = (place: string, grantees: readonly NamedGrantee[], known: readonly Grantee[]) =>
    nameGrantees(tx, { projectId, place, grantees, known });
  const circle = async (
    place: string,
    { restricted, grantees }: Permissions['editors'],
    known: Circle,
  ): Promise<Circle> => ({ restricted, grantees: await named(place, grantees, known.grantees) });
  return {
    editors: await circle(places.editors, editors, stored.editors),
    killers: await named(places.killers, killers, stored.killers),
    approvers: await circle(places.approvers, approvers, stored.approvers),
    skippers: await named(places.skippers, skippers, stored.skippers),
    areApprovalsRequired,
    allowKills,
  };
}

interface NamedList {
  readonly projectId: string;
  /** Where the body has it. */
  readonly place: string;
  readonly grantees: readonly NamedGrantee[];
  /** Those already on the list stay, even if the actor cannot see them. */
  readonly known: readonly Grantee[];
}

/** The grantees with their names, each once. */
async function nameGrantees(tx: RecordingTx, list: NamedList): Promise<Grantee[]> {
  const { projectId, place, grantees, known } = list;
  const { scope } = tx.actor;
  const knownNames = new Map(known.map(({ type, id, name }) => [`${type} ${id}`, name]));
  const added = grantees.filter(({ type, id }) => !knownNames.has(`${type} ${id}`));
  const idsOf = (type: Grantee['type']) => [...new Set(added.filter((one) => one.type === type).map((one) => one.id))];
  const names = {
    user: await lockUserNames(tx, idsOf('user'), scope),
    group: await lockGroupNames(tx, idsOf('group')),
    api_key: await lockAdminKeyNames(tx, idsOf('api_key'), { scope, projectId }),
  };
  const once = new Map(grantees.map((one) => [`${one.type} ${one.id}`, one]));
  const found = [...once].map(([key, { type, id }]) => ({
    type,
    id,
    name: knownNames.get(key) ?? names[type].get(id),
  }));
  refuse(
    'restriction_invalid',
    found
      .filter((one) => one.name === undefined)
      .map(({ type, id }) => `${place}: there is no ${words[type]} with the id ${id}`),
  );
  return found.map(({ id, type, name = '' }) => ({ id, name, type }));
}

const words = { user: 'user', group: 'group', api_key: 'admin key' } as const;
