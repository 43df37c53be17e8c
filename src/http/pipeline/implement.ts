/**
 * From the contract to routes. The only place that asks whether an actor may: by the endpoint's own declaration,
 * before the body is read. Order: limit of the address (429), key (401), limit of the key (429), role (403), things of
 * the path (404), query and body (400), handler.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { Grant } from '#commands/actors.ts';
import type { Context, contextFor } from '#commands/context.ts';
import type { Origin } from '#commands/sessions.ts';
import {
  type Body,
  type Endpoint,
  needsNobody,
  type Params,
  type Query,
  type Reply,
  type Resolved,
} from '#contract/endpoint.ts';
import { accountBodyLimit, accountPrefix, bodyLimit } from '#contract/parts.ts';
import { type Actor, allows } from '#domain/access.ts';
import { Problem, refuse } from '#domain/problems.ts';
import { etagOf, type Versioned } from '#domain/revisions.ts';
import { type Shape, shapeOf } from '#domain/shapes.ts';
import type { User } from '#domain/users.ts';
import type { Session, SignedIn } from '#store/sessions.ts';
import { type CacheTag, definitionTag } from '#store/sql.ts';
import type { KnownAskers } from '../cache/requests.ts';
import type { Limits } from '../limits/rate.ts';
import { parseJson, parseJsonOrNothing, textOf } from '../server/bodies.ts';
import { type Authentication, authenticate, findPerson, type Person } from './authenticate.ts';
import { JsonReply } from './json-reply.ts';
import { requireOwnOrigin } from './origin.ts';
import { type ResolvedPath, resolvePath } from './resolve.ts';
import { type SessionCookie, sessionCookie } from './session-cookie.ts';

/** What a handler gets. */
export type Call<E extends Endpoint> = Resolved<E> &
  PersonOf<E> & {
    readonly actor: Actor;
    readonly context: Context;
    /** The path parameters, as sent. */
    readonly params: Readonly<Record<Params<E['path']>, string>>;
    readonly query: Query<E>;
    readonly body: Body<E>;
    readonly ifMatch: string | undefined;
    readonly origin: Origin;
    readonly cookie: SessionCookie;
    /** Tells the caller, in the header `Warning`, of what was accepted but hardly meant. */
    readonly warn: (sentences: readonly string[]) => void;
  };

type PersonOf<E extends Endpoint> = E extends { readonly access: 'signed-in' }
  ? { readonly person: SignedIn; readonly user: User; readonly session: Session }
  : { readonly person?: never; readonly user?: never; readonly session?: never };

type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Reply<E> | JsonReply>;
type Handlers<Module> = {
  readonly [Name in keyof Module]: Module[Name] extends Endpoint ? Handler<Module[Name]> : never;
};

export interface Route {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly handler: (call: never) => Promise<unknown>;
}

/** Binds a module of the contract to its handlers; one that is missing does not compile. */
export const implement = <Module extends Record<string, Endpoint>>(
  module: Module,
  handlers: Handlers<Module>,
): Route[] =>
  Object.entries(module).map(([name, endpoint]) => ({
    name,
    endpoint,
    handler: handlers[name as keyof Module] as Route['handler'],
  }));

export interface Services extends Authentication {
  readonly limits: Limits;
  readonly knownAskers: KnownAskers;
  readonly contextFor: (asking: Parameters<typeof contextFor>[1]) => Context;
}

/** Registers the routes below the prefix. */
export function register(app: FastifyInstance, services: Services, prefix: string, routes: readonly Route[]): void {
  for (const route of routes) registerRoute(app, services, prefix + route.endpoint.path, route);
}

function registerRoute(app: FastifyInstance, services: Services, url: string, { endpoint, handler }: Route): void {
  const { method, access } = endpoint;
  const isThrottled = endpoint.problems.includes('too_many_attempts');
  const queryShape = endpoint.query && shapeOf(endpoint.query, 'query');
  const bodyShape = endpoint.body && shapeOf(endpoint.body);
  app.route({
    method,
    url,
    bodyLimit: url.startsWith(accountPrefix) ? accountBodyLimit : bodyLimit,
    schema: { response: { 200: endpoint.reply } },
    config: { showsSecret: endpoint.showsSecret ?? false },
    onRequest: async (request, reply) => {
      if (access !== 'probe') reply.headers(services.limits.ofAddress(request.ip));
      if (isThrottled) services.throttles.requireAttemptLeft(request.ip);
      if (needsNobody(access)) return requireOwnOrigin(request, services.publicUrl, false);
      if (access === 'signed-in') {
        request.person = await findPerson(services, request);
        if (!request.person) throw new Problem('signed_out');
        request.actor = request.person.actor;
        return;
      }
      const look = services.knownAskers.look(request);
      const actor = look.found?.actor ?? (await authenticate(services, request));
      request.actor = actor;
      if (actor.type === 'api_key') reply.headers(services.limits.ofKey(actor.id));
      if (!allows(actor, access)) throw new Problem('forbidden');
      const resolved =
        look.found?.resolved ?? (await resolvePath(services.db, actor, request.params as Record<string, string>));
      request.resolved = resolved;
      services.knownAskers.remember(look, { actor, resolved });
      request.isCacheable = actor.type === 'api_key' && !endpoint.showsHousekeeping;
      if (endpoint.aboutDefinition) request.cacheTag = cacheTagOf(resolved);
    },
    handler: async (request, reply) => {
      const { actor = anonymous(request), person, resolved } = request;
      const answer = await handler({
        ...resolved,
        person,
        user: person?.user,
        session: person?.session,
        actor,
        context: services.contextFor({ actor, transactionId: request.id, grant: grantOf(access, resolved) }),
        params: request.params,
        query: readQuery(endpoint.query, queryShape, request.query),
        body: readBody(endpoint, bodyShape, request.body),
        ifMatch: request.headers['if-match'],
        origin: { address: request.ip, agent: request.headers['user-agent'] ?? '' },
        cookie: sessionCookie(reply, services.publicUrl),
        warn: (sentences: readonly string[]) => setWarnings(reply, sentences),
      } as never);
      const isText = answer instanceof JsonReply;
      if (endpoint.versioned && method !== 'DELETE') setEtag(reply, isText ? answer.version : answer);
      return reply.type('application/json; charset=utf-8').send(isText ? await answer.payload() : answer);
    },
  });
}

const maxWarnings = 10;
const longestWarning = 300;

/** Sentences quote what was sent: a header takes printable ASCII, and no more of it than a client will read. */
function setWarnings(reply: FastifyReply, sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  const shown = sentences.slice(0, maxWarnings).map((sentence) =>
    sentence
      .slice(0, longestWarning)
      .replaceAll(/[^ -~]/g, '?')
      .replaceAll(/["\\]/g, '\\$&'),
  );
  if (sentences.length > maxWarnings) shown.push(`and ${sentences.length - maxWarnings} more`);
  reply.header('warning', shown.map((sentence) => `299 - "${sentence}"`).join(', '));
}

/** Who is about to sign in, perhaps. */
const anonymous = (request: FastifyRequest): Actor => ({
  type: 'anonymous',
  id: request.ip,
  name: 'Not signed in',
  permissions: new Set(),
  scope: { kind: 'member', userId: '' },
});

/** What lets the request in, and is asked for again in its transaction. */
const grantOf = (access: Endpoint['access'], resolved: ResolvedPath | undefined): Grant | undefined =>
  typeof access === 'string' ? undefined : { access, project: resolved?.project };

const cacheTagOf = ({ environment, flag }: ResolvedPath): CacheTag | undefined =>
  environment && flag && definitionTag(environment.id, flag.id);

function setEtag(reply: FastifyReply, answer: unknown): void {
  reply.header('etag', etagOf(answer as Versioned));
}

function readQuery(schema: TObject | undefined, shape: Shape<unknown> | undefined, raw: unknown): unknown {
  if (!schema || !shape) return {};
  const query = coerced(schema, raw as Record<string, unknown>);
  refuse('request_invalid', shape.complaints(query));
  return shape.clean(query);
}

/** A query has only text: whole numbers are read as such, and a parameter that may be repeated is a list. */
function coerced(schema: TObject, raw: Record<string, unknown>): Record<string, unknown> {
  const query: Record<string, unknown> = { ...raw };
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = raw[name];
    const { type } = property as { type?: unknown };
    if (type === 'integer' && typeof value === 'string' && /^-?\d+$/.test(value)) query[name] = Number(value);
    if (type === 'array' && typeof value === 'string') query[name] = [value];
  }
  return query;
}

function readBody(endpoint: Endpoint, shape: Shape<unknown> | undefined, raw: unknown): unknown {
  if (endpoint.textBody) return textOf(raw);
  if (endpoint.looseBody) return required(parseJson(raw), endpoint.looseBody);
  if (!shape) return endpoint.method === 'DELETE' ? parseJsonOrNothing(raw) : undefined;
  const body = withoutNullOptionals(endpoint.body, parseJson(raw));
  if (body === undefined && endpoint.bodyIsOptional) return undefined;
  refuse('request_invalid', shape.complaints(required(body, endpoint.body)));
  return shape.clean(body);
}

function required(body: unknown, schema: TSchema | undefined): unknown {
  const { type } = schema as { type?: string };
  refuse('request_invalid', body === undefined ? [`body is required: send a JSON ${type ?? 'value'}`] : []);
  return body;
}

/** Clients send null for a member that they leave out: where the member is optional, that is what it means. */
function withoutNullOptionals(schema: Endpoint['body'], body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { required = [] } = schema as { required?: readonly string[] };
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== null || required.includes(name)));
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | undefined;
    person: Person | undefined;
    resolved: ResolvedPath | undefined;
    /** A key was let in, and all that the answer shows ends cached answers when it changes. */
    isCacheable: boolean | undefined;
    /** What alone the answer is about; undefined when any change may change it. */
    cacheTag: CacheTag | undefined;
    /** The code of the problem that was answered, for the log. */
    problem: string | undefined;
  }
}
