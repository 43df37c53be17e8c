// Bundles page.mjs with the SDK and serves it: open the address that it prints.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const {
  BURGEE_URL: burgee = 'http://127.0.0.1:8080',
  BURGEE_KEY: key,
  FLAG: flag = 'new_checkout',
  PORT = '3000',
} = process.env;
if (!key) throw new Error('Set BURGEE_KEY to a client-side key');

const input = fileURLToPath(new URL('page.mjs', import.meta.url));
const [{ output }] = await build({
  configFile: false,
  logLevel: 'error',
  build: { write: false, lib: { entry: input, formats: ['es'], fileName: 'page' } },
});
const settings = JSON.stringify({ burgee, key, flag, user: 'ada' }).replaceAll('<', '\\u003c');
const html = `<!doctype html><meta charset="utf-8"><title>${flag}</title>
<body>Loading…<script>globalThis.settings = ${settings};</script><script type="module">${output[0].code.replaceAll('</script', '<\\/script')}</script>`;

createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
}).listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}/`));
