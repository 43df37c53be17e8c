/** What each person can do in each environment, now and after saving. */
import { administrators } from '#domain/groups.ts';
import { equalJson } from '#domain/json.ts';
import {
  type EnvironmentAccess,
  type ExplainedRights,
  explainRights,
  type ProjectAccess,
  type Verdict,
} from '#domain/rights.ts';
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
    return { ...person, cells, isChanged: cells.some((cell) => cell.isChanged) };
  });

const none: Verdict = { may: false, reason: '' };

function verdictsIn({ view, environments }: ExplainedRights, id: string): Record<Place, Verdict> {
  const { define = none, kill = none } = environments.find((one) => one.id === id) ?? {};
  return { view, define, kill };
}

/** What saving does to people: "4 people can then kill and restore in Production. Nobody loses a right." */
export function effectOf(rows: readonly RightsRow[]): string {
  const gained = sentences(rows, (cell, place) => {
    const isNew = !cell.before[place].may && cell.after[place].may;
    // Editors can always kill, so saying both would be noise.
    return isNew && !(place === 'kill' && !cell.before.define.may && cell.after.define.may);
  });
  const lost = sentences(rows, (cell, place) => {
    const isGone = cell.before[place].may && !cell.after[place].may;
    return isGone && (place === 'view' || cell.after.view.may);
  });
  const said = [...gained.map((words) => words('can then')), ...lost.map((words) => words('can no longer'))];
  if (said.length === 0) return 'Nobody gains or loses a right.';
  return [...said, ...(lost.length === 0 ? ['Nobody loses a right.'] : [])].join(' ');
}

type Sentence = (verb: string) => string;

interface Effect {
  /** Ids, to find effects on the same people. */
  readonly key: string;
  readonly names: readonly string[];
  readonly rights: Place[];
  readonly where: string[];
}

/** One for each set of people: with all environments, and then all rights, that concern the same ones. */
function sentences(rows: readonly RightsRow[], concerns: (cell: RightsCell, place: Place) => boolean): Sentence[] {
  const environments = rows[0]?.cells.map(({ environment }) => environment.name) ?? [];
  const effects: Effect[] = [];
  for (const place of places) {
    const ofPlace: Effect[] = [];
    for (const [at, environment] of environments.entries()) {
      const people = rows.filter(({ cells }) => cells[at] && concerns(cells[at], place)).map(({ user }) => user);
      if (people.length === 0) continue;
      const key = people.map(({ id }) => id).join(' ');
      const known = ofPlace.find((effect) => effect.key === key);
      if (known) known.where.push(environment);
      else ofPlace.push({ key, names: people.map(({ name }) => name), rights: [place], where: [environment] });
    }
    for (const effect of ofPlace) {
      const same = effects.find(
        ({ key, where, rights }) => key === effect.key && equalJson(where, effect.where) && !rights.includes('view'),
      );
      if (same) same.rights.push(place);
      else effects.push(effect);
    }
  }
  return effects.map(({ names, rights, where }) => (verb) => {
    const who = names.length === 1 ? names[0] : countOf(names.length, 'person', 'people');
    return `${who} ${verb} ${rights.map((right) => placeWords[right]).join(' or ')} ${whereOf(rights, where, environments.length)}.`;
  });
}

function whereOf(rights: readonly Place[], where: readonly string[], count: number): string {
  if (rights.includes('view')) return 'the project';
  return where.length === count && count > 1 ? 'in every environment' : `in ${listed(where)}`;
}

/** The saved rights, one line for each person and environment, for spreadsheets. */
export function csvOf(rows: readonly RightsRow[]): string {
  const lines = rows.flatMap(({ user, groups, cells }) =>
    cells.map(({ environment, before }) => [
      user.name,
      user.email,
      groups.map(({ name }) => name).join(', '),
      environment.name,
      ...places.flatMap((place) => [before[place].may ? 'yes' : 'no', before[place].reason]),
    ]),
  );
  const head = ['Person', 'Email', 'Groups', 'Environment', 'View', 'Why', 'Edit', 'Why', 'Kill and restore', 'Why'];
  return [head, ...lines].map((line) => `${line.map(csvField).join(',')}\r\n`).join('');
}

/** Spreadsheets would run a name that starts like a formula. */
const csvField = (text: string): string => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
