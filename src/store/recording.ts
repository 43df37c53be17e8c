/**
 * Recording changes. `changes.ts` says what must hold for the entries, and finds them.
 */

import sql, { bulk } from 'sql-template-tag';
import type { Change, ObjectType } from '#domain/changes.ts';
import { hourMs } from '#domain/durations.ts';
import { toJsonText } from '#domain/json.ts';
import type { Tx } from './sql.ts';

export interface NewChange {
  readonly id: string;
  readonly at: number;
  readonly transactionId: string;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly action: string;
  readonly object: { readonly type: ObjectType; readonly id: string; readonly name: string };
  readonly projectId: string | undefined;
  readonly environmentId: string | undefined;
  readonly title: string | undefined;
  readonly comment: string | undefined;
  readonly before: unknown;
  readonly after: unknown;
  /** The changeset that it is part of. */
  readonly changesetId: string | undefined;
  readonly withoutApproval: Change['withoutApproval'];
}

/**
 * Writes entries about different objects. The objects must be locked, so that nobody else records a state of them at the
 * same time. `before` is stored only if no entry has that state, which happens if a change to something else affected
 * the object. The newest entry with a state of an object is locked, so that it is not deleted before the new entry
 * refers to it.
 */
export async function insertChanges(tx: Tx, changes: readonly NewChange[]): Promise<void> {
  await tx.run(sql`
    with given (id, at, transaction_id, actor_type, actor_id, actor_name, action, object_type, object_id, object_name,
                project_id, environment_id, title, comment, before_body, after_body, changeset_id, without_approval) as (
      values ${bulk(changes.map(valuesOf))}),
    last as (
      select given.id as given_id, changes.id, changes.after_body = given.before_body as is_same
        from given join changes on changes.id = (
          select id from changes
           where object_type = given.object_type and object_id = given.object_id
             and coalesce(environment_id, '') = coalesce(given.environment_id, '') and after_body is not null
           order by at desc, id desc limit 1)
       ${tx.keep})
    insert into changes (id, at, transaction_id, actor_type, actor_id, actor_name, action, object_type, object_id,
                         object_name, project_id, environment_id, title, comment, before_body, after_body, changeset_id,
                         without_approval, previous_id)
    select given.id, ${inOrder}, given.transaction_id, given.actor_type, given.actor_id, given.actor_name, given.action,
           given.object_type, given.object_id, given.object_name, given.project_id, given.environment_id, given.title,
           given.comment, case when last.is_same then null else given.before_body end, given.after_body,
           given.changeset_id, given.without_approval, case when last.is_same then last.id end
      from given left join last on last.given_id = given.id`);
}

const valuesOf = (change: NewChange) => [
  change.id,
  change.at,
  change.transactionId,
  change.actor.type,
  change.actor.id,
  change.actor.name,
  change.action,
  change.object.type,
  change.object.id,
  change.object.name,
  change.projectId ?? null,
  change.environmentId ?? null,
  change.title ?? null,
  change.comment ?? null,
  jsonOrNull(change.before),
  jsonOrNull(change.after),
  change.changesetId ?? null,
  change.withoutApproval ?? null,
];

/**
 * The time of the entry, but later than earlier entries about the same object if the clock went back. Entries with the
 * same id in other environments count too, so that one index lookup is enough. PostgreSQL takes given values for text.
 */
const givenAt = sql`cast(given.at as bigint)`;
const inOrder = sql`
  coalesce((select case when at > ${givenAt} then at + 1 else ${givenAt} end from changes
             where object_id = given.object_id order by at desc limit 1), ${givenAt})`;

/**
 * At most this many entries of one kind about one object in this time; further ones are counted in the newest.
 * Concurrent transactions do not see each other's entries, so there can be a few more.
 */
const repeatMs = hourMs;
const maxAlike = 10;

/** Counts a repeated change. False if it needs its own entry. */
export async function saveRepeat(tx: Tx, { action, object, actor }: Pick<NewChange, 'action' | 'object' | 'actor'>) {
  const alike = await tx.all<{ id: string }>(sql`
    select id from changes
     where object_id = ${object.id} and action = ${action} and actor_type = ${actor.type} and at > ${tx.now - repeatMs}
     order by at desc, id desc limit ${maxAlike}`);
  const [newest] = alike;
  if (!newest || alike.length < maxAlike) return false;
  return (await tx.run(sql`update changes set repeats = repeats + 1 where id = ${newest.id}`)) > 0;
}

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : toJsonText(value));
