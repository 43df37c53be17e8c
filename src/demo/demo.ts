/** `burgee demo`: a server full of believable data, somebody signed in, and a shop that follows its flags. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountPrefix } from '#contract/parts.ts';
import { type Config, localUrl, readConfig } from '../config.ts';
import { notListening, serve } from '../serve.ts';
import { onePage } from './one-page.ts';
import { ana, startServer } from './server.ts';
import { startShop } from './shop.ts';
import { seedTeam, teamSince } from './team.ts';

/** It listens on this machine only, because its passwords are public, and takes no setting but PORT. */
export async function demo({ PORT }: NodeJS.ProcessEnv, { open }: { readonly open: boolean }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-demo-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const config = readConfig({ PORT, DATABASE_URL: `file:${join(folder, 'burgee.db')}`, LOG_LEVEL: 'warn' });
  await requireFreePort(config);
  const { project, webKey } = await createData(config.databaseUrl);
  await serve(config);
  const burgee = localUrl(config.host, config.port);
  const flagPage = `${burgee}/p/${project.name}/flags/${onePage}/Production`;
  const shop = await startShop({ burgee, key: webKey, flagPage, cookie: await signIn(burgee) });
  process.stdout.write(`
The shop, whose checkout follows a flag:  ${shop.url}
The flag, signed in as ${ana.name}:         ${shop.signInUrl}

Change the percentage of ${onePage} in Production, save, and watch the shop.
To sign in elsewhere: ${ana.email}, password: ${ana.password}
Ctrl-C stops the demo and deletes its data.

`);
  if (open) for (const url of [shop.url, shop.signInUrl]) openInBrowser(url);
}

/** Creating the data takes seconds: a port that is in use is reported before. */
async function requireFreePort(config: Config): Promise<void> {
  const probe = createServer().listen(config.port, config.host);
  await once(probe, 'listening').catch((error: unknown) => {
    throw notListening(error, config);
  });
  await once(probe.close(), 'close');
}

async function createData(databaseUrl: string) {
  process.stderr.write('Creating two weeks of a team’s work, which takes some seconds ...\n');
  const stop = () => process.exit(130);
  process.on('SIGINT', stop);
  const server = await startServer(databaseUrl, teamSince);
  const created = await seedTeam(server);
  await server.stop();
  // From here on, the server itself stops on Ctrl-C.
  process.off('SIGINT', stop);
  return created;
}

async function signIn(url: string): Promise<string> {
  const reply = await fetch(`${url}${accountPrefix}/session`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ email: ana.email, password: ana.password }),
  });
  const cookie = reply.headers.get('set-cookie');
  if (!cookie) throw new Error(`${ana.name} could not sign in: ${await reply.text()}`);
  return cookie;
}

/** Without a browser, or a command that opens one, the addresses above are enough. */
function openInBrowser(url: string): void {
  const [command = '', ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[
    process.platform as string
  ] ?? ['xdg-open'];
  spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
