/** How long is waited for a database that is away. All that one request asks shares one patience. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Ten seconds are promised to clients; this leaves some for the rest of the request. */
export const longestPatienceMs = 8_000;

const deadlines = new AsyncLocalStorage<number>();

/** Everything that `body` starts waits no longer than this in all. */
export const withPatience = <Result>(patienceMs: number, body: () => Result): Result =>
  deadlines.run(performance.now() + patienceMs, body);

/** Until when who asks now may wait; who is part of no request has a patience of its own. */
export const deadlineOfNow = (): number => deadlines.getStore() ?? performance.now() + longestPatienceMs;
