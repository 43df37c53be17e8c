/** Summaries of definitions for lists, stored beside the definition and written in the same transaction. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql, { join } from 'sql-template-tag';
import { parseStored } from '#domain/definitions/definition.ts';
import { referencesOf } from '#domain/definitions/references.ts';
import type { SummarizedDefinition } from '#domain/definitions/summary.ts';
import type { Reference } from '#domain/schema.ts';
import { findStoredDefinition, saveSummaries, summaryOf } from './definitions.ts';
import { fitting } from './paging.ts';
import { saveReferences } from './references.ts';
import { inChunks, type Reader, type Store, type Tx } from './sql.ts';

/** In bytes. A summary is larger only if a definition has hundreds of treatments; those are read one by one. */
const smallSummary = 4_096;
/** How many definitions one statement looks up: about 3 ms on SQLite, with what is done with them. */
const maxPlaces = 200;

export interface FlagSummaries {
  readonly flagId: string;
  readonly summaries: AsyncIterable<SummarizedDefinition>;
}

/** The summaries of the flags in the environments, ordered by flag, then by environment. */
export async function* listSummaries(
  db: Reader,
  flagIds: readonly string[],
  environments: readonly Reference[],
): AsyncGenerator<FlagSummaries> {
  const many = Math.max(1, Math.floor(maxPlaces / Math.max(1, environments.length)));
  for (const some of inChunks(flagIds, many)) {
    const byFlag = Map.groupBy(await listSummaryRows(db, some, environments), (row) => row.flag_id);
    for (const flagId of some) yield { flagId, summaries: inOrder(db, byFlag.get(flagId) ?? [], environments) };
    // SQLite reads without waiting.
    await nextTurn();
  }
}

interface SummaryRow {
  readonly environment_id: string;
  readonly flag_id: string;
  /** Null if it is missing, outdated or large. */
  readonly summary: string | null;
  readonly updated_at: number;
}

/** A change number is used once in an environment, so an index lookup tells whether it is the latest. */
const isCurrent = sql`exists (
  select 1 from definitions now where now.environment_id = s.environment_id and now.change_number = s.change_number)`;

const listSummaryRows = (db: Reader, flagIds: readonly string[], environments: readonly Reference[]) =>
  db.all<SummaryRow>(sql`
    select place.environment_id, place.flag_id, s.summary, s.updated_at
      from definitions place
      left join definition_summaries s on s.environment_id = place.environment_id and s.flag_id = place.flag_id
        and octet_length(s.summary) <= ${smallSummary} and ${isCurrent}
     where place.flag_id in (${join([...flagIds])})
       and place.environment_id in (${join(['', ...environments.map(({ id }) => id)])})`);

async function* inOrder(
  db: Reader,
  rows: readonly SummaryRow[],
  environments: readonly Reference[],
): AsyncGenerator<SummarizedDefinition> {
  const byEnvironment = new Map(rows.map((row) => [row.environment_id, row]));
  for (const environment of environments) {
    const row = byEnvironment.get(environment.id);
    if (!row) continue;
    const { summary, updated_at: lastUpdateTime } = row;
    const found = summary === null ? await findSummary(db, environment, row.flag_id) : { summary, lastUpdateTime };
    if (found) yield { environment, ...found };
  }
}

/** A large summary, or one that must be computed from the definition. */
async function findSummary(db: Reader, environment: Reference, flagId: string) {
  const row = await db.one<{ summary: string; updated_at: number }>(sql`
    select summary, updated_at from definition_summaries s
     where s.environment_id = ${environment.id} and s.flag_id = ${flagId} and ${isCurrent}`);
  if (row) return { summary: row.summary, lastUpdateTime: row.updated_at };
  const definition = await findStoredDefinition(db, environment, flagId);
  return (
    definition && {
      summary: JSON.stringify(summaryOf(parseStored(definition))),
      lastUpdateTime: definition.lastUpdateTime,
    }
  );
}

/** How much one transaction reads; other writers wait for it. */
const maxSummarizedBytes = 1_048_576;

/**
 * Runs at each start: writes missing and outdated summaries, and the references of the same definitions. They predate
 * summaries or were changed by a node of the previous release.
 */
export async function completeSummaries(store: Store): Promise<void> {
  let last: PlaceRow = { environment_id: '', flag_id: '' };
  for (;;) {
    const found = await store.all<PlaceRow & { bytes: number }>(sql`
      select d.environment_id, d.flag_id, octet_length(d.targeting) as bytes from definitions d
       where (d.environment_id, d.flag_id) > (${last.environment_id}, ${last.flag_id})
         and not exists (select 1 from definition_summaries s
                          where s.environment_id = d.environment_id and s.flag_id = d.flag_id and ${isCurrent}
                            and s.listed_change = s.change_number)
       order by d.environment_id, d.flag_id limit 100`);
    const places = fitting(found, ({ bytes }) => bytes, maxSummarizedBytes);
    const end = places.at(-1);
    if (!end) return;
    last = end;
    await store.write(async (tx) => {
      for (const place of places) await completeSummary(tx, place);
    });
  }
}

/** Locks the definition. */
async function completeSummary(tx: Tx, { environment_id: id, flag_id: flagId }: PlaceRow): Promise<void> {
  await tx.one(sql`
    select 1 from definitions where environment_id = ${id} and flag_id = ${flagId} ${tx.lock}`);
  const definition = await findStoredDefinition(tx, { id, name: '' }, flagId);
  if (!definition) return;
  const targeting = parseStored(definition);
  await saveReferences(tx, id, { ...definition, kind: 'flag' }, referencesOf(targeting));
  await saveSummaries(tx, [{ definition, summary: summaryOf(targeting) }]);
}

type PlaceRow = Readonly<Record<'environment_id' | 'flag_id', string>>;
