/** Runs the matrix against servers with mutated access rules, each on a copy of the database. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { findAccount } from '#store/account.ts';
import { openStore } from '#store/open.ts';
import { createApp } from '../../src/app.ts';
import { callsTo } from './app.ts';
import { runMatrix, type Server } from './isolation-matrix.ts';
import type { DeclaredMutation } from './isolation-mutations.ts';
import { runSessions } from './isolation-sessions.ts';
import type { WrittenMutation } from './isolation-sources.ts';
import type { Principal, World } from './isolation-world.ts';
import { type RightsServer, type RightsWorld, runRights } from './rights-matrix.ts';

/** Where the database of the world is, and a folder for its copies. */
export interface Original<Of = World> {
  readonly file: string;
  readonly folder: string;
  readonly world: Of;
}

let copies = 0;
function copyOf({ file, folder }: Original<unknown>): string {
  copies += 1;
  const copy = join(folder, `copy-${copies}.db`);
  const database = new DatabaseSync(file);
  database.exec(`vacuum into '${copy}'`);
  database.close();
  return copy;
}

/** Whether the matrix notices. */
export async function notices(original: Original, mutation: DeclaredMutation): Promise<boolean> {
  const restore = mutation.apply();
  try {
    return await failsOn(copyOf(original), original.world, {
      at: mutation.at,
      as: ({ role }) => mutation.role === undefined || role === mutation.role,
    });
  } finally {
    restore();
  }
}

/** The same in a process of its own, which reads the one source with the mutation. */
export async function noticesWritten(
  original: Original<World | RightsWorld>,
  mutation: WrittenMutation,
): Promise<boolean> {
  const copy = copyOf(original);
  const task = `${copy}.json`;
  writeFileSync(task, JSON.stringify({ copy, world: original.world, mutation }));
  const script = fileURLToPath(new URL('./isolation-mutant.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, task]);
  return stdout.trim() === 'noticed';
}

export interface Asked {
  /** One endpoint only, by its name in the contract, or those that need a permission. */
  readonly at: string | undefined;
  readonly as?: (principal: Principal) => boolean;
}

/**
 * Whether anything is wrong with the answers of a server on this database. One that does not even start is no mutant
 * of a rule of access: its error goes on to the caller.
 */
export const failsOn = (file: string, world: World, asked: Asked): Promise<boolean> =>
  isWrongOn(file, world.adminKey, (server) => isWrongAt(server, world, asked));

/** The same for who is on which list, at the endpoints of one part of the contract or at all. */
export const failsOnLists = (file: string, world: RightsWorld, part: string): Promise<boolean> =>
  isWrongOn(file, world.adminKey, (server) =>
    runRights(server, world, { untilFailure: true, ...(part === 'all' ? {} : { part }) }).then(
      ({ failures }) => failures.length > 0,
      () => true,
    ),
  );

async function isWrongOn(
  file: string,
  adminKey: string,
  isWrongWith: (server: RightsServer) => Promise<boolean>,
): Promise<boolean> {
  const store = await openStore({ databaseUrl: `file:${file}`, databasePool: 1 });
  try {
    const account = await findAccount(store);
    if (!account) throw new Error('this is no database of ours');
    const app = await createApp({ store, account, log: pino({ level: 'silent' }) });
    await app.ready();
    const isWrong = await isWrongWith({ store, app, ...callsTo(app, adminKey) });
    await app.close();
    return isWrong;
  } finally {
    await store.close();
  }
}

/** Errors count as wrong, since the matrix throws where an answer lets it not go on. */
async function isWrongAt(server: Server, world: World, { at, as = () => true }: Asked): Promise<boolean> {
  const [part, name] = at?.split('.') ?? [];
  try {
    const ofSessions = part === 'sessions' || part === 'accounts' ? await runSessions(server, world, name) : undefined;
    const { failures } = await runMatrix(server, world, {
      endpoints: (tried) => at === undefined || tried.name === at || tried.needs === at,
      principals: as,
      untilFailure: true,
    });
    return failures.length > 0 || (ofSessions?.failures.length ?? 0) > 0;
  } catch {
    return true;
  }
}
