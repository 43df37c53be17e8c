/**
 * The server without a socket: six scopes, each with its own hooks, limits and deadline, and below them the endpoints of
 * SDKs. Tests use it directly; `serve.ts` makes it listen.
 */

import cookie from '@fastify/cookie';
import {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { contextFor } from '#commands/context.ts';
import { transactionIds } from '#commands/transaction-ids.ts';
import { accountBodyLimit, accountPrefix, bodyLimit, prefix, prefixV3, publicPrefixV3 } from '#contract/parts.ts';
import type { Delivery } from '#delivery/start.ts';
import { tokenSecretsOf } from '#delivery/tokens.ts';
import { Problem } from '#domain/problems.ts';
import type { NewProjects } from '#domain/restrictions.ts';
import { createRefresh } from '#http/cache/refresh.ts';
import { createRequestCache } from '#http/cache/requests.ts';
import { createResponseCache } from '#http/cache/responses.ts';
import { createLimits, limitAddresses, type RateLimits } from '#http/limits/rate.ts';
import { createThrottles } from '#http/limits/throttle.ts';
import { createLiveStreams } from '#http/live/streams.ts';
import { markersFor } from '#http/paging/markers.ts';
import { type Route, register, type Services } from '#http/pipeline/implement.ts';
import { accounts } from '#http/routes/accounts.ts';
import { apiKeys } from '#http/routes/api-keys.ts';
import { attributes } from '#http/routes/attributes.ts';
import { changeRequests } from '#http/routes/change-requests.ts';
import { changes } from '#http/routes/changes.ts';
import { changesets } from '#http/routes/changesets.ts';
import { cleanup } from '#http/routes/cleanup.ts';
import { codeReferences } from '#http/routes/code-references.ts';
import { definitions } from '#http/routes/definitions.ts';
import { documents } from '#http/routes/documents.ts';
import { environments } from '#http/routes/environments.ts';
import { flagSets } from '#http/routes/flag-sets.ts';
import { flags } from '#http/routes/flags.ts';
import { groups } from '#http/routes/groups.ts';
import { identities } from '#http/routes/identities.ts';
import { imports } from '#http/routes/imports.ts';
import { largeSegments } from '#http/routes/large-segments.ts';
import { live, livePath, streamChanges } from '#http/routes/live.ts';
import { projects } from '#http/routes/projects.ts';
import { restrictions } from '#http/routes/restrictions.ts';
import { rights } from '#http/routes/rights.ts';
import { rolloutStatuses } from '#http/routes/rollout-statuses.ts';
import { rollouts } from '#http/routes/rollouts.ts';
import { ruleBasedSegments } from '#http/routes/rule-based-segments.ts';
import { schedules } from '#http/routes/schedules.ts';
import { sdks } from '#http/routes/sdks.ts';
import { search } from '#http/routes/search.ts';
import { segments } from '#http/routes/segments.ts';
import { type Surroundings, server } from '#http/routes/server.ts';
import { service } from '#http/routes/service.ts';
import { traffic } from '#http/routes/traffic.ts';
import { trafficTypes } from '#http/routes/traffic-types.ts';
import { uploads } from '#http/routes/uploads.ts';
import { users } from '#http/routes/users.ts';
import { views } from '#http/routes/views.ts';
import { sdkEndpoints } from '#http/sdk/endpoints.ts';
import { createSdkResponder } from '#http/sdk/respond.ts';
import { limitBodies, readBodies, streamBodies } from '#http/server/bodies.ts';
import { compressResponses } from '#http/server/compression.ts';
import { type AllowedOrigins, allowOrigins } from '#http/server/cors.ts';
import { safeHeaders } from '#http/server/headers.ts';
import { createHttpServer, refuseBrokenHttp } from '#http/server/listen.ts';
import { sendProblem } from '#http/server/problems.ts';
import { logRequest, routeOf, traceRequests } from '#http/server/requests.ts';
import { servePages } from '#http/server/static.ts';
import { refuseUnknown } from '#http/server/unknown.ts';
import { createImportJobs } from '#import/jobs.ts';
import { createAfterReplies, keyUse, sdkKeyUse, sessionUse } from '#jobs/after-replies.ts';
import type { Account } from '#store/account.ts';
import { currentDeadline, maxWaitMs, withDeadline } from '#store/deadline.ts';
import type { Store } from '#store/sql.ts';
import type { Answered } from '#telemetry/requests.ts';
import type { Traces } from '#telemetry/traces.ts';
import manifest from '../package.json' with { type: 'json' };

export interface AppOptions {
  readonly store: Store;
  readonly account: Account;
  readonly log: Logger;
  /** What SDKs read; without it there are no SDK endpoints. */
  readonly delivery?: Delivery | undefined;
  readonly publicUrl?: string | undefined;
  readonly trustProxy?: string | undefined;
  readonly corsOrigins?: AllowedOrigins | undefined;
  readonly rateLimits?: RateLimits | undefined;
  /** Whether `PUT /users` keeps members that the body leaves out. */
  readonly acceptPartialPut?: boolean | undefined;
  /** Who may see and edit a new project. */
  readonly newProjects?: NewProjects | undefined;
  /** How many days a changeset waits for approvals. */
  readonly requestDays?: number | undefined;
  /** Whether imports may read from addresses that are not public. */
  readonly importPrivateSources?: boolean | undefined;
  /** What administrators see of the environment variables. */
  readonly surroundings?: Surroundings | undefined;
  /** Called after each request. */
  readonly answered?: Answered | undefined;
  readonly traces?: Traces | undefined;
}

export async function createApp({
  store,
  account,
  log,
  delivery,
  publicUrl,
  trustProxy = '',
  corsOrigins = [],
  rateLimits = { perKey: undefined, perAddress: undefined },
  acceptPartialPut = false,
  newProjects = 'open',
  requestDays = 30,
  importPrivateSources = false,
  surroundings = { database: 'sqlite' },
  answered = () => undefined,
  traces,
}: AppOptions): Promise<FastifyInstance> {
  const nextTransactionId = transactionIds();
  // Cached responses are sent before the request is counted, so there are none if a rate limit is set.
  const isLimited = rateLimits.perKey !== undefined || rateLimits.perAddress !== undefined;
  const refresh = createRefresh();
  const version: Store['version'] = (tag) => (isLimited ? undefined : store.version(tag));
  const responses = createResponseCache({ version }, refresh, nextTransactionId);
  const headers = safeHeaders(publicUrl);
  const throttles = createThrottles();
  const respondToSdk =
    delivery &&
    createSdkResponder({
      keys: delivery.keys,
      sdks: delivery.sdks,
      keyUsed: sdkKeyUse(store, log),
      endpoints: sdkEndpoints(delivery, {
        secrets: tokenSecretsOf(account),
        now: () => store.clock(),
        version: manifest.version,
        afterWrites: () => store.afterWrites(),
      }),
      throttles,
      log,
      answered,
      traces,
      trustProxy,
      publicUrl,
      nextTransactionId,
    });
  const ended = (request: FastifyRequest, { statusCode, elapsedTime }: FastifyReply) => {
    const route = routeOf(request);
    logRequest(request, { route, status: statusCode, milliseconds: Math.round(elapsedTime) });
    const isStream = request.routeOptions.config?.isStream && statusCode === 200;
    answered(route, request.method, statusCode, isStream ? 0 : elapsedTime / 1_000);
  };
  const app = fastify({
    serverFactory: (handle) =>
      createHttpServer((request, response) => {
        if (respondToSdk?.(request, response)) return;
        const startedAt = performance.now();
        const cached = responses.respond(request, response);
        if (!cached) return handle(request, response);
        const span = traces?.begin(request.headers.traceparent, startedAt);
        const logged = span ? { ...cached, traceId: span.traceId } : cached;
        log.debug(logged, 'request');
        answered(cached.route, cached.method, cached.status, (performance.now() - startedAt) / 1_000);
        if (span) traces?.end(span, { ...cached, problem: undefined });
      }),
    bodyLimit,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'transactionId' }),
    genReqId: nextTransactionId,
    trustProxy: trustProxy === '' ? false : trustProxy,
    // Idle keep-alive connections must not delay the stop; requests on other connections are still answered.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 2_000 },
    frameworkErrors: (error, request, reply) => {
      // Hooks do not run for requests that are refused before routing.
      void sendProblem(error, request, reply.headers(headers).header('x-transaction-id', request.id));
      ended(request, reply);
    },
    clientErrorHandler: ({ code }, socket) => refuseBrokenHttp(socket, code, nextTransactionId(), headers),
  }) as unknown as FastifyInstance;
  // Node would answer 417 without a body; we ignore unknown expectations.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const limits = createLimits(rateLimits);
  const services: Services = {
    db: store,
    throttles,
    limits,
    requests: createRequestCache(store, refresh),
    publicUrl,
    contextFor: (asking) => contextFor(store, asking),
    keyUsed: keyUse(store, log),
    sessionUsed: sessionUse(store, log),
  };
  const importJobs = createImportJobs({
    newProjects,
    mayBePrivate: importPrivateSources,
    onError: (message) => log.error(`an import failed: ${message}`),
  });
  app.addHook('onClose', importJobs.close);
  const adminRoutes = [
    ...projects(store, newProjects),
    ...environments(store, account.id),
    ...trafficTypes(store),
    ...attributes(store, { accountId: account.id, markers: markersFor('attributes', account.markerSecret) }),
    ...identities(store, { accountId: account.id, markers: markersFor('identities', account.markerSecret) }),
    ...rolloutStatuses(store),
    ...flags(store),
    ...definitions(store),
    ...segments(store, account.id),
    ...largeSegments(store),
    ...changeRequests(store, markersFor('changeRequests', account.markerSecret), { requestDays }),
    ...changesets(store, markersFor('changesets', account.markerSecret), { requestDays, delivery }),
    ...schedules(store, { requestDays }),
    ...users(store, { markers: markersFor('users', account.markerSecret), acceptPartialPut }),
    ...groups(store),
    ...ruleBasedSegments(store, account.id),
    ...apiKeys(store, account.id),
    ...restrictions(store),
    ...changes(store, markersFor('changes', account.markerSecret)),
    ...rollouts(store),
    ...sdks(store, delivery?.sdks),
    ...search(store),
    ...imports(store, importJobs),
    ...traffic(store, delivery),
    ...cleanup(store, delivery),
    ...codeReferences(store),
    ...views(store),
    ...server(store, manifest.version, surroundings),
  ];
  const flagSetRoutes = flagSets(store, markersFor('flag-sets', account.markerSecret));
  const liveStreams = createLiveStreams({ store, log });
  const afterReplies = createAfterReplies(log);
  app.addHook('onClose', afterReplies.drain);
  // Otherwise closing would wait for them.
  app.addHook('preClose', async () => {
    liveStreams.end();
    await delivery?.streams.end();
  });
  const sendsMail = surroundings.mail !== undefined;
  const accountRoutes = [...accounts(store, throttles, afterReplies.run, sendsMail), ...rights(store), ...live()];
  const probeRoutes = service(store, manifest.version);
  const uploadRoutes = uploads();
  const refuse = refuseUnknown([
    ...pathsOf(probeRoutes),
    ...pathsOf(uploadRoutes),
    ...pathsOf(adminRoutes, prefix),
    ...pathsOf(flagSetRoutes, prefixV3),
    ...pathsOf(flagSetRoutes, publicPrefixV3),
    ...pathsOf(accountRoutes, accountPrefix),
    ...['/openapi.json', '/docs', accountPrefix + livePath].map((path) => ({ method: 'GET', path })),
  ]);

  // For every request. Hooks of a scope run after these.
  for (const member of ['actor', 'problem', 'span']) app.decorateRequest(member, undefined);
  if (traces) traceRequests(app, traces);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers).header('x-transaction-id', request.id);
    if (request.url.includes('%00')) {
      throw new Problem('request_invalid', { complaints: ['The path and the query must not contain NUL'] });
    }
  });
  app.addHook('onResponse', async (request, reply) => ended(request, reply));
  readBodies(app);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler(refuse);

  const probes = async (scope: FastifyInstance) => {
    shareDeadline(scope, probeWaitMs);
    register(scope, services, probeRoutes);
  };

  const adminApi = (routes: readonly Route[]) => async (scope: FastifyInstance) => {
    shareDeadline(scope, maxWaitMs);
    await scope.register(cookie);
    allowOrigins(scope, corsOrigins);
    // In this order: responses are cached as they are sent, compressed.
    compressResponses(scope);
    responses.storeFrom(scope);
    register(scope, services, routes);
    scope.setNotFoundHandler(refuse);
    // Otherwise the interface's pages would answer every other GET.
    scope.get('/*', (_request, reply) => reply.callNotFound());
  };

  // No deadline for all of its work: a large file takes minutes.
  const uploadAddresses = async (scope: FastifyInstance) => {
    streamBodies(scope);
    register(scope, services, uploadRoutes);
  };

  const accountApi = async (scope: FastifyInstance) => {
    shareDeadline(scope, maxWaitMs);
    limitBodies(scope, accountBodyLimit);
    await scope.register(cookie);
    register(scope, services, accountRoutes);
    streamChanges(scope, services, liveStreams);
  };

  const apiDocuments = async (scope: FastifyInstance) => {
    limitAddresses(scope, limits);
    documents(scope);
  };

  await encapsulate(app, probes);
  await encapsulate(app, adminApi(adminRoutes), prefix);
  for (const base of [prefixV3, publicPrefixV3]) await encapsulate(app, adminApi(flagSetRoutes), base);
  await encapsulate(app, uploadAddresses);
  await encapsulate(app, accountApi, accountPrefix);
  await encapsulate(app, apiDocuments);
  await encapsulate(app, servePages);
  return app;
}

/** Hooks and parsers that `add` registers apply only to the routes of its scope. */
async function encapsulate(app: FastifyInstance, add: (scope: FastifyInstance) => Promise<void>, below = '') {
  await app.register(add as FastifyPluginAsync, { prefix: below });
}

/** Load balancers need a quick answer. */
const probeWaitMs = 2_000;

const pathsOf = (routes: readonly Route[], base = '') =>
  routes.map(({ endpoint: { method, path } }) => ({ method, path: base + path }));

/** Gives each request one deadline for all its database work. Time spent receiving the body does not count. */
function shareDeadline(scope: FastifyInstance, waitMs: number): void {
  scope.decorateRequest('waitLeftMs', waitMs);
  scope.addHook('onRequest', (_request, _reply, done) => withDeadline(waitMs, done));
  scope.addHook('preParsing', async (request) => {
    request.waitLeftMs = currentDeadline() - performance.now();
  });
  // Reading the body leaves the async context of the first hook.
  scope.addHook('preHandler', (request, _reply, done) => withDeadline(request.waitLeftMs, done));
}

declare module 'fastify' {
  interface FastifyRequest {
    waitLeftMs: number;
  }
}
