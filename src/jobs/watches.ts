/**
 * Tells people of changes to flags that they watch. What they were not told of is in the database, written with the
 * changes themselves: of several nodes, the one that deletes the rows writes the mail, in the same transaction.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  detailsOf,
  maxToldChanges,
  sentenceOf,
  type ToldChange,
  type ToldFlag,
  watchMailKind,
} from '#domain/watches.ts';
import { listActivePeople } from '#store/approvals.ts';
import { findAdministratorsId } from '#store/groups.ts';
import { putMails } from '#store/outbox.ts';
import { housekeep, type Reader, type Store, type Tx } from '#store/sql.ts';
import {
  listDueWatchers,
  listNews,
  listNewsChanges,
  listReached,
  type News,
  type NewsChange,
  takeNews,
} from '#store/watches.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

const everyMs = 30_000;
const peopleAtOnce = 20;
const newsAtOnce = 5_000;
const maxNoteLength = 500;

export const startWatchMails = ({ store, log }: { store: Store; log: Logger }): PeriodicJob =>
  startPeriodicJob(everyMs, (signal) =>
    tellWatchers(store, signal).catch((error: unknown) =>
      log.error({ err: error }, 'telling people of flags that they watch failed; it is tried again'),
    ),
  );

export async function tellWatchers(store: Store, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const userIds = await listDueWatchers(store, peopleAtOnce);
    if (userIds.length === 0 || signal?.aborted) return;
    const news = await listNews(store, userIds, newsAtOnce);
    // Another node was quicker.
    if (news.length === 0) continue;
    const changes = await toldChanges(store, await onlySeen(store, news));
    const ids = [...new Set(news.map(({ changeId }) => changeId))];
    await housekeep(store, async (tx) => writeMails(tx, await takeNews(tx, userIds, ids), changes));
  }
}

interface Told {
  readonly change: NewsChange;
  readonly told: ToldChange;
}

/** In words, by id: the first changes of each person. Others get a turn in between, because states can be long. */
async function toldChanges(store: Store, news: readonly News[]): Promise<ReadonlyMap<string, Told>> {
  const first = [...Map.groupBy(news, ({ userId }) => userId).values()].flatMap((own) => own.slice(0, maxToldChanges));
  const found = new Map<string, Told>();
  for (const change of await listNewsChanges(store, [...new Set(first.map(({ changeId }) => changeId))])) {
    await nextTurn();
    found.set(change.id, { change, told: inWords(change) });
  }
  return found;
}

function inWords({ at, by, action, type, environment, note, before, after }: NewsChange): ToldChange {
  const hasBoth = before !== undefined && after !== undefined;
  const details = hasBoth ? detailsOf(type, JSON.parse(before), JSON.parse(after)) : [];
  return { at, by, what: sentenceOf(action, environment), details, note: note.slice(0, maxNoteLength) };
}

/** What is about projects that the person still sees. */
async function onlySeen(db: Reader, news: readonly News[]): Promise<News[]> {
  if (news.length === 0) return [];
  const userIds = [...new Set(news.map(({ userId }) => userId))];
  const projectIds = [...new Set(news.map(({ projectId }) => projectId))];
  const administratorsId = await findAdministratorsId(db);
  const reached = await listReached(db, { userIds, projectIds, administratorsId });
  const sees = new Set(reached.map(({ userId, projectId }) => `${userId} ${projectId}`));
  return news.filter(({ userId, projectId }) => sees.has(`${userId} ${projectId}`));
}

/** For those who are active and still see the project; the others hear nothing. */
async function writeMails(tx: Tx, taken: readonly News[], changes: ReadonlyMap<string, Told>): Promise<void> {
  const own = Map.groupBy(await onlySeen(tx, taken), ({ userId }) => userId);
  if (own.size === 0) return;
  const people = await listActivePeople(tx, [...own.keys()]);
  const mails = people.flatMap(({ id: userId, email, name }) => {
    const ids = (own.get(userId) ?? []).map(({ changeId }) => changeId).sort();
    const told = ids.flatMap((id) => changes.get(id) ?? []).slice(0, maxToldChanges);
    if (told.length === 0) return [];
    const mail = { kind: watchMailKind, email, name, flags: byFlag(told), more: ids.length - told.length } as const;
    return [{ id: randomUUID(), userId, mail }];
  });
  if (mails.length > 0) await putMails(tx, mails);
}

const byFlag = (told: readonly Told[]): ToldFlag[] =>
  [...Map.groupBy(told, ({ change }) => change.flag.id).values()].map((some) => {
    const { flag, project } = (some.at(-1) as Told).change;
    const isDeleted = some.some(({ change }) => change.action === 'flag.deleted');
    return { name: flag.name, project, isDeleted, changes: some.map((one) => one.told) };
  });
