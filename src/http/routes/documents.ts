/** The API described: for machines at /openapi.json, for people at /docs, with nothing fetched from elsewhere. */

import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { toOpenApi } from '#contract/openapi.ts';
import { policyOfDocuments } from '../security-headers.ts';

export async function documents(app: FastifyInstance): Promise<void> {
  const document = toOpenApi();
  app.get('/openapi.json', async () => document);
  let pages: Promise<FastifyInstance> | undefined;
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    pages ??= pagesOf(document);
    const { statusCode, headers, rawPayload } = await (await pages).inject(request.url);
    if (statusCode === 404) return reply.callNotFound();
    reply.code(statusCode).headers({ 'content-security-policy': policyOfDocuments, 'cache-control': 'no-cache' });
    // The others are about a connection, and this was none.
    for (const name of ['content-type', 'location', 'etag']) if (headers[name]) reply.header(name, headers[name]);
    return reply.send(rawPayload);
  };
  app.get('/docs', show);
  app.get('/docs/*', show);
}

/** In a server of its own, made when somebody first looks: what it loads is 17 MB of text. */
async function pagesOf(document: ReturnType<typeof toOpenApi>): Promise<FastifyInstance> {
  const pages = fastify();
  const { default: apiReference } = await import('@scalar/fastify-api-reference');
  await pages.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      pageTitle: 'Burgee API',
      favicon: '/favicon.svg',
      content: document,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  return pages;
}
