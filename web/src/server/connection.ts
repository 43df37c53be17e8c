/** Whether the server responds. A failed call reports it here; from then on this polls until it is back. */
import { getHealth } from '#contract/service.ts';
import { noticesOf } from '../state/notices.ts';
import type { ApiProblem } from './api-problem.ts';

const isAway = noticesOf(false);
/** Whether the server announces changes (`live.ts`). */
export const isLive = noticesOf(false);
const pauseMs = 1_500;
const backListeners = new Set<() => void>();

/** Includes what a proxy returns for an unreachable server. */
export const isConnectionLost = ({ status }: ApiProblem): boolean => status === 0 || status === 502 || status === 504;

export const useIsAway = isAway.use;

export function connectionLost(): void {
  if (isAway.get()) return;
  isAway.set(true);
  void askUntilBack();
}

/** Calls the listener when the server is back. */
export function onConnectionBack(listener: () => void): void {
  backListeners.add(listener);
}

async function askUntilBack(): Promise<void> {
  // Pauses first, so that a server that answers only this request does not cause endless refetching.
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
