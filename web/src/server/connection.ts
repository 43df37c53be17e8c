/** Whether the server answers. Every call that finds it away says so here; from then on it is asked until it is back. */
import { getHealth } from '#contract/service.ts';
import { noticesOf } from '../state/notices.ts';
import type { ApiProblem } from './api-problem.ts';

const isAway = noticesOf(false);
const pauseMs = 1_500;
const backListeners = new Set<() => void>();

/** What a proxy answers for a server that is gone counts, too. */
export const isConnectionLost = ({ status }: ApiProblem): boolean => status === 0 || status === 502 || status === 504;

export const useIsAway = isAway.use;

export function connectionLost(): void {
  if (isAway.get()) return;
  isAway.set(true);
  void askUntilBack();
}

/** Calls the listener whenever the server answers again. */
export function onConnectionBack(listener: () => void): void {
  backListeners.add(listener);
}

async function askUntilBack(): Promise<void> {
  // The pause comes first: what answers here and nowhere else must not make all queries ask without end.
  do await new Promise((resolve) => setTimeout(resolve, pauseMs));
  while (!(await answers()));
  isAway.set(false);
  for (const listener of backListeners) listener();
}

const answers = (): Promise<boolean> =>
  fetch(getHealth.path, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
