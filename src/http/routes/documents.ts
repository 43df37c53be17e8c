/** The API described: for machines at /openapi.json, for people at /docs, with nothing fetched from elsewhere. */

import apiReference from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { toOpenApi } from '#contract/openapi.ts';
import { policyOfDocuments } from '../security-headers.ts';

/** Typed by hand, since the plugin's type of a hook is that of a callback. */
const onRequest = (_request: unknown, reply: FastifyReply, done: () => void) => {
  reply.headers({ 'content-security-policy': policyOfDocuments, 'cache-control': 'no-cache' });
  done();
};

export async function documents(app: FastifyInstance): Promise<void> {
  const document = toOpenApi();
  app.get('/openapi.json', async () => document);
  await app.register(apiReference, {
    routePrefix: '/docs',
    hooks: { onRequest },
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
}
