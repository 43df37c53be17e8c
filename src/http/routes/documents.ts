/**
 * The API documents: /openapi.json for machines, /docs for people, without external resources. They are public, so
 * replies are prepared buffers shared by all clients: clients that stop reading cost no memory.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { turnstile } from '#concurrency/turnstile.ts';
import { toOpenApi } from '#contract/openapi.ts';
import { acceptedEncoding, type Encoding } from '../server/compression.ts';
import { policyOfDocuments } from '../server/headers.ts';
import { dist, sendNotBuilt } from '../server/static.ts';

const sliceBytes = 65_536;

/** A file in all its encodings. */
type Ready = Readonly<Record<Encoding | 'identity', { readonly etag: string; readonly bytes: Buffer }>>;

export function documents(app: FastifyInstance): void {
  const openApi = lazy(() => compressed(JSON.stringify(toOpenApi())));
  const page = lazy(() => compressed(pageText));
  const start = lazy(() => compressed(startText));
  const viewer = lazy(() => compressedFiles(join(dist, 'docs/scalar.js')));

  const serve = (url: string, type: string, find: () => Promise<Ready>) =>
    app.get(url, async (request, reply) => send(request, reply.type(`${type}; charset=utf-8`), await find()));
  for (const url of ['/openapi.json', '/docs/openapi.json']) serve(url, 'application/json', openApi);
  serve('/docs/js/start.js', 'text/javascript', start);
  serve('/docs/js/scalar.js', 'text/javascript', viewer);
  app.get('/docs', async (request, reply) => {
    // The page requests it next.
    const isBuilt = await viewer().then(
      () => true,
      () => false,
    );
    if (!isBuilt) return sendNotBuilt(reply);
    reply.type('text/html; charset=utf-8').header('content-security-policy', policyOfDocuments);
    return send(request, reply, await page());
  });
}

function send(request: FastifyRequest, reply: FastifyReply, ready: Ready): FastifyReply {
  const encoding = acceptedEncoding(request.headers['accept-encoding']) ?? 'identity';
  const { etag, bytes } = ready[encoding];
  reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', etag });
  if ((request.headers['if-none-match'] ?? '').includes(etag))
    return reply.removeHeader('content-type').code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.header('content-length', bytes.length).send(Readable.from(slicesOf(bytes), { objectMode: false }));
}

/**
 * A socket accepts megabytes at once, and copying them for many clients in a row would block everyone else. So each
 * turn of the event loop sends only a few slices, across all clients. Clients that do not read wait.
 */
async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    await slicesPerTurn.pass(turn);
    yield bytes.subarray(start, start + sliceBytes);
  }
}

const slicesPerTurn = turnstile(4);

async function compressed(text: string): Promise<Ready> {
  const identity = Buffer.from(text);
  // Brotli's highest levels take a second, too long for something sent a few times a day.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(identity, { params }), promisify(gzip)(identity)]);
  return ready(identity, br, gzipped);
}

async function compressedFiles(path: string): Promise<Ready> {
  const [identity, br, gzipped] = await Promise.all([readFile(path), readFile(`${path}.br`), readFile(`${path}.gz`)]);
  return ready(identity, br, gzipped);
}

function ready(identity: Buffer, br: Buffer, gzipped: Buffer): Ready {
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  return {
    identity: { bytes: identity, etag: `"${hash}"` },
    br: { bytes: br, etag: `"${hash}-br"` },
    gzip: { bytes: gzipped, etag: `"${hash}-gzip"` },
  };
}

/** Created on first use; tried again after a failure. */
function lazy<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

const pageText = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Burgee API</title>
<link rel="icon" href="/favicon.svg">
</head>
<body>
<div id="app"></div>
<script src="/docs/js/scalar.js"></script>
<script src="/docs/js/start.js"></script>
</body>
</html>
`;

/** The viewer's own colours are too faint to read for many people. These have a contrast of 4.5 on all its grounds. */
const readableColours = `
.light-mode {
  --scalar-color-2: #5c5c5c;
  --scalar-color-3: #666666;
  --scalar-color-green: #00704a;
  --scalar-color-blue: #0063a8;
  --scalar-color-red: #c40016;
  --scalar-color-yellow: #7d5a00;
  --scalar-color-orange: #a84200;
  --scalar-color-purple: #5203d1;
}
.dark-mode {
  --scalar-color-2: #b0b0b0;
  --scalar-color-3: #9a9a9a;
  --scalar-color-red: #ff6b6b;
}`;

/**
 * A separate file, because the content security policy forbids inline scripts. The viewer draws parts while one
 * scrolls. Two of them need help each time: buttons that copy have no name, and lists that scroll on narrow screens
 * are not reached by keyboard.
 */
const startText = `new MutationObserver(() => {
  for (const button of document.querySelectorAll('button.group\\\\/copy-button:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy');
  for (const list of document.querySelectorAll('ul.endpoints:not([tabindex])')) list.tabIndex = 0;
}).observe(document.getElementById('app'), { childList: true, subtree: true });
Scalar.createApiReference('#app', {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  customCss: ${JSON.stringify(readableColours)},
});
`;
