/**
 * Reminds owners of flags that can go, once a week, those who want it. What is due is in the database: a node that was
 * away catches up, and of several nodes the one that moves a person's time writes the mail, in the same transaction.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { CleanupFlag } from '#domain/cleanup.ts';
import {
  maxRemindedFlags,
  nextReminderAt,
  type RemindedGroup,
  type RemindedProject,
  remindedGroups,
  reminderKind,
} from '#domain/reminders.ts';
import type { Reference } from '#domain/schema.ts';
import { readCleanup } from '#store/cleanup.ts';
import { listEnvironments } from '#store/environments.ts';
import { findAdministratorsId } from '#store/groups.ts';
import { listProjects } from '#store/projects.ts';
import { type DuePerson, listDuePeople, listMembershipsOf, takeReminder } from '#store/reminders.ts';
import { reaches } from '#store/scope-filter.ts';
import { housekeep, type Reader, type Store } from '#store/sql.ts';
import { type PeriodicJob, startPeriodicJob } from './periodic.ts';

const everyMs = 15 * 60_000;
const peopleAtOnce = 200;
const projectsAtOnce = 100;
const everything = { kind: 'account' } as const;

export const startReminders = ({ store, log }: { store: Store; log: Logger }): PeriodicJob =>
  startPeriodicJob(everyMs, (signal) =>
    remindOwners(store, signal).catch((error: unknown) =>
      log.error({ err: error }, 'reminding owners of flags failed; it is tried again'),
    ),
  );

export async function remindOwners(store: Store, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const people = await listDuePeople(store, peopleAtOnce);
    if (people.length === 0 || signal?.aborted) return;
    const found = await flagsOf(store, people, signal);
    if (signal?.aborted) return;
    for (const { id: userId, email, name } of people) {
      const projects = found.get(userId);
      const mail = projects && ({ kind: reminderKind, email, name, projects } as const);
      await housekeep(store, (tx) =>
        takeReminder(tx, { userId, nextAt: nextReminderAt(tx.now), id: randomUUID() }, mail),
      );
    }
  }
}

/** By person, the flags that they own, alone or through a group, in projects that they may see. */
async function flagsOf(db: Reader, people: readonly DuePerson[], signal: AbortSignal | undefined) {
  const ids = people.map(({ id }) => id);
  const memberships = await listMembershipsOf(db, ids);
  const administratorsId = await findAdministratorsId(db);
  const peopleBehind = Map.groupBy(
    [
      ...ids.map((id) => ({ owner: id, id })),
      ...memberships.map(({ userId, groupId }) => ({ owner: groupId, id: userId })),
    ],
    ({ owner }) => owner,
  );
  const isAdministrator = new Set(
    memberships.filter(({ groupId }) => groupId === administratorsId).map(({ userId }) => userId),
  );
  const found = new Map<string, RemindedProject[]>();
  for await (const project of allProjects(db)) {
    if (signal?.aborted) break;
    const { flags } = await readCleanup(db, project.id, await listEnvironments(db, project.id, everything));
    const owned = new Map<string, Reminded[]>();
    for await (const some of flags) {
      for (const flag of some.filter(isReminded)) {
        const owners = new Set(flag.owners.flatMap(({ id }) => peopleBehind.get(id) ?? []).map(({ id }) => id));
        for (const id of owners) owned.set(id, [...(owned.get(id) ?? []), flag]);
      }
    }
    for (const [userId, some] of owned) {
      const scope = isAdministrator.has(userId) ? everything : ({ kind: 'member', userId } as const);
      if (!(await reaches(db, scope, project.id))) continue;
      found.set(userId, [...(found.get(userId) ?? []), toReminded(project, some)]);
    }
  }
  return found;
}

type Reminded = CleanupFlag & { readonly group: RemindedGroup };

const isReminded = (flag: CleanupFlag): flag is Reminded => (remindedGroups as readonly string[]).includes(flag.group);

function toReminded({ name }: Reference, flags: readonly Reminded[]): RemindedProject {
  const inOrder = flags.toSorted(
    (one, other) => remindedGroups.indexOf(one.group) - remindedGroups.indexOf(other.group),
  );
  const first = inOrder.slice(0, maxRemindedFlags);
  return { name, flags: first.map(({ name, group }) => ({ name, group })), total: flags.length };
}

async function* allProjects(db: Reader): AsyncGenerator<Reference> {
  const filter = { scope: everything, name: undefined, nameOp: 'IS', nameOrId: undefined } as const;
  for (let offset = 0; ; offset += projectsAtOnce) {
    const projects = await listProjects(db, { ...filter, offset, limit: projectsAtOnce });
    yield* projects;
    if (projects.length < projectsAtOnce) return;
  }
}
