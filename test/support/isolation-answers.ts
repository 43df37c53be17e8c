/** What is looked at in an answer, and in the database behind it. */
import { createHash } from 'node:crypto';
import sql, { raw } from 'sql-template-tag';
import type { Reader } from '#store/sql.ts';
import type { Answer } from './app.ts';
import { tablesOf } from './databases.ts';

/** A whole list whose total is not its length tells of things that it does not show. */
export const countsMore = (body: Answer['body']): boolean =>
  Array.isArray(body?.objects) && body.objects.length < body.limit && body.objects.length !== body.totalCount;

export interface Essence {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, unknown>;
}

/** An answer without what differs by nature: the words that were sent, the transaction id, the date, the length. */
export function essenceOf({ status, text, headers }: Answer, sent: readonly string[]): Essence {
  const { date: _, 'content-length': __, 'x-transaction-id': transactionId, ...others } = headers;
  const bare = sent.reduce((rest, word) => rest.replaceAll(word, '<word>'), text);
  return { status, text: bare.replaceAll(String(transactionId), '<id>'), headers: others };
}

/** A sum over every row of every table, but for when keys and sessions were last used. */
export async function fingerprint(db: Reader): Promise<string> {
  const hash = createHash('sha256');
  for (const name of await tablesOf(db)) {
    const rows = await db.all<Record<string, unknown>>(sql`select * from ${raw(name)}`);
    const lines = rows.map(({ last_used_at: _, last_seen_at: __, ...row }) => JSON.stringify(row));
    hash.update(`${name}\n${lines.sort().join('\n')}\n`);
  }
  return hash.digest('hex');
}
