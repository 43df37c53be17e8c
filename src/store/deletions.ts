/** What was deleted, from the entries of its deletion in the audit log. */
import sql, { type Sql } from 'sql-template-tag';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import { findChanges } from './changes.ts';
import type { Reader } from './sql.ts';

/** A flag as it was when it was deleted, and its definitions by environment. */
export interface FlagDeletion {
  readonly at: number;
  readonly flag: unknown;
  readonly definitions: ReadonlyMap<string, unknown>;
}

interface InEnvironment {
  readonly environment: { readonly id: string };
}

/** Nothing happens to what is deleted, so the entries of its deletion are its newest: one for each environment. */
const maxDeletionEntries = 1_000;

interface DeletedObject {
  readonly projectId: string;
  readonly objectId: string;
  /** Which entries show whether it exists. */
  readonly tells: Sql;
  readonly deleted: string;
  /** The entries of the same transaction for each environment. */
  readonly inEnvironment: string;
}

/** What the entries of its deletion have. Undefined if it exists, or the log has no entry of its deletion. */
async function findDeletionOf(db: Reader, { projectId, objectId, tells, deleted, inEnvironment }: DeletedObject) {
  const newest = sql`
    select id, at, action, transaction_id from changes where project_id = ${projectId} and object_id = ${objectId}
     order by at desc, id desc limit ${maxDeletionEntries}`;
  const last = await db.one<{ at: number; action: string; transaction_id: string }>(sql`
    select at, action, transaction_id from (${newest}) n where ${tells} order by at desc, id desc limit 1`);
  if (last?.action !== deleted) return undefined;
  const rows = await db.all<{ action: string; environmentId: string | null; body: string }>(sql`
    select c.action, c.environment_id as "environmentId", coalesce(c.before_body, p.after_body) as body
      from (${newest}) n join changes c on c.id = n.id left join changes p on p.id = c.previous_id
     where n.transaction_id = ${last.transaction_id} and n.action in (${deleted}, ${inEnvironment})`);
  const whole = rows.find(({ action }) => action === deleted);
  return whole && { at: last.at, body: whole.body, rest: rows.filter(({ action }) => action === inEnvironment) };
}

/** Undefined if the flag exists, or the log has no entry of its deletion. */
export async function findFlagDeletion(
  db: Reader,
  projectId: string,
  flagId: string,
): Promise<FlagDeletion | undefined> {
  const found = await findDeletionOf(db, {
    projectId,
    objectId: flagId,
    deleted: 'flag.deleted',
    inEnvironment: 'definition.deleted',
    tells: sql`action like 'flag.%'`,
  });
  if (!found) return undefined;
  // Entries of 0.1.0 have the definitions inside.
  const { definitions: inside = [], ...deleted } = JSON.parse(found.body) as { definitions?: InEnvironment[] };
  const definitions = [...inside, ...found.rest.map(({ body }) => JSON.parse(body) as InEnvironment)];
  const byEnvironment = new Map(definitions.map((one) => [one.environment.id, one]));
  return { at: found.at, flag: deleted, definitions: byEnvironment };
}

/** A segment as it was when it was deleted, and what it had by environment: rules, if it is rule-based. */
export interface SegmentDeletion {
  readonly at: number;
  readonly segment: unknown;
  readonly places: ReadonlyMap<string, Partial<SegmentRules>>;
}

/** Undefined if the segment exists, or the log has no entry of its deletion. */
export async function findSegmentDeletion(
  db: Reader,
  projectId: string,
  segmentId: string,
): Promise<SegmentDeletion | undefined> {
  const found = await findDeletionOf(db, {
    projectId,
    objectId: segmentId,
    deleted: 'segment.deleted',
    inEnvironment: 'segment.deactivated',
    tells: sql`action in ('segment.created', 'segment.undeleted', 'segment.deleted')`,
  });
  if (!found) return undefined;
  const places = found.rest.map(({ environmentId, body }): [string, Partial<SegmentRules>] => [
    environmentId ?? '',
    JSON.parse(body),
  ]);
  return { at: found.at, segment: JSON.parse(found.body), places: new Map(places) };
}

/** How many of a flag's newest entries are read for the last one of an environment. */
const maxEntriesOfFlag = 5_000;

/** A definition as it was when it was deleted. Undefined if its last entry in this environment is another one. */
export async function findDeletedDefinition(
  db: Reader,
  projectId: string,
  { flagId, environmentId }: { readonly flagId: string; readonly environmentId: string },
): Promise<unknown> {
  const last = await db.one<{ id: string; action: string }>(sql`
    select id, action from (
      select id, at, action, environment_id from changes where project_id = ${projectId} and object_id = ${flagId}
       order by at desc, id desc limit ${maxEntriesOfFlag}) newest
     where environment_id = ${environmentId} order by at desc, id desc limit 1`);
  if (last?.action !== 'definition.deleted') return undefined;
  const [entry] = await findChanges(db, [last.id], { kind: 'account' });
  return entry?.before;
}
