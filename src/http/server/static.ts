/** The built interface: its files, and index.html for every page address. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { policyOfPages } from './headers.ts';

/** The output of `npm run build`. */
export const dist = fileURLToPath(new URL('../../../web/dist', import.meta.url));

/** Files beside index.html. All other built files are in /assets, with names that contain a content hash. */
const fixedFiles = ['/theme.js', '/favicon.svg'];
const aYear = 365 * 24 * 60 * 60 * 1000;

export async function servePages(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, { root: dist, serve: false, preCompressed: true, suppressWarning: true });
  app.get('/assets/*', (request, reply) => reply.sendFile(pathOf(request), { maxAge: aYear, immutable: true }));
  for (const file of fixedFiles)
    app.get(file, (_, reply) => withoutCache(reply).sendFile(file, { cacheControl: false }));
  app.get('/*', (request, reply) => (isPage(request) ? sendPage(reply) : reply.callNotFound()));
}

/** Page addresses in mails and links. */
const pages = /^\/(sign-in|setup|forgot|reset\/[^/]+|invitations\/[^/]+)?$/;

/** Browsers accept HTML when they navigate. Programs do not, and get a JSON error. */
const isPage = (request: FastifyRequest): boolean =>
  pages.test(pathOf(request)) ||
  ((request.headers.accept ?? '').includes('text/html') &&
    !/^\/(internal|api|fme|gateway|ng|authz|resourcegroup|docs|openapi\.json|health|ready)(\/|$)/.test(
      pathOf(request),
    ));

function sendPage(reply: FastifyReply): FastifyReply {
  withoutCache(reply).headers({
    'content-security-policy': policyOfPages,
    'cross-origin-opener-policy': 'same-origin',
  });
  if (existsSync(join(dist, 'index.html'))) return reply.sendFile('/index.html', { cacheControl: false });
  return sendNotBuilt(reply);
}

export const sendNotBuilt = (reply: FastifyReply): FastifyReply =>
  reply.code(503).type('text/html; charset=utf-8').send(notBuilt);

const withoutCache = (reply: FastifyReply): FastifyReply => reply.header('cache-control', 'no-cache');

const pathOf = ({ url }: FastifyRequest): string => url.replace(/[?#].*$/s, '');

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Burgee is not built</title></head>
<body>
<h1>The interface is not built</h1>
<p>Run <code>npm run build</code> where Burgee is installed, then load this page again. <code>npm start</code> builds it automatically.</p>
<p>The API works without it and is described at <a href="/openapi.json">/openapi.json</a>.</p>
</body>
</html>
`;
