/** What each person can do in each environment, now and after saving. */

import { type ExplainedRights, explainRights, type Verdict } from '#domain/explained-rights.ts';
import { administrators } from '#domain/groups.ts';
import { equalJson } from '#domain/json.ts';
import type { EnvironmentAccess, Grantee, ProjectAccess } from '#domain/rights.ts';
import { countOf, listed } from '../../../administration/count.ts';
import type { GroupAnswer, UserAnswer } from '../../../administration/whole-lists.ts';

export const places = ['view', 'define', 'kill'] as const;
export type Place = (typeof places)[number];

/** What completes "can" and "cannot". */
export const placeWords: Readonly<Record<Place, string>> = {
  view: 'view',
  define: 'edit',
  kill: 'kill and restore',
};

export interface Person {
  readonly user: UserAnswer;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly isAdministrator: boolean;
}

export interface RightsCell {
  readonly environment: EnvironmentAccess;
  readonly before: Readonly<Record<Place, Verdict>>;
  readonly after: Readonly<Record<Place, Verdict>>;
  readonly isChanged: boolean;
}

export interface RightsRow extends Person {
  /** In the project itself. */
  readonly view: Change;
  readonly edit: Change;
  readonly cells: readonly RightsCell[];
  readonly isChanged: boolean;
}

/** Those who can sign in, or will be able to: with their groups. */
export function peopleOf(users: readonly UserAnswer[], groups: readonly GroupAnswer[]): Person[] {
  const byId = new Map(groups.map((group) => [group.id, group]));
  return users
    .filter(({ status }) => status !== 'DEACTIVATED')
    .map((user) => {
      const own = (user.groups ?? []).flatMap(({ id }) => byId.get(id) ?? []);
      return { user, groups: own, isAdministrator: own.some(({ name }) => name === administrators.name) };
    });
}

export const rightsOf = (people: readonly Person[], base: ProjectAccess, access: ProjectAccess): RightsRow[] =>
  people.map((person) => {
    const { user, groups, isAdministrator } = person;
    const subject = { type: 'user', id: user.id, groups, mayGrant: isAdministrator } as const;
    const before = explainRights(base, subject);
    const after = base === access ? before : explainRights(access, subject);
    const cells = access.environments.map((environment) => {
      const [was, is] = [verdictsIn(before, environment.id), verdictsIn(after, environment.id)];
      return {
        environment,
        before: was,
        after: is,
        isChanged: places.some((place) => was[place].may !== is[place].may),
      };
    });
    const view = { before: before.view, after: after.view };
    const edit = { before: before.edit, after: after.edit };
    return {
      ...person,
      view,
      edit,
      cells,
      isChanged: [view, edit].some(isChange) || cells.some((cell) => cell.isChanged),
    };
  });

const isChange = ({ before, after }: Change): boolean => before.may !== after.may;

const none: Verdict = { may: false, reason: '' };

function verdictsIn({ view, environments }: ExplainedRights, id: string): Record<Place, Verdict> {
  const { define = none, kill = none } = environments.find((one) => one.id === id) ?? {};
  return { view, define, kill };
}

/** What saving does: "4 people can then kill and restore in Production. Nobody loses a right." */
export function effectOf(rows: readonly RightsRow[], base: ProjectAccess, access: ProjectAccess): string {
  const gained = sentences(rows, 'can then', ({ before, after }) => !before.may && after.may);
  const lost = sentences(rows, 'can no longer', ({ before, after }) => before.may && !after.may);
  const further = [...ownersSentence(base, access), ...approvalSentences(base, access), ...keysSentence(base, access)];
  const said = [...gained, ...lost, ...further];
  if (said.length === 0) return 'Nobody gains or loses a right.';
  return [...said, ...(lost.length === 0 && gained.length > 0 ? ['Nobody loses a right.'] : [])].join(' ');
}

function ownersSentence(base: ProjectAccess, access: ProjectAccess): string[] {
  if (base.ownersEdit === access.ownersEdit) return [];
  return [
    access.ownersEdit
      ? 'Owners can then edit their flags in every environment.'
      : 'Owners can no longer edit their flags where a list leaves them out.',
  ];
}

function approvalSentences(base: ProjectAccess, access: ProjectAccess): string[] {
  const required = ({ environments }: ProjectAccess, id: string) =>
    environments.find((one) => one.id === id)?.approvals?.required ?? false;
  return access.environments.flatMap(({ id, name }) => {
    const isRequired = required(access, id);
    if (isRequired === required(base, id)) return [];
    return [
      isRequired ? `Changes in ${name} then need an approval.` : `Changes in ${name} no longer need an approval.`,
    ];
  });
}

/** What a key can do depends on its roles and scope, so this only says which lists' keys change. */
function keysSentence(base: ProjectAccess, access: ProjectAccess): string[] {
  const [before, after] = [keysIn(base), keysIn(access)];
  const namesIn = (some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>) => [
    ...new Set([...some].filter(([key]) => !others.has(key)).map(([, name]) => name)),
  ];
  const [added, removed] = [namesIn(after, before), namesIn(before, after)];
  return [
    ...(added.length > 0 ? [`Adds the API ${added.length === 1 ? 'key' : 'keys'} ${listed(added)}.`] : []),
    ...(removed.length > 0 ? [`Removes the API ${removed.length === 1 ? 'key' : 'keys'} ${listed(removed)}.`] : []),
  ];
}

/** The keys on lists that are in use, by list and id. */
function keysIn({ view, edit, environments }: ProjectAccess): ReadonlyMap<string, string> {
  const lists: Record<string, readonly Grantee[]> = {
    view: view.restricted ? view.grantees : [],
    edit: edit.restricted ? edit.grantees : [],
  };
  for (const { id, editors, killers } of environments) {
    lists[`${id} edit`] = editors.restricted ? editors.grantees : [];
    lists[`${id} kill`] = killers;
  }
  return new Map(
    Object.entries(lists).flatMap(([list, grantees]) =>
      grantees.filter(({ type }) => type === 'api_key').map(({ id, name }) => [`${list} ${id}`, name] as const),
    ),
  );
}

interface Change {
  readonly before: Verdict;
  readonly after: Verdict;
}

interface Effect {
  /** Ids, to find effects on the same people. */
  readonly key: string;
  readonly names: readonly string[];
  readonly rights: string[];
  readonly where: readonly string[];
}

/** One for each set of people, with all environments and rights that concern the same ones. */
function sentences(rows: readonly RightsRow[], verb: string, concerns: (change: Change) => boolean): string[] {
  const environments = rows[0]?.cells.map(({ environment }) => environment.name) ?? [];
  const effects = [
    ...effectOn(
      rows.filter(({ view }) => concerns(view)),
      'view the project',
      [],
    ),
    ...effectOn(
      rows.filter(
        (row) => concerns(row.edit) && !isSaidElsewhere(row) && row.cells.every((cell) => !isIn(cell, 'define')),
      ),
      'edit the project',
      [],
    ),
    ...effectsIn('define'),
  ];
  for (const effect of effectsIn('kill')) {
    const same = effects.find(({ key, where }) => key === effect.key && equalJson(where, effect.where));
    if (same) same.rights.push(...effect.rights);
    else effects.push(effect);
  }
  return effects.map(({ names, rights, where }) => {
    const who = names.length === 1 ? names[0] : countOf(names.length, 'person', 'people');
    const all = verb === 'can then' ? 'every' : 'any';
    const place = where.length === environments.length && where.length > 1 ? `${all} environment` : listed(where, 5);
    return `${who} ${verb} ${rights.join(' or ')}${where.length === 0 ? '' : ` in ${place}`}.`;
  });

  function effectsIn(place: 'define' | 'kill'): Effect[] {
    const found = new Map<string, { people: RightsRow[]; where: string[] }>();
    for (const [at, environment] of environments.entries()) {
      const people = rows.filter((row) => {
        const cell = row.cells[at];
        // Editors can always kill, so gaining both is said once.
        const isNoise = place === 'kill' && verb === 'can then' && cell && isIn(cell, 'define');
        return cell && isIn(cell, place) && !isNoise && !isSaidElsewhere(row);
      });
      if (people.length === 0) continue;
      const key = keyOf(people);
      found.set(key, { people, where: [...(found.get(key)?.where ?? []), environment] });
    }
    return [...found.values()].flatMap(({ people, where }) => effectOn(people, placeWords[place], where));
  }

  function isIn({ before, after }: RightsCell, place: Place): boolean {
    return concerns({ before: before[place], after: after[place] });
  }

  /** Someone who can no longer view the project loses everything in it. */
  function isSaidElsewhere({ view }: RightsRow): boolean {
    return verb === 'can no longer' && concerns(view);
  }
}

const keyOf = (people: readonly RightsRow[]): string => people.map(({ user }) => user.id).join(' ');

const effectOn = (people: readonly RightsRow[], right: string, where: readonly string[]): Effect[] =>
  people.length === 0
    ? []
    : [{ key: keyOf(people), names: people.map(({ user }) => user.name), rights: [right], where }];

/** The saved rights, one line for each person and environment, for spreadsheets. */
export function csvOf(rows: readonly RightsRow[]): string {
  const lines = rows.flatMap(({ user, groups, cells }) =>
    cells.map(({ environment, before }) => [
      user.name,
      user.email,
      groups.map(({ name }) => name).join(', '),
      environment.name,
      ...places.flatMap((place) => [yesOrNo(before[place]), before[place].reason]),
    ]),
  );
  const head = [
    ...['Person', 'Email', 'Groups', 'Environment'],
    ...['View', 'Reason for view', 'Edit', 'Reason for edit', 'Kill and restore', 'Reason for kill and restore'],
  ];
  return [head, ...lines].map((line) => `${line.map(csvField).join(',')}\r\n`).join('');
}

const yesOrNo = ({ may, withApproval }: Verdict): string => (withApproval ? 'with approval' : may ? 'yes' : 'no');

/** Spreadsheets would run a name that starts like a formula. */
const csvField = (text: string): string => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
