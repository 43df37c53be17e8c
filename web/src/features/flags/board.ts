/** The columns of the board: their order, and which are folded. */

import { defaultRolloutStatuses } from '#domain/default-rollout-statuses.ts';
import { equalJson } from '#domain/json.ts';
import type { RolloutStatus } from '#domain/rollout-statuses.ts';
import { noticesOf } from '../../state/notices.ts';

/** How a flag lives. The API lists the statuses that projects start with in another order. */
const lifecycle = [
  'Pre-Production',
  '0% in Production',
  'Internal Testing',
  'External Beta',
  'Ramping',
  'Experimenting',
  '100% Released',
  'Permanent',
  'Killed',
  'Removed from Code',
];

/** As the API lists them. */
const atFirst = defaultRolloutStatuses.map(({ name }) => name);

/** By the lifecycle, with statuses of the project's own last; in the project's order once people have chosen one. */
export function inBoardOrder(statuses: readonly RolloutStatus[]): readonly RolloutStatus[] {
  const names = statuses.map(({ name }) => name);
  const known = (order: readonly string[]) => order.filter((name) => names.includes(name));
  const own = names.filter((name) => !lifecycle.includes(name));
  if (!equalJson(names, [...known(atFirst), ...own])) return statuses;
  const order = [...known(lifecycle), ...own];
  return statuses.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

/** Days after which a flag has been in a status for long. */
const limits: Readonly<Record<string, number>> = {
  'Internal Testing': 30,
  'External Beta': 30,
  Ramping: 30,
  Experimenting: 60,
  '100% Released': 90,
};

export const isLong = (status: string, days: number): boolean => days > (limits[status] ?? Number.POSITIVE_INFINITY);

/** What people chose, by name of the status: it holds in every project. */
type Folds = Readonly<Record<string, boolean>>;

const storageKey = 'flag-board-folds';
const folds = noticesOf<Folds>(readFolds());
export const useFolds = folds.use;

/** Remembered in this browser. */
export function fold(next: Folds): void {
  localStorage.setItem(storageKey, JSON.stringify(next));
  folds.set(next);
}

function readFolds(): Folds {
  try {
    return (JSON.parse(localStorage.getItem(storageKey) ?? '{}') ?? {}) as Folds;
  } catch {
    return {};
  }
}

const usuallyOpen = 4;
const inProgress = lifecycle.slice(2, 7);

/** Open at first: rollouts in progress or done that have flags, then others until there are four. Returns names. */
export function usualColumns(statuses: readonly RolloutStatus[], countOf: (id: string) => number): ReadonlySet<string> {
  const withFlags = statuses.filter(({ id }) => countOf(id) > 0);
  const first = withFlags.filter(({ name }) => inProgress.includes(name));
  const some = [...new Set([...first, ...withFlags])].slice(0, Math.max(usuallyOpen, first.length));
  return new Set(some.map(({ name }) => name));
}
