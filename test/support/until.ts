import { setTimeout as pause } from 'node:timers/promises';

/** Waits until it holds, checking every 20 ms, for far longer than most things take. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { timeoutMs } = { timeoutMs: 60_000 },
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await pause(20);
  }
}
