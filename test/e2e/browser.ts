/** A real Chromium, with visitors that report errors on any page. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Chromium without its window needs 40 % less processor time. Debian has both. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const executablePath = process.env.CHROMIUM ?? installed.find(existsSync);

/** As root Chromium needs to be without its sandbox; the others keep it from calling home. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How long a page may take for anything: far more than it needs, also on a machine that is busy with other things. */
export const timeoutMs = 60_000;

/** Does nothing where it is built already. */
export function buildInterface(): void {
  const script = fileURLToPath(new URL('../../scripts/build-web.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

/** Builds the interface if need be and starts a browser for the tests of the file. */
export async function startBrowser(): Promise<Browser> {
  const browser = await launchBrowser();
  after(() => browser.close());
  return browser;
}

/** The same for who closes it: nothing of the tests is needed for it. */
export async function launchBrowser(): Promise<Browser> {
  if (!executablePath || !existsSync(executablePath)) {
    throw new Error(
      `There is no Chromium at ${executablePath ?? installed.join(' or ')}: install it with ` +
        '"apt-get install -y --no-install-recommends chromium-headless-shell", or set CHROMIUM to where it is',
    );
  }
  buildInterface();
  return await chromium.launch({ executablePath, args });
}

/** A browser of its own for somebody: nothing is shared with other visitors. */
export interface Visitor {
  readonly page: Page;
  /** What went wrong that no page may do: errors in the console, requests to other hosts, refusals of the policy. */
  readonly complaints: readonly string[];
  leave(): Promise<void>;
}

export async function aVisitor(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  // A browser with a window lets pages copy on a click; without one it has to be told.
  const permissions = ['clipboard-write'];
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce', permissions, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(timeoutMs);
  await page.addInitScript(reportRefusals);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    if (isRefusal(message.text(), message.location().url)) return;
    complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== baseURL) complaints.push(`request to ${request.url()}`);
  });
  return { page, complaints, leave: () => context.close() };
}

/** Chromium says nothing in the console when the policy forbids code that is made of text: only this event tells. */
const reportRefusals =
  "addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => " +
  "console.error('refused by the policy:', violatedDirective, blockedURI))";

/** Chromium writes every answer of 4xx to the console; a refusal that the page expects is no mistake. */
const isRefusal = (text: string, url: string): boolean =>
  /^Failed to load resource: the server responded with a status of 4\d\d/.test(text) && url.includes('/internal/');
