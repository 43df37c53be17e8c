/** When changesets are applied. `due_at` is null unless a job is to apply the next step. */
import sql from 'sql-template-tag';
import type { Schedule } from '#domain/schedules.ts';
import type { Reader, Tx } from './sql.ts';

interface Row {
  readonly actor_type: string;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly local_time: string | null;
  readonly zone: string | null;
  readonly steps: string;
  readonly applied: string;
  readonly due_at: number | null;
  readonly paused_at: number | null;
  readonly left_ms: number | null;
}

const toSchedule = (row: Row): Schedule => ({
  by: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  ...(row.local_time === null || row.zone === null ? {} : { at: { time: row.local_time, zone: row.zone } }),
  steps: JSON.parse(row.steps) as Schedule['steps'],
  appliedAt: JSON.parse(row.applied) as number[],
  ...(row.due_at === null ? {} : { dueAt: row.due_at }),
  ...(row.paused_at === null ? {} : { pausedAt: row.paused_at }),
  ...(row.left_ms === null ? {} : { leftMs: row.left_ms }),
});

/** Whoever may see the changeset sees its schedule. */
export async function findSchedule(db: Reader, changesetId: string): Promise<Schedule | undefined> {
  const row = await db.one<Row>(sql`
    select actor_type, actor_id, actor_name, local_time, zone, steps, applied, due_at, paused_at, left_ms
      from changeset_schedules where changeset_id = ${changesetId}`);
  return row && toSchedule(row);
}

/** The changeset must be locked. */
export async function saveSchedule(tx: Tx, changesetId: string, schedule: Schedule): Promise<void> {
  const { by, at, steps, appliedAt, dueAt, pausedAt, leftMs } = schedule;
  await tx.run(sql`
    insert into changeset_schedules (changeset_id, actor_type, actor_id, actor_name, local_time, zone, steps, applied,
                                     due_at, paused_at, left_ms)
    values (${changesetId}, ${by.type}, ${by.id}, ${by.name}, ${at?.time ?? null}, ${at?.zone ?? null},
            ${JSON.stringify(steps)}, ${JSON.stringify(appliedAt)}, ${dueAt ?? null}, ${pausedAt ?? null},
            ${leftMs ?? null})
    on conflict (changeset_id) do update
       set actor_type = excluded.actor_type, actor_id = excluded.actor_id, actor_name = excluded.actor_name,
           local_time = excluded.local_time, zone = excluded.zone, steps = excluded.steps,
           applied = excluded.applied, due_at = excluded.due_at, paused_at = excluded.paused_at,
           left_ms = excluded.left_ms`);
}

/** Nothing more is due. */
export const endSchedule = (tx: Tx, changesetId: string) =>
  tx.run(sql`
    update changeset_schedules set due_at = null, paused_at = null, left_ms = null
     where changeset_id = ${changesetId}`);

export const deleteSchedule = (tx: Tx, changesetId: string) =>
  tx.run(sql`delete from changeset_schedules where changeset_id = ${changesetId}`);

/** A step that is to be applied. */
export interface DueStep {
  readonly changesetId: string;
  readonly dueAt: number;
}

/**
 * The first steps that are due or come next. A ramp that starts or goes on once it is approved is not among them before;
 * the time of a first step comes whether it is approved or not.
 */
export const listNextSteps = (db: Reader, limit: number): Promise<DueStep[]> =>
  db.all<DueStep>(sql`
    select s.changeset_id as "changesetId", s.due_at as "dueAt"
      from changeset_schedules s join changesets c on c.id = s.changeset_id
     where s.due_at is not null and (c.state = 'SCHEDULED'
            or c.state = 'SCHEDULE_REQUESTED' and s.local_time is not null and s.applied = '[]')
     order by s.due_at limit ${limit}`);

/** A first step whose time has not come. */
export interface TimedStep extends DueStep {
  readonly time: string;
  readonly zone: string;
}

/** In order of their ids, those after one. */
export const listTimedSteps = (db: Reader, after: string, limit: number): Promise<TimedStep[]> =>
  db.all<TimedStep>(sql`
    select changeset_id as "changesetId", due_at as "dueAt", local_time as time, zone
      from changeset_schedules
     where changeset_id > ${after} and local_time is not null and applied = '[]' and due_at is not null
     order by changeset_id limit ${limit}`);

/** Unless somebody has changed it meanwhile. */
export const moveTimedStep = (tx: Tx, { changesetId, dueAt }: DueStep, movedTo: number) =>
  tx.run(sql`
    update changeset_schedules set due_at = ${movedTo}
     where changeset_id = ${changesetId} and due_at = ${dueAt} and applied = '[]'`);

export interface DefinitionPlace {
  readonly projectId: string;
  readonly environmentId: string;
  readonly flagId: string;
}

const editsDefinition = ({ projectId, environmentId, flagId }: DefinitionPlace) => sql`
  c.project_id = ${projectId}
  and exists (select 1 from changeset_operations o
               where o.changeset_id = c.id and o.object_kind = 'definition' and o.object_id = ${flagId}
                 and o.environment_id = ${environmentId})`;

/** Ids of ramps that have begun to change the definition and are not over. Ordered first by what the index has first. */
export async function listRunningRamps(db: Reader, place: DefinitionPlace): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    select c.id from changesets c join changeset_schedules s on s.changeset_id = c.id
     where c.state in ('SCHEDULED', 'SCHEDULE_REQUESTED') and s.applied <> '[]' and ${editsDefinition(place)}
     order by c.state, c.created_at, c.id`);
  return rows.map(({ id }) => id);
}

/** Ids of changesets in a state that are going to change the definition, the newest first. */
export async function listScheduledFor(
  db: Reader,
  place: DefinitionPlace,
  { state, limit }: { readonly state: 'SCHEDULED' | 'SCHEDULE_REQUESTED'; readonly limit: number },
): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    select c.id from changesets c
     where c.state = ${state} and ${editsDefinition(place)}
     order by c.created_at desc, c.id desc limit ${limit}`);
  return rows.map(({ id }) => id);
}
