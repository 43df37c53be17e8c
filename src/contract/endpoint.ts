/**
 * What an endpoint is. Its types are hard to read so that everything else is plain data. Route, validation, permission,
 * OpenAPI entry and the interface's client are all derived from an endpoint.
 */

import type { Static, TObject, TSchema } from 'typebox';
import type { Access } from '#domain/access.ts';
import type { Environment } from '#domain/environments.ts';
import type { FlagSet } from '#domain/flag-sets.ts';
import type { DefinedFlag, Flag } from '#domain/flags.ts';
import type { ProblemCode } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { rightNeeded } from '#domain/rights.ts';
import type { Segment } from '#domain/segments.ts';
import type { TrafficType } from '#domain/traffic-types.ts';
import type { PageSize } from './parts.ts';

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Without the prefix. `:project`, `:environment`, `:flag`, `:trafficType` and segments (`:segment`, `:largeSegment`,
   * `:ruleBasedSegment`, `:anySegment`) are resolved before the handler runs. A path with an environment and a segment needs no
   * project: the handler gets the environment's. A colon that does not follow a slash is itself:
   * `attribute:bulk`.
   */
  readonly path: string;
  /** Instead of the prefix of its group. */
  readonly base?: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * Required, so that an endpoint without access rules does not compile. A probe is public and exempt from rate limits:
   * monitoring must not fail because of other traffic.
   */
  readonly access: Access | 'public' | 'probe' | 'signed-in';
  readonly query?: TObject;
  /** For a list: its page size. The query is `OffsetPage` or `MarkerPage` with the same size. */
  readonly pageSize?: PageSize;
  /** Checked against the schema before the handler runs. */
  readonly body?: TSchema;
  /** The body may be left out. */
  readonly bodyIsOptional?: true;
  /** Documented by this schema, but parsed by the domain, which is more lenient than a schema can be. */
  readonly looseBody?: TSchema;
  /** Instead of JSON, the body may be a form with a file. */
  readonly mayBeForm?: true;
  /** In bytes, instead of the usual limit. */
  readonly bodyLimit?: number;
  /** The body is text: a JSON string, or else the raw body. */
  readonly textBody?: true;
  /** The body is a file of any size, which the handler reads as it arrives. */
  readonly streamBody?: true;
  readonly reply: TSchema;
  /** The types of a response that is a file instead of JSON. */
  readonly media?: readonly string[];
  /** The response has an ETag made from the object's revision; writes honour If-Match. */
  readonly versioned?: true;
  /** The response shows only the definition that the path names, so it stays cached when other definitions change. */
  readonly cacheTag?: 'definition';
  /**
   * The response contains a secret, so it is not compressed: its size would leak how much of it an observer guessed.
   */
  readonly showsSecret?: true;
  /** The response shows housekeeping, such as the last use of a key or audit entries, so it is never cached. */
  readonly showsHousekeeping?: true;
  /** With this query parameter, the response changes as time passes, so it is not cached either. */
  readonly changesWithTime?: string;
  /** Problems specific to this endpoint. `problemsOf` adds those that follow from its other members. */
  readonly problems: readonly ProblemCode[];
}

export const endpoint = <const E extends Endpoint>(declaration: E): E => declaration;

/** Needs neither a key nor a session. */
export const needsNobody = (access: Endpoint['access']): access is 'public' | 'probe' =>
  access === 'public' || access === 'probe';

/** Every problem that the endpoint can return. */
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
    found.push('unauthenticated', 'too_many_failures', 'forbidden', 'second_factor_required');
    if (isOfProject(path) && rightNeeded[access.needs] !== 'view') found.push('right_missing');
  }
  if (access !== 'probe') found.push('too_many_requests');
  if (method !== 'GET') found.push('origin_foreign', 'unavailable');
  if (isOfProject(path)) found.push('project_not_found');
  if (path.includes('/:environment')) found.push('environment_not_found');
  if (path.includes('/:environment') && !/\/:(project|trafficType)(\/|$)/.test(path))
    found.push('environment_ambiguous');
  if (segmentParams.some((word) => path.includes(`/:${word}`))) found.push('segment_not_found');
  if (path.includes('/:trafficType')) found.push('traffic_type_not_found');
  if (path.includes('/:flagSet')) found.push('flag_set_not_found');
  if (/\/:flag(\/|$)/.test(path))
    found.push(path.includes('/:environment') ? 'definition_not_found' : 'flag_not_found');
  if (path.includes('/:') || query || body) found.push('request_invalid');
  if (body || looseBody || textBody) found.push('json_invalid');
  if (method !== 'GET') found.push('body_too_large');
  return [...new Set(found)].sort();
}

const segmentParams = ['segment', 'largeSegment', 'ruleBasedSegment', 'anySegment'] as const;

/** Whether the path names something in a project, so that its project is known. */
const isOfProject = (path: string): boolean => /\/:(project|environment|flagSet)(\/|$)/.test(path);

/** Path parameters that name an object, and the object that the handler gets. */
interface Resolvable {
  project: Project;
  environment: Environment;
  flag: Flag;
  trafficType: TrafficType;
  flagSet: FlagSet;
  segment: Segment;
  largeSegment: Segment;
  ruleBasedSegment: Segment;
  /** Of any kind. */
  anySegment: Segment;
}

/** After an environment, a flag means its definition there. */
type ResolvableIn<Path extends string> =
  'environment' extends Params<Path> ? Omit<Resolvable, 'flag'> & { flag: DefinedFlag } : Resolvable;

/** The names of the parameters of a path. */
export type Params<Path extends string> = Path extends `${string}/:${infer Word}/${infer Rest}`
  ? Word | Params<`/${Rest}`>
  : Path extends `${string}/:${infer Word}`
    ? Word
    : never;

type StaticOr<Schema, Otherwise> = Schema extends TSchema ? Static<Schema> : Otherwise;
type Member<E, Name extends string> = E extends { readonly [N in Name]: infer Value } ? Value : undefined;

/** The objects that the path names. */
export type Resolved<E extends Endpoint> = {
  readonly [Word in Named<Params<E['path']>> & keyof Resolvable]: ResolvableIn<E['path']>[Word];
};

/** An environment or a flag set is found with its project, even if the path does not name that. */
type Named<Word> = Extract<Word, 'environment' | 'flagSet'> extends never ? Word : Word | 'project';

export type Query<E extends Endpoint> = StaticOr<Member<E, 'query'>, Record<never, never>>;
export type Body<E extends Endpoint> = E extends { readonly bodyIsOptional: true }
  ? StaticOr<Member<E, 'body'>, undefined> | undefined
  : E extends { readonly textBody: true }
    ? string
    : E extends { readonly streamBody: true }
      ? StreamedBody
      : StaticOr<Member<E, 'body'>, unknown> | (E extends { readonly mayBeForm: true } ? SentForm : never);

/** A form with a file, as browsers and `curl -F` send it. */
export class SentForm {
  readonly file: { readonly name: string; readonly text: string };
  /** The text of the other parts. */
  readonly parts: Readonly<Record<string, string>>;

  constructor(file: SentForm['file'], parts: SentForm['parts']) {
    this.file = file;
    this.parts = parts;
  }
}

export interface StreamedBody {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** If the client said it. */
  readonly size: number | undefined;
}
export type Reply<E extends Endpoint> = Static<E['reply']> &
  (E extends { readonly versioned: true; readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' }
    ? { readonly revision: number }
    : unknown);
