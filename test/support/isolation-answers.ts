/** The parts of a response that the isolation tests compare. */
import type { Answer } from './app.ts';

/** A whole list whose total is not its length tells of things that it does not show. Lists by markers have no total. */
export const countsMore = (body: Answer['body']): boolean =>
  Array.isArray(body?.objects) &&
  body.totalCount !== undefined &&
  body.objects.length < body.limit &&
  body.objects.length !== body.totalCount;

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
