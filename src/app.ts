/** The server without a socket: bodies, problems, routes. Tests use it as it is; `serve.ts` lets it listen. */

import cookie from '@fastify/cookie';
import { type FastifyInstance, type FastifyRequest, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import { contextFor } from '#commands/context.ts';
import { transactionIds } from '#commands/transaction-ids.ts';
import { accountPrefix, prefix } from '#contract/parts.ts';
import { Problem } from '#domain/problems.ts';
import { keptAnswers } from '#http/answers.ts';
import { readBodies } from '#http/bodies.ts';
import { register, type Services } from '#http/implement.ts';
import { createLimits, type RateLimits } from '#http/limits.ts';
import { markersFor } from '#http/markers.ts';
import { sharePatience } from '#http/patience.ts';
import { answerProblem } from '#http/problems.ts';
import { accounts } from '#http/routes/accounts.ts';
import { apiKeys } from '#http/routes/api-keys.ts';
import { changes } from '#http/routes/changes.ts';
import { definitions } from '#http/routes/definitions.ts';
import { documents } from '#http/routes/documents.ts';
import { environments } from '#http/routes/environments.ts';
import { flags } from '#http/routes/flags.ts';
import { groups } from '#http/routes/groups.ts';
import { projects } from '#http/routes/projects.ts';
import { restrictions } from '#http/routes/restrictions.ts';
import { rolloutStatuses } from '#http/routes/rollout-statuses.ts';
import { service } from '#http/routes/service.ts';
import { trafficTypes } from '#http/routes/traffic-types.ts';
import { users } from '#http/routes/users.ts';
import { safeHeaders } from '#http/security-headers.ts';
import { answerBrokenHttp, createHttpServer } from '#http/server.ts';
import { servePages } from '#http/static.ts';
import { createThrottles } from '#http/throttle.ts';
import { refuseUnknown } from '#http/unknown.ts';
import { keyUse, sessionUse } from '#jobs/last-use.ts';
import type { Account } from '#store/account.ts';
import type { Store } from '#store/sql.ts';

export interface AppOptions {
  readonly store: Store;
  readonly account: Account;
  readonly log: Logger;
  readonly publicUrl?: string | undefined;
  readonly trustProxy?: string | undefined;
  readonly rateLimits?: RateLimits | undefined;
}

export async function createApp({
  store,
  account,
  log,
  publicUrl,
  trustProxy = '',
  rateLimits = { perKey: undefined, perAddress: undefined },
}: AppOptions): Promise<FastifyInstance> {
  const nextTransactionId = transactionIds();
  // What is answered before the framework sees it is counted by nobody, so nothing is where a limit is set.
  const isLimited = rateLimits.perKey !== undefined || rateLimits.perAddress !== undefined;
  const answers = keptAnswers(() => (isLimited ? undefined : store.stamp()), nextTransactionId);
  const headers = safeHeaders(publicUrl);
  const app = fastify({
    serverFactory: (handle) =>
      createHttpServer((request, response) => {
        const answered = answers.tryAnswer(request, response);
        if (answered) log.debug(answered, 'request');
        else handle(request, response);
      }),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'transactionId' }),
    genReqId: nextTransactionId,
    trustProxy: trustProxy === '' ? false : trustProxy,
    // Idle keep-alive connections must not hold up the stop.
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 2_000 },
    frameworkErrors: (error, request, reply) => {
      // Hooks do not run for what is refused before routing.
      void answerProblem(error, request, reply.headers(headers).header('x-transaction-id', request.id));
      logRequest(request, reply.statusCode, reply.elapsedTime);
    },
    clientErrorHandler: ({ code }, socket) => answerBrokenHttp(socket, code, nextTransactionId(), headers),
  }) as unknown as FastifyInstance;
  // Node would answer 417 without a body; whoever expects what we do not know is served as if they expected nothing.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  sharePatience(app);
  for (const member of ['actor', 'person', 'things', 'problem']) app.decorateRequest(member, undefined);

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers).header('x-transaction-id', request.id);
    // Bodies are JSON whatever this header says, even when it is no content type at all.
    if (request.headers['content-type'] !== undefined) request.headers['content-type'] = 'application/json';
    if (request.url.includes('%00')) {
      throw new Problem('request_invalid', { complaints: ['The path and the query must not contain NUL'] });
    }
  });
  answers.keepFrom(app);
  app.addHook('onResponse', async (request, reply) => logRequest(request, reply.statusCode, reply.elapsedTime));
  app.setErrorHandler(answerProblem);
  readBodies(app);

  await app.register(cookie);
  const throttles = createThrottles();
  const services: Services = {
    db: store,
    throttles,
    limits: createLimits(rateLimits),
    publicUrl,
    contextFor: (actor, transactionId) => contextFor(store, actor, transactionId),
    keyUsed: keyUse(store, log),
    sessionUsed: sessionUse(store, log),
  };

  const ofTheApi = [
    ...projects(store),
    ...environments(store, account.id),
    ...trafficTypes(store),
    ...rolloutStatuses(store),
    ...flags(store),
    ...definitions(store),
    ...users(store, markersFor('users', account.markerSecret)),
    ...groups(store),
    ...apiKeys(store, account.id),
    ...restrictions(store),
    ...changes(store, markersFor('changes', account.markerSecret)),
  ];
  const served = [
    ['', service(store)],
    [prefix, ofTheApi],
    [accountPrefix, accounts(store, throttles)],
  ] as const;
  for (const [base, routes] of served) register(app, services, base, routes);
  const known = served.flatMap(([base, routes]) =>
    routes.map(({ endpoint: { method, path } }) => ({ method, path: base + path })),
  );
  const documentPaths = ['/openapi.json', '/docs'].map((path) => ({ method: 'GET', path }));
  app.setNotFoundHandler(refuseUnknown([...known, ...documentPaths]));
  await documents(app);
  await servePages(app);
  return app;
}

/** The route, not the path: a path may carry a key. What was read without trouble is for debugging only. */
function logRequest(request: FastifyRequest, status: number, milliseconds: number): void {
  const quiet = (request.method === 'GET' || request.method === 'HEAD') && status < 400;
  request.log[quiet ? 'debug' : 'info'](
    {
      method: request.method,
      route: request.routeOptions.url,
      status,
      milliseconds: Math.round(milliseconds),
      actor: request.actor?.id,
      problem: request.problem,
    },
    'request',
  );
}
