/** Project access while it is edited. Additions and removals are kept apart, so that others' changes can be merged in. */
import { useCallback } from 'react';
import type { getProjectAccess } from '#contract/restrictions.ts';
import {
  type Approvals,
  type Circle,
  type EnvironmentAccess,
  type Grantee,
  noApprovals,
  type ProjectAccess,
  type ProjectAccessUpdate,
} from '#domain/rights.ts';
import type { Answer } from '../../../server/api.ts';
import { noticesOf } from '../../../state/notices.ts';

export type SavedAccess = Answer<typeof getProjectAccess>;

export interface AccessDraft {
  /** What was saved when editing began. */
  readonly base: SavedAccess;
  readonly access: ProjectAccess;
}

export const isSame = (one: Pick<Grantee, 'id' | 'type'>, other: Pick<Grantee, 'id' | 'type'>): boolean =>
  one.id === other.id && one.type === other.type;

const has = (list: readonly Grantee[], one: Grantee): boolean => list.some((other) => isSame(one, other));

/** The order of a list has no meaning. */
const areSame = (one: readonly Grantee[], other: readonly Grantee[]): boolean =>
  one.length === other.length && one.every((grantee) => has(other, grantee));

/** The list of an open circle has no effect either. */
export const areSameCircles = (one: Circle, other: Circle): boolean =>
  one.restricted === other.restricted && (!one.restricted || areSame(one.grantees, other.grantees));

const partsOf = (one: EnvironmentAccess, other: EnvironmentAccess | undefined) => ({
  editors: other === undefined || areSameCircles(one.editors, other.editors) ? undefined : one.editors,
  killers: other === undefined || areSame(one.killers, other.killers) ? undefined : one.killers,
  approvals:
    other === undefined || areSameApprovals(approvalsOf(one), approvalsOf(other)) ? undefined : approvalsOf(one),
});

export const approvalsOf = ({ approvals = noApprovals }: EnvironmentAccess): Approvals => approvals;

const areSameApprovals = (one: Approvals, other: Approvals): boolean =>
  one.required === other.required &&
  one.allowKills === other.allowKills &&
  areSameCircles(one.approvers, other.approvers) &&
  areSame(one.skippers, other.skippers);

type Part = keyof ReturnType<typeof partsOf>;

export const isChangedIn = (base: ProjectAccess, environment: EnvironmentAccess, ...which: Part[]): boolean => {
  const parts = partsOf(environment, environmentOf(base, environment.id));
  return which.some((part) => parts[part] !== undefined);
};

const environmentOf = ({ environments }: ProjectAccess, id: string): EnvironmentAccess | undefined =>
  environments.find((one) => one.id === id);

/** The lists that differ, as the request changes them. */
export function updateOf(base: ProjectAccess, access: ProjectAccess): ProjectAccessUpdate {
  const { view, edit, ownersEdit } = access;
  const environments = access.environments
    .filter((environment) => isChangedIn(base, environment, 'editors', 'killers', 'approvals'))
    .map((environment) => {
      const { editors, killers, approvals } = partsOf(environment, environmentOf(base, environment.id));
      return {
        id: environment.id,
        ...(editors && { editors: named(editors) }),
        ...(killers && { killers }),
        ...(approvals && { approvals: { ...approvals, approvers: named(approvals.approvers) } }),
      };
    });
  return {
    ...(areSameCircles(base.view, view) ? {} : { view: named(view) }),
    ...(areSameCircles(base.edit, edit) ? {} : { edit: named(edit) }),
    ...(base.ownersEdit === ownersEdit ? {} : { ownersEdit }),
    ...(environments.length > 0 ? { environments } : {}),
  };
}

const named = ({ restricted, grantees }: Circle) => ({ restricted, grantees });

/** The number of lists and settings that differ. */
export const countChanges = ({ environments = [], ...project }: ProjectAccessUpdate): number =>
  Object.keys(project).length +
  environments.reduce(
    (count, { editors, killers, approvals }) => count + [editors, killers, approvals].filter(Boolean).length,
    0,
  );

/** `theirs` with what `mine` added, removed and set since `base`. */
export function mergeAccess(base: ProjectAccess, mine: ProjectAccess, theirs: ProjectAccess): ProjectAccess {
  return {
    ...theirs,
    view: mergeCircle(base.view, mine.view, theirs.view),
    edit: mergeCircle(base.edit, mine.edit, theirs.edit),
    ownersEdit: mine.ownersEdit === base.ownersEdit ? theirs.ownersEdit : mine.ownersEdit,
    environments: theirs.environments.map((their) => {
      const [from, my] = [environmentOf(base, their.id), environmentOf(mine, their.id)];
      if (!from || !my) return their;
      return {
        ...their,
        editors: mergeCircle(from.editors, my.editors, their.editors),
        killers: mergeList(from.killers, my.killers, their.killers),
        ...((from.approvals ?? my.approvals ?? their.approvals) && {
          approvals: mergeApprovals(approvalsOf(from), approvalsOf(my), approvalsOf(their)),
        }),
      };
    }),
  };
}

const mergeApprovals = (base: Approvals, mine: Approvals, theirs: Approvals): Approvals => ({
  required: mine.required === base.required ? theirs.required : mine.required,
  allowKills: mine.allowKills === base.allowKills ? theirs.allowKills : mine.allowKills,
  approvers: mergeCircle(base.approvers, mine.approvers, theirs.approvers),
  skippers: mergeList(base.skippers, mine.skippers, theirs.skippers),
});

const mergeCircle = (base: Circle, mine: Circle, theirs: Circle): Circle => ({
  restricted: mine.restricted === base.restricted ? theirs.restricted : mine.restricted,
  grantees: mergeList(base.grantees, mine.grantees, theirs.grantees),
});

function mergeList(base: readonly Grantee[], mine: readonly Grantee[], theirs: readonly Grantee[]): Grantee[] {
  const kept = theirs.filter((one) => has(mine, one) || !has(base, one));
  return [...kept, ...mine.filter((one) => !has(base, one) && !has(kept, one))];
}

/** Whom `list` has and `base` does not: chips of these are marked. */
export const addedTo = (base: readonly Grantee[] | undefined, list: readonly Grantee[]): Grantee[] =>
  list.filter((one) => !has(base ?? [], one));

/** Drafts by person and project. They survive navigation, but not the tab: leaving that asks first. */
const drafts = noticesOf<ReadonlyMap<string, AccessDraft>>(new Map());

export function useAccessDraft(person: string, project: string) {
  const key = `${person} ${project}`;
  const draft = drafts.use().get(key);
  const setDraft = useCallback(
    (change: (before: AccessDraft | undefined) => AccessDraft | undefined) => {
      const after = change(drafts.get().get(key));
      const rest = new Map(drafts.get());
      if (after === undefined) rest.delete(key);
      else rest.set(key, after);
      drafts.set(rest);
    },
    [key],
  );
  return { draft, setDraft };
}
