/** Calling the server: `call` sends what an endpoint of the contract declares, typed from end to end. */
import { queryOptions } from '@tanstack/react-query';
import type { TObject, TSchema } from 'typebox';
import type { Body, Endpoint, Query, Reply, Words } from '#contract/endpoint.ts';
import { accountPrefix, type ErrorBody } from '#contract/parts.ts';

type WordsOf<E extends Endpoint> = [Words<E['path']>] extends [never]
  ? { readonly words?: never }
  : { readonly words: Readonly<Record<Words<E['path']>, string>> };
type QueryOf<E extends Endpoint> = E extends { readonly query: TObject }
  ? { readonly query?: Query<E> }
  : { readonly query?: never };
type BodyOf<E extends Endpoint> = E extends { readonly body: TSchema }
  ? { readonly body: Body<E> }
  : { readonly body?: never };

type Input<E extends Endpoint> = WordsOf<E> & QueryOf<E> & BodyOf<E>;
/** An endpoint that needs nothing is called with nothing. */
type Args<E extends Endpoint> = Record<never, never> extends Input<E> ? [input?: Input<E>] : [input: Input<E>];

interface LooseInput {
  readonly words?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The server refused, or could not be reached: then the status is 0. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly details: string;
  readonly transactionId: string;
  /** When it makes sense to try again. */
  readonly retryAfterSeconds: number | undefined;
  /** The session is over, or there was none. */
  readonly signedOut: boolean;

  constructor(fields: Partial<Omit<ApiProblem, 'name'>> & { readonly status: number; readonly message: string }) {
    super(fields.message);
    this.name = 'ApiProblem';
    this.status = fields.status;
    this.details = fields.details ?? '';
    this.transactionId = fields.transactionId ?? '';
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.signedOut = fields.signedOut ?? false;
  }
}

/** Everything that the server complains about, one sentence each. */
export const complaintsOf = ({ message, details }: ApiProblem): string[] =>
  details === '' ? [message] : details.split('\n');

/** Throws an ApiProblem when the answer is not what the endpoint promises. */
export async function call<E extends Endpoint>(endpoint: E, ...[input]: Args<E>): Promise<Reply<E>> {
  const { words = {}, query = {}, body } = (input ?? {}) as LooseInput;
  const response = await send(urlOf(endpoint.path, words, query), {
    method: endpoint.method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as Reply<E>;
  throw toProblem(endpoint, response, answer as Partial<ErrorBody> | undefined);
}

/** A query whose key is made from the endpoint and what it is asked. */
export const reading = <E extends Endpoint>(endpoint: E, ...args: Args<E>) =>
  queryOptions<Reply<E>, ApiProblem>({
    queryKey: [endpoint.path, ...args],
    queryFn: () => call(endpoint, ...args),
  });

/** All endpoints that the pages use so far are those of accounts. */
function urlOf(path: string, words: Readonly<Record<string, string>>, query: Readonly<Record<string, unknown>>) {
  const filled = path.replaceAll(/:(\w+)/g, (_, word: string) => encodeURIComponent(words[word] ?? ''));
  const asked = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return `${accountPrefix}${filled}${asked.length > 0 ? `?${new URLSearchParams(asked)}` : ''}`;
}

async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch {
    throw new ApiProblem({ status: 0, message: 'The server cannot be reached' });
  }
}

function toProblem({ access }: Endpoint, { status, headers }: Response, body: Partial<ErrorBody> | undefined) {
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem({
    status,
    message: body?.message ?? `The server answered ${status}`,
    details: body?.details ?? '',
    transactionId: body?.transactionId ?? headers.get('x-transaction-id') ?? '',
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    signedOut: status === 401 && access !== 'public',
  });
}
