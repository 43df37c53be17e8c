/**
 * Databases for tests: SQLite in a temporary folder or, if `test/run.ts` says so, PostgreSQL. Each is real, new, and
 * deleted after the tests of the file.
 */
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { Client } from 'pg';
import { raw } from 'sql-template-tag';
import type { Database } from '#store/open.ts';
import { connectionTo } from '#store/postgres/query.ts';
import type { Reader } from '#store/sql.ts';

/** The URL of the server's database `postgres`, when the tests run on PostgreSQL. */
export const serverVariable = 'BURGEE_TEST_POSTGRES';
/** Has the schema; databases of tests are copies of it. The name of a database on that server, or a SQLite file. */
export const templateVariable = 'BURGEE_TEST_TEMPLATE';

const server = process.env[serverVariable];
const template = process.env[templateVariable];

/** Half the work of copying through the log. A server that was given may be too old for it. */
const strategy = process.env.TEST_POSTGRES_URL ? '' : ' strategy file_copy';

/** For tests about what only one of the databases has. */
export const onPostgres = server !== undefined;
export const onlySqlite = { skip: onPostgres ? 'this is about the file of SQLite' : false };
export const onlyPostgres = { skip: onPostgres ? false : 'this is about PostgreSQL' };

interface NewDatabase {
  readonly empty?: boolean;
  readonly copyOf?: string;
}

/** A new empty folder that is gone after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** With the schema, or without anything where `empty` is asked for, or a copy of another that nobody has open. */
export async function newDatabase({ empty = false, copyOf }: NewDatabase = {}): Promise<Database> {
  if (server === undefined) {
    const file = join(temporaryFolder(), 'burgee.db');
    if (copyOf !== undefined) copyFileSync(copyOf.slice('file:'.length), file);
    else if (!empty) copyTemplate(file);
    return { databaseUrl: `file:${file}`, databasePool: 1 };
  }
  const name = `burgee_test_${randomBytes(8).toString('hex')}`;
  const source = copyOf === undefined ? template : new URL(copyOf).pathname.slice(1);
  await command(server, `create database ${name} template ${empty || !source ? 'template0' : source}${strategy}`);
  created.push(name);
  return { databaseUrl: databaseUrl(server, name), databasePool: 5 };
}

/** Not yet deleted, on PostgreSQL. */
const created: string[] = [];

/**
 * For `lane.ts`, after the hooks of a file: a server whose database is dropped before the server is stopped tries to
 * reach it for eight seconds.
 */
export async function dropDatabases(): Promise<void> {
  if (server === undefined) return;
  await withClient(server, async (client) => {
    for (const name of created.splice(0)) await client.query(`drop database ${name} with (force)`);
  });
}

/** Gives a new SQLite file the schema. Without a template, whoever opens it does. */
export function copyTemplate(file: string): void {
  if (template !== undefined) copyFileSync(template, file);
}

/** The same server, another database. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** One statement that is not part of a transaction, on a connection of its own. */
export const command = (url: string, statement: string): Promise<Record<string, unknown>[]> =>
  withClient(url, async (client) => (await client.query(statement)).rows);

async function withClient<Result>(url: string, body: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ ...connectionTo(url), application_name: 'test' });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}

/** The names of the tables, in order. */
export const tablesOf = async (db: Reader): Promise<string[]> =>
  (await db.all<{ name: string }>(raw(tablesQuery))).map(({ name }) => name);

export const tablesQuery = onPostgres
  ? `select tablename as name from pg_tables where schemaname = 'public' order by tablename collate "C"`
  : `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`;
