/** What changed in the access lists of a project or an environment: who was added and removed, by name. */
import type { Environment } from '#domain/environments.ts';
import type { Restriction } from '#domain/restrictions.ts';
import type { Grantee } from '#domain/rights.ts';
import { listed } from '../administration/count.ts';
import type { FieldChange } from './field-changes.ts';

/** Audit entries of restrictions have the first two, those of environments the third, if they limit anything. */
interface Recorded {
  readonly operations?: Restriction['operations'];
  readonly resourcePermissions?: Restriction['resourcePermissions'];
  readonly changePermissions?: {
    readonly areEditorsRestricted?: boolean;
    readonly editors?: readonly Grantee[];
    readonly killers?: readonly Grantee[];
    readonly areApprovalsRequired?: boolean;
    readonly allowKills?: boolean;
    readonly areApproversRestricted?: boolean;
    readonly approvers?: readonly Grantee[];
    readonly approvalSkippableBy?: readonly Grantee[];
  };
}

interface List {
  readonly isRestricted: boolean;
  readonly grantees: readonly Grantee[] | undefined;
}

/** The label of each list, who has the right while it is not restricted, and the list in an entry. */
const lists: readonly [name: string, everyone: string, (recorded: Recorded) => List][] = [
  [
    'Can view',
    'everyone with an account',
    ({ operations, resourcePermissions }) => ({
      isRestricted: operations?.view ?? false,
      grantees: resourcePermissions?.view,
    }),
  ],
  [
    'Can edit',
    'everyone who can view',
    ({ operations, resourcePermissions }) => ({
      isRestricted: operations?.edit ?? false,
      grantees: resourcePermissions?.edit,
    }),
  ],
  [
    'Can edit definitions',
    'everyone who can edit the project',
    ({ changePermissions }) => ({
      isRestricted: changePermissions?.areEditorsRestricted ?? false,
      grantees: changePermissions?.editors,
    }),
  ],
  [
    'Can kill and restore besides editors',
    '',
    ({ changePermissions }) => ({ isRestricted: true, grantees: changePermissions?.killers }),
  ],
  [
    'Approvers',
    'everyone who can edit definitions',
    ({ changePermissions }) => ({
      isRestricted: changePermissions?.areApproversRestricted ?? false,
      grantees: changePermissions?.approvers,
    }),
  ],
  [
    'Changes without approval by',
    '',
    ({ changePermissions }) => ({ isRestricted: true, grantees: changePermissions?.approvalSkippableBy }),
  ],
];

const switches: readonly [name: string, (recorded: Recorded) => boolean | undefined][] = [
  ['Owners can edit their flags', ({ operations }) => operations?.ownersEdit],
  ['Approvals required', ({ changePermissions }) => changePermissions?.areApprovalsRequired],
  ['Kills without approval', ({ changePermissions }) => changePermissions?.allowKills],
];

export function accessChanges(before: Recorded, after: Recorded): FieldChange[] {
  return [
    ...lists.flatMap(([name, everyone, listIn]) => {
      const [old, now] = [listIn(before), listIn(after)];
      const words = ({ isRestricted, grantees }: List) => (isRestricted ? onlyThese(grantees) : everyone);
      if (old.isRestricted !== now.isRestricted) return [{ name, before: words(old), after: words(now) }];
      const difference = differenceIn(old.grantees, now.grantees);
      return difference === '' ? [] : [{ name, after: difference }];
    }),
    ...switches.flatMap(([name, isOnIn]) => {
      const [old, now] = [isOnIn(before) ?? false, isOnIn(after) ?? false];
      return old === now ? [] : [{ name, before: old ? 'yes' : 'no', after: now ? 'yes' : 'no' }];
    }),
  ];
}

/** Whether access is all that an entry of an environment changed. */
export function isOnlyAccess(before: unknown, after: unknown): boolean {
  const [old, now] = [before, after] as (Recorded & Environment)[];
  return (
    old !== undefined &&
    now !== undefined &&
    old.name === now.name &&
    old.production === now.production &&
    accessChanges(old, now).length > 0
  );
}

export const requiresApprovals = (recorded: unknown): boolean =>
  (recorded as Recorded).changePermissions?.areApprovalsRequired ?? false;

const onlyThese = (grantees: readonly Grantee[] = []): string =>
  grantees.length === 0 ? 'only administrators' : `only ${namesOf(grantees)}`;

/** "added Ana Ruiz; removed Payments". Empty if the same ones are listed. */
function differenceIn(old: readonly Grantee[] = [], now: readonly Grantee[] = []): string {
  const without = (list: readonly Grantee[], others: readonly Grantee[]) =>
    list.filter((one) => !others.some(({ type, id }) => type === one.type && id === one.id));
  const [added, removed] = [without(now, old), without(old, now)];
  return [
    ...(added.length > 0 ? [`added ${namesOf(added)}`] : []),
    ...(removed.length > 0 ? [`removed ${namesOf(removed)}`] : []),
  ].join('; ');
}

const namesOf = (grantees: readonly Grantee[]): string =>
  listed(
    grantees.map(({ type, name }) => (type === 'api_key' ? `API key ${name}` : name)),
    8,
  );
