/** The audit log as a file: read page by page while the client reads it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { turnstile } from '#concurrency/turnstile.ts';
import type { Change } from '#domain/changes.ts';
import { type ChangeFilter, findBareChanges, findChanges, listChanges } from '#store/changes.ts';
import { maxWaitMs, withDeadline } from '#store/deadline.ts';
import { fitting } from '#store/paging.ts';
import { listPlaceNames } from '#store/scope-filter.ts';
import type { Position, Reader } from '#store/sql.ts';
import { FileReply } from './json-reply.ts';

type Wanted = Omit<ChangeFilter, 'after' | 'before' | 'offset' | 'limit'>;

export const changesFile = (db: Reader, wanted: Wanted, format: 'csv' | 'ndjson'): FileReply =>
  format === 'csv'
    ? new FileReply(csv(db, wanted), { type: 'text/csv', fileName: 'activity.csv' })
    : new FileReply(ndjson(db, wanted), { type: 'application/x-ndjson', fileName: 'activity.ndjson' });

async function* ndjson(db: Reader, wanted: Wanted): AsyncGenerator<string> {
  const pages = pagesOf(db, wanted, { bytes: maxParsedBytes, find: (ids) => findChanges(db, ids, wanted.scope) });
  for await (const changes of pages) yield changes.map((change) => `${JSON.stringify(change)}\n`).join('');
}

async function* csv(db: Reader, wanted: Wanted): AsyncGenerator<string> {
  const names = await listPlaceNames(db);
  yield row(Object.keys(columns));
  const pages = pagesOf(db, wanted, { bytes: Number.POSITIVE_INFINITY, find: (ids) => findBareChanges(db, ids) });
  for await (const changes of pages) {
    yield changes.map((change) => row(Object.values(columns).map((cell) => cell(change, names)))).join('');
  }
}

const columns: Readonly<Record<string, (change: Change, names: ReadonlyMap<string, string>) => string | undefined>> = {
  time: ({ createdAt }) => new Date(createdAt).toISOString(),
  action: ({ auditLogType }) => auditLogType,
  object: ({ object }) => object.name,
  project: ({ workspaceId = '' }, names) => names.get(workspaceId),
  environment: ({ environmentId = '' }, names) => names.get(environmentId),
  who: ({ editor }) => editor.name,
  title: ({ title }) => title,
  comment: ({ comment }) => comment,
  objectType: ({ object }) => object.type,
  objectId: ({ object }) => object.id,
  projectId: ({ workspaceId }) => workspaceId,
  environmentId: ({ environmentId }) => environmentId,
  whoType: ({ editor }) => editor.type,
  whoId: ({ editor }) => editor.id,
  transactionId: ({ transactionId }) => transactionId,
  id: ({ id }) => id,
};

const row = (cells: readonly (string | undefined)[]): string => `${cells.map(quoted).join(',')}\r\n`;

/** Spreadsheets run a cell that begins with one of these as a formula; an apostrophe makes it text. */
function quoted(text = ''): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const pageSize = 200;
/** Parsing a megabyte takes 10 ms. */
const maxParsedBytes = 1_048_576;

interface Reading {
  readonly bytes: number;
  readonly find: (ids: readonly string[]) => Promise<Change[]>;
}

/** SQLite reads without waiting: in each turn of the event loop, one of the files being made gets a page. */
const onePerTurn = turnstile(1);

/** Newest first. What the actor may see is checked again with each page, and each has its own deadline. */
async function* pagesOf(db: Reader, wanted: Wanted, { bytes, find }: Reading): AsyncGenerator<Change[]> {
  let after: Position | undefined;
  do {
    const page = { ...wanted, after, before: undefined, offset: 0, limit: pageSize };
    const { items, end } = await withDeadline(maxWaitMs, () => listChanges(db, page));
    const places = fitting(items, (item) => item.bytes, bytes);
    yield await withDeadline(maxWaitMs, () => find(places.map(({ id }) => id)));
    after = places.length === items.length && items.length < pageSize ? end : places.at(-1);
    await onePerTurn.pass(nextTurn);
  } while (after);
}
