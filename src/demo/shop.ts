/** The shop's web server: the page with the browser SDK, its settings, and the way into Burgee without a password. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

interface Shop {
  readonly url: string;
  readonly signInUrl: string;
}

export interface ShopSettings {
  readonly burgee: string;
  /** A client-side key, which browsers may know. */
  readonly key: string;
  readonly flagPage: string;
}

/** `cookie`: of a session in Burgee. Browsers send cookies to all ports of a host, so the shop can set it for Burgee. */
export async function startShop({ cookie, ...settings }: ShopSettings & { readonly cookie: string }): Promise<Shop> {
  // Pages of other origins cannot guess it, so none of them can sign somebody in.
  const signInPath = `/sign-in/${randomBytes(16).toString('base64url')}`;
  const text = JSON.stringify({ ...settings, signInPath } satisfies ShopSettings & { signInPath: string });
  const replies: Record<string, (response: ServerResponse) => void> = {
    '/': sends('text/html; charset=utf-8', built('index.html')),
    '/shop.js': sends('text/javascript; charset=utf-8', built('shop.js')),
    '/settings.json': sends('application/json', text),
    [signInPath]: (response) => response.writeHead(303, { 'set-cookie': cookie, location: settings.flagPage }).end(),
  };
  const server = createServer((request, response) => {
    const reply = replies[request.url ?? ''];
    if (reply) reply(response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The demo ends with Burgee, not with the shop.
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${url}/`, signInUrl: url + signInPath };
}

const built = (name: string) => readFileSync(fileURLToPath(new URL(`../../web/dist/demo/${name}`, import.meta.url)));

const sends = (type: string, body: string | Buffer) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' }).end(body);
