/** Takes screenshots of the pages to review, into `screenshots/`. `--only <number>` takes those of one number. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { accountPrefix } from '#contract/parts.ts';
import { ana, type Server, startServer } from '../../src/demo/server.ts';
import { aFlag, seedTeam, teamSince } from '../../src/demo/team.ts';
import { aVisitor, launchBrowser } from '../../test/e2e/browser.ts';
import { aPlace } from '../../test/e2e/support.ts';
import { type Picture, pictures } from './pictures.ts';

const folder = fileURLToPath(new URL('../../screenshots', import.meta.url));
const wide = { viewport: { width: 1440, height: 1120 }, deviceScaleFactor: 2 };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const wanted = pictures.filter(({ number }) => values.only === undefined || number === Number(values.only));
const say = (text: string) => process.stderr.write(`${text}\n`);

const stops: (() => Promise<void>)[] = [];
try {
  await takeAll();
} finally {
  for (const stop of stops.reverse()) await stop();
}

async function takeAll(): Promise<void> {
  if (wanted.length === 0) throw new Error(`There is no picture ${values.only}`);
  const browser = await launchBrowser();
  stops.push(() => browser.close());
  say('Filling servers with data ...');
  const servers = {
    team: await aServer(seedTeam, teamSince),
    started: await aServer(seedStarted),
    fresh: await aServer(),
  };
  if (values.only === undefined) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const picture of wanted) await take(browser, servers[picture.server ?? 'team'], picture);
}

async function aServer(seed?: (server: Server) => Promise<unknown>, since?: number): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-screenshots-'));
  stops.push(async () => rmSync(folder, { recursive: true, force: true }));
  const server = await startServer(`file:${join(folder, 'burgee.db')}`, since);
  stops.push(server.stop);
  await seed?.(server);
  return server;
}

/** As it is after the first two steps of getting started. */
async function seedStarted(server: Server): Promise<void> {
  const api = await server.firstAdministrator();
  await aFlag({ ...(await aPlace(api)), api }, 'checkout_one_page', { on: { Staging: 50 } });
}

async function take(browser: Browser, server: Server, picture: Picture): Promise<void> {
  const { page, complaints, leave } = await aVisitor(browser, server.url, picture.isOnPhone ? phone : wide);
  if (picture.server === 'fresh') await page.goto(`/setup?token=${server.setupToken}`);
  else await signIn(page, server);
  await picture.show(page);
  for (const colorScheme of picture.themes) {
    await page.emulateMedia({ colorScheme });
    await settle(page);
    const file = `${String(picture.number).padStart(2, '0')}-${picture.name}-${colorScheme}.png`;
    await page.screenshot({ path: join(folder, file) });
    say(`screenshots/${file}`);
  }
  for (const complaint of complaints) say(`  ${complaint}`);
  await leave();
}

async function signIn(page: Page, { url }: Server): Promise<void> {
  const { email, password } = ana;
  const reply = await page.request.post(`${url}${accountPrefix}/session`, {
    headers: { origin: url },
    data: { email, password },
  });
  if (!reply.ok()) throw new Error(await reply.text());
}

/** Waits until everything has loaded, fonts included, and moves the pointer away. */
async function settle(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await page.evaluate('scrollTo(0, 0)');
  await page.waitForLoadState('networkidle');
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}
