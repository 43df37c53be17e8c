/**
 * Mails people about changes to flags that they watch. Changes not mailed yet are rows, written in the transaction of
 * the change. If there are several nodes, the one that deletes the rows writes the mail, in one transaction.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  detailsOf,
  type MailedChange,
  type MailedFlag,
  maxMailedChanges,
  sentenceOf,
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
    mailWatchers(store, signal).catch((error: unknown) =>
      log.error({ err: error }, 'mails about watched flags failed; will retry'),
    ),
  );

export async function mailWatchers(store: Store, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const userIds = await listDueWatchers(store, peopleAtOnce);
    if (userIds.length === 0 || signal?.aborted) return;
    const news = await listNews(store, userIds, newsAtOnce);
    // Another node has taken them.
    if (news.length === 0) continue;
    const changes = await describeChanges(store, await onlySeen(store, news));
    const ids = [...new Set(news.map(({ changeId }) => changeId))];
    await housekeep(store, async (tx) => writeMails(tx, await takeNews(tx, userIds, ids), changes));
  }
}

interface Described {
  readonly change: NewsChange;
  readonly words: MailedChange;
}

/** The first changes of each person in words, by id. Yields between changes, because states can be long. */
async function describeChanges(store: Store, news: readonly News[]): Promise<ReadonlyMap<string, Described>> {
  const first = [...Map.groupBy(news, ({ userId }) => userId).values()].flatMap((own) =>
    own.slice(0, maxMailedChanges),
  );
  const found = new Map<string, Described>();
  for (const change of await listNewsChanges(store, [...new Set(first.map(({ changeId }) => changeId))])) {
    await nextTurn();
    found.set(change.id, { change, words: inWords(change) });
  }
  return found;
}

function inWords({ at, by, action, type, environment, note, before, after }: NewsChange): MailedChange {
  const hasBoth = before !== undefined && after !== undefined;
  const details = hasBoth ? detailsOf(type, JSON.parse(before), JSON.parse(after)) : [];
  return { at, by, what: sentenceOf(action, environment), details, note: note.slice(0, maxNoteLength) };
}

/** Only news about projects that the person still sees. */
async function onlySeen(db: Reader, news: readonly News[]): Promise<News[]> {
  if (news.length === 0) return [];
  const userIds = [...new Set(news.map(({ userId }) => userId))];
  const projectIds = [...new Set(news.map(({ projectId }) => projectId))];
  const administratorsId = await findAdministratorsId(db);
  const reached = await listReached(db, { userIds, projectIds, administratorsId });
  const sees = new Set(reached.map(({ userId, projectId }) => `${userId} ${projectId}`));
  return news.filter(({ userId, projectId }) => sees.has(`${userId} ${projectId}`));
}

/** For people who are active and still see the project. */
async function writeMails(tx: Tx, taken: readonly News[], changes: ReadonlyMap<string, Described>): Promise<void> {
  const own = Map.groupBy(await onlySeen(tx, taken), ({ userId }) => userId);
  if (own.size === 0) return;
  const people = await listActivePeople(tx, [...own.keys()]);
  const mails = people.flatMap(({ id: userId, email, name }) => {
    const ids = (own.get(userId) ?? []).map(({ changeId }) => changeId).sort();
    const described = ids.flatMap((id) => changes.get(id) ?? []).slice(0, maxMailedChanges);
    if (described.length === 0) return [];
    const mail = {
      kind: watchMailKind,
      email,
      name,
      flags: byFlag(described),
      more: ids.length - described.length,
    } as const;
    return [{ id: randomUUID(), userId, mail }];
  });
  if (mails.length > 0) await putMails(tx, mails);
}

const byFlag = (described: readonly Described[]): MailedFlag[] =>
  [...Map.groupBy(described, ({ change }) => change.flag.id).values()].map((some) => {
    const { flag, project } = (some.at(-1) as Described).change;
    const isDeleted = some.some(({ change }) => change.action === 'flag.deleted');
    return { name: flag.name, project, isDeleted, changes: some.map((one) => one.words) };
  });
