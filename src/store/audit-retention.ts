/**
 * Deletes old audit entries.
 *
 * Invariants
 * 1. The newest state of an existing object stays, however old it is: the next change refers to it.
 * 2. An entry that stays keeps its `before`: if it refers to a deleted entry, the state is copied into it.
 * 3. Recording and deleting both lock the entry that is referred to, so no reference dangles.
 */
import sql, { join } from 'sql-template-tag';
import type { Position, Reader, Tx } from './sql.ts';

/** True for one process only, until the lease expires, if the log was not processed since `before`. */
export async function claimRetention(tx: Tx, { before, leaseMs }: { before: number; leaseMs: number }) {
  const claimed = await tx.run(sql`
    update account set audit_claimed_until = ${tx.now + leaseMs}
     where audit_checked_at < ${before} and audit_claimed_until <= ${tx.now}`);
  return claimed > 0;
}

/** Whether a claim is worth trying. */
export const isRetentionDue = async (db: Reader, before: number): Promise<boolean> =>
  (await db.one(sql`
    select 1 from account where audit_checked_at < ${before} and audit_claimed_until <= ${db.clock()}`)) !== undefined;

export const extendRetentionClaim = (tx: Tx, leaseMs: number) =>
  tx.run(sql`update account set audit_claimed_until = ${tx.now + leaseMs}`);

export const saveRetentionDone = (tx: Tx) =>
  tx.run(sql`update account set audit_checked_at = ${tx.now}, audit_claimed_until = 0`);

/** How many entries were deleted so far. */
export async function findRemovedCount(db: Reader): Promise<number> {
  return (await db.one<{ removed: number }>(sql`select audit_removed as removed from account`))?.removed ?? 0;
}

export interface OldChange extends Position {
  readonly bytes: number;
  /** Whether it is the newest state of an existing object. */
  readonly stays: boolean | number;
}

/** Entries after the position that are older than `before`, oldest first. */
export const listOldChanges = (
  db: Reader,
  { at, id }: Position,
  { before, limit }: { before: number; limit: number },
) =>
  db.all<OldChange>(sql`
    select c.id, c.at, coalesce(octet_length(c.before_body), 0) + coalesce(octet_length(c.after_body), 0) as bytes,
           c.after_body is not null
           and not exists (
             select 1 from changes newer
              where newer.object_type = c.object_type and newer.object_id = c.object_id
                and coalesce(newer.environment_id, '') = coalesce(c.environment_id, '')
                and newer.after_body is not null and (newer.at, newer.id) > (c.at, c.id))
           and case c.object_type
             when 'definition' then exists (
               select 1 from definitions d where d.environment_id = c.environment_id and d.flag_id = c.object_id)
             when 'flag' then exists (select 1 from flags where id = c.object_id)
             when 'workspace' then exists (select 1 from projects where id = c.object_id)
             when 'restriction' then exists (select 1 from projects where id = c.object_id)
             when 'environment' then exists (select 1 from environments where id = c.object_id)
             when 'trafficType' then exists (select 1 from traffic_types where id = c.object_id)
             when 'user' then exists (select 1 from users where id = c.object_id)
             when 'group' then exists (select 1 from groups where id = c.object_id)
             when 'api_key' then exists (select 1 from api_keys where id = c.object_id)
             else true end as stays
      from changes c
     where (c.at, c.id) > (${at}, ${id}) and c.at < ${before}
     order by c.at, c.id limit ${limit}`);

/** Deletes the entries and returns how many. */
export async function deleteChanges(tx: Tx, ids: readonly string[], before: number): Promise<number> {
  const these = join([...ids]);
  await tx.all(sql`select id from changes where id in (${these}) order by id ${tx.lock}`);
  await tx.run(sql`
    update changes
       set before_body = (select p.after_body from changes p where p.id = changes.previous_id), previous_id = null
     where previous_id in (${these}) and id not in (${these})`);
  const deleted = await tx.run(sql`delete from changes where id in (${these})`);
  await tx.run(sql`
    update account
       set audit_removed = audit_removed + ${deleted},
           audit_removed_before = case when audit_removed_before < ${before} then ${before} else audit_removed_before end`);
  return deleted;
}
