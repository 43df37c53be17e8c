/** What nodes tell each other about connected SDKs, while someone looks at it. */
import sql from 'sql-template-tag';
import type { Reader, Tx } from './sql.ts';

/** Not if the environment was deleted. */
export const saveSdkWatch = (tx: Tx, environmentId: string, watchedUntil: number) =>
  tx.run(sql`
    insert into sdk_watches (environment_id, watched_until)
    select id, ${watchedUntil} from environments where id = ${environmentId}
    on conflict (environment_id) do update set watched_until = excluded.watched_until`);

/** The environments that someone looks at on any node. */
export async function listWatchedEnvironments(db: Reader): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    select environment_id as id from sdk_watches where watched_until > ${db.clock()} limit 1000`);
  return rows.map(({ id }) => id);
}

/** Not if the environment was deleted. */
export const saveSdkSighting = (
  tx: Tx,
  { environmentId, node, content }: { environmentId: string; node: string; content: string },
) =>
  tx.run(sql`
    insert into sdk_sightings (environment_id, node, written_at, content)
    select id, ${node}, ${tx.now}, ${content} from environments where id = ${environmentId}
    on conflict (environment_id, node) do update set written_at = excluded.written_at, content = excluded.content`);

/** Of the other nodes that still write theirs. */
export async function listSdkSightings(
  db: Reader,
  { environmentId, exceptNode, since }: { environmentId: string; exceptNode: string; since: number },
): Promise<string[]> {
  const rows = await db.all<{ content: string }>(sql`
    select content from sdk_sightings
     where environment_id = ${environmentId} and node <> ${exceptNode} and written_at > ${since} limit 100`);
  return rows.map(({ content }) => content);
}

/** Whether there are any; a read is cheaper than a write. */
export async function hasOldSdkSightings(db: Reader, before: number): Promise<boolean> {
  return (await db.one(sql`select 1 from sdk_sightings where written_at < ${before} limit 1`)) !== undefined;
}

export async function deleteOldSdkSightings(tx: Tx, before: number): Promise<void> {
  await tx.run(sql`delete from sdk_sightings where written_at < ${before}`);
  await tx.run(sql`delete from sdk_watches where watched_until < ${before}`);
}
