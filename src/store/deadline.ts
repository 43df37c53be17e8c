/** How long to wait for an unavailable database. All queries of a request share one deadline. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Clients are promised an answer within ten seconds; this leaves time for the rest of the request. */
export const maxWaitMs = 8_000;

const deadlines = new AsyncLocalStorage<number>();

/** Everything that `body` starts shares this deadline. */
export const withDeadline = <Result>(timeoutMs: number, body: () => Result): Result =>
  deadlines.run(performance.now() + timeoutMs, body);

/** The deadline of the current request. Outside a request, each call gets its own. */
export const currentDeadline = (): number => deadlines.getStore() ?? performance.now() + maxWaitMs;
