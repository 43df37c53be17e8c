import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { recordMailTest, saveServerSettings } from '#commands/server.ts';
import * as contract from '#contract/server.ts';
import type { Actor } from '#domain/access.ts';
import { Problem } from '#domain/problems.ts';
import type { Disk, ServerState } from '#domain/server.ts';
import { findBackupFailure, findLastBackup } from '#store/backup-claims.ts';
import { measureOutbox } from '#store/outbox.ts';
import { findServerSettings, listNodes } from '#store/server.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';

/** What environment variables say, as far as an administrator needs it. */
export interface Surroundings {
  readonly database: ServerState['database']['system'];
  /** The folder of the SQLite file. */
  readonly databaseFolder?: string | undefined;
  readonly mail?: { readonly host: string; readonly from: string } | undefined;
  /** Resolves to what the mail server said; rejects with why the mail was not taken. */
  readonly sendTestMail?: ((email: string) => Promise<string>) | undefined;
  readonly backups?: { readonly folder: string; readonly at: number; readonly keep: number } | undefined;
}

const startedAt = Math.round(performance.timeOrigin);

export const server = (db: Reader, version: string, surroundings: Surroundings) =>
  implement(contract, {
    getServer: async () => {
      const askedAt = performance.now();
      const settings = await findServerSettings(db);
      const milliseconds = Math.ceil(performance.now() - askedAt);
      const { waiting = 0, givenUp = 0, waitingSince } = (await measureOutbox(db)) ?? {};
      const nodes = await listNodes(db);
      const thisOne = { host: hostname(), version, startedAt, seenAt: db.clock() };
      const { database: system, databaseFolder, mail, backups } = surroundings;
      return {
        version,
        settings,
        database: { system, milliseconds },
        disks: await disksOf([databaseFolder, backups?.folder]),
        nodes: nodes.length > 0 ? nodes.sort((one, other) => one.startedAt - other.startedAt) : [thisOne],
        outbox: { waiting, givenUp, ...(typeof waitingSince === 'number' ? { waitingSince } : {}) },
        ...(mail ? { mail } : {}),
        ...(backups ? { backups: await backupsOf(db, backups) } : {}),
      };
    },
    saveServerSettings: async ({ context, body }) => saveServerSettings(context, body),
    testMail: async ({ context, actor, body }) => {
      const email = body.email ?? ownAddress(actor);
      await recordMailTest(context, email);
      return { email, ...(await tryMail(surroundings, email)) };
    },
  });

function ownAddress({ type, name }: Actor): string {
  if (type === 'user') return name;
  throw new Problem('request_invalid', { complaints: ['A key has no address: email is needed'] });
}

async function tryMail({ sendTestMail }: Surroundings, email: string) {
  if (!sendTestMail) return { accepted: false, answer: 'No mail server is configured: SMTP_URL is not set.' };
  try {
    return { accepted: true, answer: await sendTestMail(email) };
  } catch (error) {
    return { accepted: false, answer: (error as Error).message };
  }
}

async function backupsOf(db: Reader, { folder, at, keep }: NonNullable<Surroundings['backups']>) {
  const lastAt = await findLastBackup(db);
  const failure = await findBackupFailure(db);
  return {
    folder,
    dueAt: new Date(at).toISOString().slice(11, 16),
    keep,
    ...(lastAt === undefined ? {} : { lastAt }),
    ...(failure ? { failedAt: failure.at, error: failure.error } : {}),
  };
}

/** A folder that does not exist yet, or cannot be read, is left out: the backup itself reports that. */
async function disksOf(folders: readonly (string | undefined)[]): Promise<Disk[]> {
  const disks: Disk[] = [];
  for (const path of new Set(folders)) {
    const found = path === undefined ? undefined : await statfs(path).catch(() => undefined);
    if (path === undefined || !found) continue;
    disks.push({ path, freeBytes: found.bavail * found.bsize, totalBytes: found.blocks * found.bsize });
  }
  return disks;
}
