/** The API described: for machines at /openapi.json, for people at /docs, with nothing fetched from elsewhere. */

import apiReference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { toOpenApi } from '#contract/openapi.ts';

export async function documents(app: FastifyInstance): Promise<void> {
  const document = toOpenApi();
  app.get('/openapi.json', async () => document);
  await app.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      pageTitle: 'Burgee API',
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
