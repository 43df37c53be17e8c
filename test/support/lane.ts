/**
 * Runs test files one after another in one process, as `lanes.ts` sends them: loading Burgee and its libraries takes
 * longer than the tests of most files. Each file is a suite, so its top-level `after` hooks run before the next file is
 * loaded.
 */
import { resolve } from 'node:path';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { dropDatabases } from './databases.ts';

export interface Task {
  readonly file: string;
  /** For the file as a whole, and for each of its tests. */
  readonly timeoutMs: number;
}

/** The next file is sent as soon as the tests of the last one are over, while its databases are still there. */
let cleanedUp: Promise<void> = Promise.resolve();
process.on('message', (task: Task) => {
  cleanedUp = cleanedUp.then(() => run(task));
});

async function run({ file, timeoutMs }: Task): Promise<void> {
  // While tests run, only they keep the process alive: a test that waits for nothing fails at once.
  process.channel?.unref();
  await suite(file, { timeout: timeoutMs }, async () => {
    await import(pathToFileURL(resolve(file)).href);
  });
  await dropDatabases();
  process.channel?.ref();
}

// After the last file, nothing may keep the process alive. If something does, it is named before `lanes.ts` gives up.
const namedAfterMs = 15_000;
process.on('disconnect', () => {
  setTimeout(
    () => process.stderr.write(`still open after the tests: ${process.getActiveResourcesInfo().join(', ')}\n`),
    namedAfterMs,
  ).unref();
});
