/** The columns of the flag list: which of them are wanted, and which fit. */

import type { Environment } from '../../server/project.ts';
import { noticesOf } from '../../state/notices.ts';

/** Pixels. Name gets what is left. */
const widths = {
  tags: 101,
  status: 146,
  evaluations: 98,
  owner: 56,
  changed: 96,
  created: 91,
  type: 96,
  description: 240,
};
const checkWidth = 44;
const leastNameWidth = 200;
const leadWidth = 158;
const besideWidth = 84;
const barWidth = 75;
/** What is inside of a bar's column, and what a character of its head takes. */
const barHeadWidth = 66;
const characterWidth = 7.2;

export type ColumnId = keyof typeof widths;

export const columnNames: Readonly<Record<ColumnId, string>> = {
  tags: 'Tags',
  status: 'Status',
  evaluations: 'Evaluations',
  owner: 'Owner',
  changed: 'Changed',
  created: 'Created',
  type: 'Traffic type',
  description: 'Description',
};

const usual: readonly ColumnId[] = ['tags', 'status', 'evaluations', 'owner', 'changed'];
/** In the order in which they give way. */
const yielding: readonly ColumnId[] = ['description', 'created', 'type', 'tags', 'evaluations', 'owner'];
/** More bars than this are hard to read. */
const usualBars = 4;

/** What people chose, by column or `env:` and the name of an environment. */
export type ColumnChoices = Readonly<Record<string, boolean>>;

const storageKey = 'flag-columns';
const stored = noticesOf<ColumnChoices>(readChoices());
export const useColumnChoices = stored.use;

/** Remembered in this browser. */
export function chooseColumns(choices: ColumnChoices): void {
  localStorage.setItem(storageKey, JSON.stringify(choices));
  stored.set(choices);
}

function readChoices(): ColumnChoices {
  try {
    return (JSON.parse(localStorage.getItem(storageKey) ?? '{}') ?? {}) as ColumnChoices;
  } catch {
    return {};
  }
}

/** The environment that is shown with words: production, or else the last. The others: those closest to it first. */
export function ordered(environments: readonly Environment[]) {
  const lead = environments.find(({ production }) => production) ?? environments.at(-1);
  const distance = (one: Environment) => Math.abs(environments.indexOf(one) - (lead ? environments.indexOf(lead) : 0));
  const bars = environments.filter((one) => one !== lead).toSorted((one, other) => distance(one) - distance(other));
  return { lead, bars };
}

export const isWantedColumn = (id: ColumnId, choices: ColumnChoices): boolean => choices[id] ?? usual.includes(id);
export const isWantedBar = ({ name }: Environment, index: number, choices: ColumnChoices): boolean =>
  choices[`env:${name}`] ?? index < usualBars;

export interface ShownColumns {
  readonly columns: ReadonlySet<ColumnId>;
  readonly lead: Environment | undefined;
  /** As bars, those closest to production first. */
  readonly bars: readonly Environment[];
  /** Pixels by which each bar's column is wider, for the names in the heads. */
  readonly wider: number;
}

/** The wanted columns that fit. Name, status, production and the last change always do. */
export function shownColumns(
  width: number,
  environments: readonly Environment[],
  choices: ColumnChoices,
): ShownColumns {
  const { lead, bars: all } = ordered(environments);
  const bars = all.filter((environment, index) => isWantedBar(environment, index, choices));
  const columns = new Set((Object.keys(widths) as ColumnId[]).filter((id) => isWantedColumn(id, choices)));
  const taken = () =>
    checkWidth +
    leastNameWidth +
    (lead ? leadWidth : 0) +
    (bars.length > 0 ? besideWidth + (bars.length - 1) * barWidth : 0) +
    [...columns].reduce((sum, id) => sum + widths[id], 0);
  while (taken() > width && bars.length > 1) bars.pop();
  for (const id of yielding) if (taken() > width) columns.delete(id);
  if (taken() > width) bars.pop();
  const longest = Math.max(0, ...bars.map(({ name }) => name.length * characterWidth - barHeadWidth));
  // Names of flags keep half of what is left.
  const spare = Math.max(0, width - taken()) / 2 / Math.max(1, bars.length);
  return { columns, lead, bars, wider: Math.floor(Math.min(longest, spare)) };
}
