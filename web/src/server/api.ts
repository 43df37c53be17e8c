/** Calls the server: `call` sends what an endpoint of the contract declares, fully typed. */
import { queryOptions } from '@tanstack/react-query';
import type { Static, TObject, TSchema } from 'typebox';
import * as accounts from '#contract/accounts.ts';
import type { Body, Endpoint, Params, Query } from '#contract/endpoint.ts';
import * as live from '#contract/live.ts';
import { accountPrefix, type ErrorBody, prefix } from '#contract/parts.ts';
import * as rights from '#contract/rights.ts';
import { stringifySearch } from '../state/search-params.ts';
import { ApiProblem } from './api-problem.ts';
import { connectionLost, isConnectionLost } from './connection.ts';
import { signedInAgain } from './signed-out.ts';

type ParamsOf<E extends Endpoint> = [Params<E['path']>] extends [never]
  ? { readonly params?: never }
  : { readonly params: Readonly<Record<Params<E['path']>, string>> };
type QueryOf<E extends Endpoint> = E extends { readonly query: TObject }
  ? { readonly query?: Loose<Query<E>> }
  : { readonly query?: never };
type BodyOf<E extends Endpoint> = E extends { readonly bodyIsOptional: true }
  ? { readonly body?: Body<E> }
  : E extends { readonly body: TSchema } | { readonly looseBody: TSchema } | { readonly textBody: true }
    ? { readonly body: Sent<E> }
    : { readonly body?: never };
type Sent<E extends Endpoint> = E extends { readonly mayBeForm: true }
  ? FormData
  : E extends { readonly looseBody: infer S extends TSchema }
    ? Static<S>
    : Body<E>;
/** The ETag of the version to change: 412 if someone else changed it. */
type IfMatchOf<E extends Endpoint> = 'precondition_failed' extends E['problems'][number]
  ? { readonly ifMatch?: string | undefined }
  : { readonly ifMatch?: never };
/** Undefined values are not sent. */
type Loose<T> = { readonly [Name in keyof T]: T[Name] | undefined };

export type Input<E extends Endpoint> = ParamsOf<E> & QueryOf<E> & BodyOf<E> & IfMatchOf<E>;
/** The input is optional if the endpoint needs none. */
type Args<E extends Endpoint> = Record<never, never> extends Input<E> ? [input?: Input<E>] : [input: Input<E>];

/** The endpoint's response. `etag` identifies its version, if it has one. */
export type Answer<E extends Endpoint> = Static<E['reply']> &
  (E extends { readonly versioned: true; readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' }
    ? { readonly etag: string }
    : unknown);

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
}

/**
 * Throws an ApiProblem if the response is not what the endpoint declares. If the session has ended, it
 * waits until the user has signed in again, then continues.
 */
export async function call<E extends Endpoint>(endpoint: E, ...[input]: Args<E>): Promise<Answer<E>> {
  for (;;) {
    const response = await send(endpoint, (input ?? {}) as LooseInput);
    if (response.ok) return (await answerOf(endpoint, response)) as Answer<E>;
    const problem = await problemOf(endpoint, response);
    if (isConnectionLost(problem)) connectionLost();
    if (!problem.signedOut || !(await signedInAgain(endpoint.method !== 'GET'))) throw problem;
  }
}

/** The query key of an endpoint. Without input it matches every input, to invalidate them all. */
export const keyOf = <E extends Endpoint>(endpoint: E, input?: Input<E>): readonly unknown[] =>
  input === undefined ? [endpoint.path] : [endpoint.path, input];

/** A query keyed by endpoint and input. */
export const reading = <E extends Endpoint>(endpoint: E, ...args: Args<E>) =>
  queryOptions<Answer<E>, ApiProblem>({
    queryKey: keyOf(endpoint, args[0]),
    queryFn: () => call(endpoint, ...args),
  });

const accountEndpoints: ReadonlySet<Endpoint> = new Set(
  [accounts, rights, live].flatMap((part) => Object.values<Endpoint>(part)),
);

/** The path of a request, relative to the server. */
export function urlOf<E extends Endpoint>(endpoint: E, { params = {}, query = {} }: LooseInput = {}): string {
  const base = endpoint.base ?? (accountEndpoints.has(endpoint) ? accountPrefix : prefix);
  const filled = endpoint.path.replaceAll(/(?<=\/):(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  return base + filled + stringifySearch(query);
}

async function send(endpoint: Endpoint, input: LooseInput): Promise<Response> {
  const { body, ifMatch } = input;
  const headers = {
    // For a form, the browser sets the content type, which includes the boundary.
    ...(body === undefined || body instanceof FormData
      ? {}
      : { 'content-type': endpoint.textBody ? 'text/plain' : 'application/json' }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
  };
  const content = body instanceof FormData ? body : endpoint.textBody ? String(body) : JSON.stringify(body);
  try {
    return await fetch(urlOf(endpoint, input), {
      method: endpoint.method,
      headers,
      ...(body === undefined ? {} : { body: content }),
    });
  } catch {
    connectionLost();
    throw new ApiProblem({ status: 0, message: 'The server cannot be reached' });
  }
}

async function answerOf({ versioned, method }: Endpoint, response: Response): Promise<unknown> {
  const answer: unknown = await response.json();
  if (!versioned || method === 'DELETE') return answer;
  return { ...(answer as object), etag: response.headers.get('etag') ?? '' };
}

async function problemOf({ access }: Endpoint, response: Response): Promise<ApiProblem> {
  const { status, headers } = response;
  const text = await response.text();
  const body = errorBodyOf(text);
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem({
    status,
    message: body?.message ?? `The server responded with ${status}`,
    details: body?.details ?? '',
    transactionId: body?.transactionId ?? headers.get('x-transaction-id') ?? '',
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    signedOut: status === 401 && access !== 'public',
    noteRequired: status === 400 && text === '',
    rightMissing: headers.get('x-burgee-problem') === 'right_missing',
    secondFactorMissing: headers.get('x-burgee-problem') === 'second_factor_required',
    projectGone: headers.get('x-burgee-problem') === 'project_not_found',
  });
}

/** A proxy may respond in its own format. */
export function errorBodyOf(text: string): Partial<ErrorBody> | undefined {
  try {
    return JSON.parse(text) as Partial<ErrorBody>;
  } catch {
    return undefined;
  }
}
