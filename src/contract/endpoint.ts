/**
 * What an endpoint is. The one file whose types may be hard to read; everything else is data.
 * From an endpoint come its route, validation, permission, OpenAPI entry and, for the interface, its client.
 */

import type { Static, TObject, TSchema } from 'typebox';
import type { Access } from '#domain/access.ts';
import type { Environment } from '#domain/environments.ts';
import type { DefinedFlag, Flag } from '#domain/flags.ts';
import type { ProblemCode } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { rightNeeded } from '#domain/rights.ts';
import type { TrafficType } from '#domain/traffic-types.ts';
import type { PageSize } from './parts.ts';

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the prefix. `:project`, `:environment`, `:flag` and `:trafficType` are resolved before the handler runs. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * Required on purpose: an endpoint that says nothing about who may use it does not compile. A probe is public, too, and
   * no limit counts it: who watches the server must not find it ill because others ask for much.
   */
  readonly access: Access | 'public' | 'probe' | 'signed-in';
  readonly query?: TObject;
  /** For a list: how many objects a page has. Its query is `OffsetPage` or `MarkerPage` of the same size. */
  readonly pageSize?: PageSize;
  /** Checked against the schema before the handler runs. */
  readonly body?: TSchema;
  /** The body may be left out. */
  readonly bodyIsOptional?: true;
  /** Documented by this schema, but read by the domain, which is more lenient than a schema can say. */
  readonly looseBody?: TSchema;
  /** The body is a text: a JSON string, or else whatever was sent. */
  readonly textBody?: true;
  readonly reply: TSchema;
  /** The answer has an ETag made from the thing's revision; writes honour If-Match. */
  readonly versioned?: true;
  /** The response shows only the definition that the path names, so it stays cached when other definitions change. */
  readonly cacheTag?: 'definition';
  /** The answer shows a secret, so it is not compressed: the size would tell an observer how much of it they guessed. */
  readonly showsSecret?: true;
  /** The response shows housekeeping, such as the last use of a key or audit entries, so it is never cached. */
  readonly showsHousekeeping?: true;
  /** What this endpoint in particular can refuse. `problemsOf` adds what follows from the rest. */
  readonly problems: readonly ProblemCode[];
}

export const endpoint = <const E extends Endpoint>(declaration: E): E => declaration;

/** Neither a key nor a session is needed. */
export const needsNobody = (access: Endpoint['access']): access is 'public' | 'probe' =>
  access === 'public' || access === 'probe';

/** Everything that the endpoint can refuse. */
export function problemsOf({
  access,
  method,
  path,
  query,
  body,
  looseBody,
  textBody,
  problems,
}: Endpoint): ProblemCode[] {
  const found: ProblemCode[] = ['internal', ...problems];
  if (access === 'signed-in') found.push('signed_out', 'unauthenticated');
  else if (!needsNobody(access)) {
    found.push('unauthenticated', 'too_many_failures', 'forbidden');
    if (path.includes('/:project') && rightNeeded[access.needs] !== 'view') found.push('right_missing');
  }
  if (access !== 'probe') found.push('too_many_requests');
  if (method !== 'GET') found.push('origin_foreign', 'unavailable');
  if (path.includes('/:project')) found.push('project_not_found');
  if (path.includes('/:environment')) found.push('environment_not_found');
  if (path.includes('/:trafficType')) found.push('traffic_type_not_found');
  if (path.includes('/:flag')) found.push(path.includes('/:environment') ? 'definition_not_found' : 'flag_not_found');
  if (path.includes('/:') || query || body) found.push('request_invalid');
  if (body || looseBody || textBody) found.push('json_invalid');
  if (method !== 'GET') found.push('body_too_large');
  return [...new Set(found)].sort();
}

/** Path words that name a thing, and the thing that the handler gets for it. */
interface Resolvable {
  project: Project;
  environment: Environment;
  flag: Flag;
  trafficType: TrafficType;
}

/** Behind an environment a flag stands for its definition there. */
type ResolvableIn<Path extends string> =
  'environment' extends Params<Path> ? Omit<Resolvable, 'flag'> & { flag: DefinedFlag } : Resolvable;

/** The names of the words in a path. */
export type Params<Path extends string> = Path extends `${string}:${infer Word}/${infer Rest}`
  ? Word | Params<`/${Rest}`>
  : Path extends `${string}:${infer Word}`
    ? Word
    : never;

type StaticOr<Schema, Otherwise> = Schema extends TSchema ? Static<Schema> : Otherwise;
type Member<E, Name extends string> = E extends { readonly [N in Name]: infer Value } ? Value : undefined;

/** The things that the path names, resolved. */
export type Resolved<E extends Endpoint> = {
  readonly [Word in Params<E['path']> & keyof Resolvable]: ResolvableIn<E['path']>[Word];
};

export type Query<E extends Endpoint> = StaticOr<Member<E, 'query'>, Record<never, never>>;
export type Body<E extends Endpoint> = E extends { readonly bodyIsOptional: true }
  ? StaticOr<Member<E, 'body'>, undefined> | undefined
  : E extends { readonly textBody: true }
    ? string
    : StaticOr<Member<E, 'body'>, unknown>;
export type Reply<E extends Endpoint> = Static<E['reply']> &
  (E extends { readonly versioned: true; readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' }
    ? { readonly revision: number }
    : unknown);
