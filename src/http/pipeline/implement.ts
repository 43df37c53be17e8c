/** Turns endpoints into routes: `admit` checks access, then query and body are checked (400), then the handler runs. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { Grant } from '#commands/actors.ts';
import type { Context, contextFor } from '#commands/context.ts';
import type { Origin } from '#commands/sessions.ts';
import type { Body, Endpoint, Params, Query, Reply, Resolved, StreamedBody } from '#contract/endpoint.ts';
import type { Actor } from '#domain/access.ts';
import { refuse } from '#domain/problems.ts';
import { etagOf, type Versioned } from '#domain/revisions.ts';
import { type Shape, shapeOf } from '#domain/shapes.ts';
import type { User } from '#domain/users.ts';
import type { Session, SignedIn } from '#store/sessions.ts';
import { parseForm, parseJson, parseJsonOrNothing, textOf } from '../server/bodies.ts';
import { type Admission, admit } from './admit.ts';
import type { Person } from './authenticate.ts';
import { FileReply, JsonReply } from './json-reply.ts';
import type { ResolvedPath } from './resolve.ts';
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
    /** Where clients reach this server, without a slash at the end. */
    readonly serverUrl: string;
    readonly cookie: SessionCookie;
    /** Sends a `Warning` header about input that was accepted but is probably a mistake. */
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

/** Binds a contract module to its handlers; a missing handler does not compile. */
export const implement = <Module extends Record<string, Endpoint>>(
  module: Module,
  handlers: Handlers<Module>,
): Route[] =>
  Object.entries(module).map(([name, endpoint]) => ({
    name,
    endpoint,
    handler: handlers[name as keyof Module] as Route['handler'],
  }));

export interface Services extends Admission {
  readonly contextFor: (asking: Parameters<typeof contextFor>[1]) => Context;
}

/** Adds the routes to a scope. */
export function register(app: FastifyInstance, services: Services, routes: readonly Route[]): void {
  for (const member of ['person', 'resolved']) app.decorateRequest(member, undefined);
  for (const route of routes) registerRoute(app, services, route);
}

function registerRoute(app: FastifyInstance, services: Services, { endpoint, handler }: Route): void {
  const { method, access } = endpoint;
  const queryShape = endpoint.query && shapeOf(endpoint.query, 'query');
  const bodyShape = endpoint.body && shapeOf(endpoint.body);
  app.route({
    method,
    // The router's spelling of a colon that is not a parameter.
    url: endpoint.path.replaceAll(/(?<!\/):/g, '::'),
    ...(endpoint.bodyLimit === undefined ? {} : { bodyLimit: endpoint.bodyLimit }),
    config: { showsSecret: endpoint.showsSecret ?? false },
    onRequest: admit(services, endpoint),
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
        query: readQuery(endpoint, queryShape, request.query as Record<string, unknown>),
        body: (endpoint.mayBeForm && (await parseForm(request.body))) || readBody(endpoint, bodyShape, request.body),
        ifMatch: request.headers['if-match'],
        origin: { address: request.ip, agent: request.headers['user-agent'] ?? '' },
        serverUrl: services.publicUrl ?? `${request.protocol}://${request.host}`,
        cookie: sessionCookie(reply, services.publicUrl),
        warn: (sentences: readonly string[]) => setWarnings(reply, sentences),
      } as never);
      const isText = answer instanceof JsonReply;
      if (endpoint.versioned && method !== 'DELETE') setEtag(reply, isText ? answer.version : answer);
      const payload = isText ? await answer.payload(reply.raw) : serialized(reply, endpoint.reply, answer);
      if (!(answer instanceof FileReply)) return reply.type('application/json; charset=utf-8').send(payload);
      reply.header('content-disposition', `attachment; filename="${answer.fileName}"`);
      return reply.type(`${answer.type}; charset=utf-8`).send(payload);
    },
  });
}

type Json = Record<string, unknown>;

/** Compiles the schema on first use. Compiling those of all endpoints takes a sixth of the time to start. */
const serialized = (reply: FastifyReply, schema: TSchema, answer: unknown): string =>
  reply.serializeInput(answer as Json, schema as TSchema & Json);

const maxWarnings = 10;
const longestWarning = 300;

/** Warnings quote input: headers accept only printable ASCII, and long ones are cut. */
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

/** For endpoints that need neither key nor session. */
const anonymous = (request: FastifyRequest): Actor => ({
  type: 'anonymous',
  id: request.ip,
  name: 'Not signed in',
  permissions: new Set(),
  scope: { kind: 'member', userId: '' },
});

/** The permission that let the request in, checked again in its transaction. */
const grantOf = (access: Endpoint['access'], resolved: ResolvedPath | undefined): Grant | undefined =>
  typeof access === 'string' ? undefined : { ...resolved, access };

function setEtag(reply: FastifyReply, answer: unknown): void {
  reply.header('etag', etagOf(answer as Versioned));
}

function readQuery(
  { method, query: schema }: Endpoint,
  shape: Shape<unknown> | undefined,
  raw: Record<string, unknown>,
): unknown {
  if (method !== 'GET') refuseDryRun(schema, raw);
  if (!schema || !shape) return {};
  const query = coerced(schema, raw);
  refuse('request_invalid', shape.complaints(query));
  return shape.clean(query);
}

/** Clients expect a dry run to change nothing, so endpoints without one refuse it. */
function refuseDryRun(schema: TObject | undefined, raw: Record<string, unknown>): void {
  const asked = ['dry_run', 'dryRun'].filter(
    (name) => raw[name] !== undefined && raw[name] !== 'false' && !schema?.properties[name],
  );
  refuse(
    'request_invalid',
    asked.map((name) => `${name} must be false: this endpoint has no dry run`),
  );
}

/** Queries contain only text: whole numbers are parsed, and a repeatable parameter is a list. */
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
  if (endpoint.streamBody) return raw ?? noBody;
  if (endpoint.looseBody) return required(parseJson(raw), endpoint.looseBody);
  if (!shape) return endpoint.method === 'DELETE' ? parseJsonOrNothing(raw) : undefined;
  const body = withoutNullOptionals(endpoint.body, parseJson(raw));
  if (body === undefined && endpoint.bodyIsOptional) return undefined;
  refuse('request_invalid', shape.complaints(required(body, endpoint.body)));
  return shape.clean(body);
}

const noBody: StreamedBody = { chunks: (async function* () {})(), size: 0 };

function required(body: unknown, schema: TSchema | undefined): unknown {
  const { type } = schema as { type?: string };
  refuse('request_invalid', body === undefined ? [`body is required: send a JSON ${type ?? 'value'}`] : []);
  return body;
}

/** Clients send null for members that they leave out; for optional members, null means absent. Not in closed objects. */
function withoutNullOptionals(schema: Endpoint['body'], body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { required = [], additionalProperties } = schema as {
    required?: readonly string[];
    additionalProperties?: boolean;
  };
  if (additionalProperties === false) return body;
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== null || required.includes(name)));
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | undefined;
    person: Person | undefined;
    resolved: ResolvedPath | undefined;
    /** The problem code of the response, for the log. */
    problem: string | undefined;
  }
}
