/** Signed-in visits to a server with data that the test creates. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accountPrefix } from '#contract/parts.ts';
import type { Api } from '../../src/demo/server.ts';
import { definitionWith, type Place } from '../../src/demo/team.ts';
import { anInstallation, type Server } from '../support/process.ts';
import { aVisitor, timeoutMs, type Visitor } from './browser.ts';
import { ana, setupLink } from './people.ts';

export interface Things extends Visitor, Place {
  readonly server: Server;
  readonly api: Api;
  readonly browser: Browser;
}

type Body<Given> = (given: Given) => Promise<void>;
type Visit<Given> = (name: string, body: Body<Given>, options?: BrowserContextOptions) => void;

/** Visits on ways that are rarely gone are `long`: the short form of the tests, which CI runs, leaves them out. */
type Visits<Given> = Visit<Given> & { readonly long: Visit<Given> };

export const isShort = process.env.E2E === 'short';
const notInShortForm = isShort && 'left out of the short form, E2E=short';

/** Tests with a new server and browser each, in which no page may do what `Visitor.complaints` lists. */
export function visitsIn(browser: Browser): Visits<Visitor & { readonly server: Server }> {
  const visits =
    (skip: string | false): Visit<Visitor & { readonly server: Server }> =>
    (name, body, options) =>
      void test(name, { skip }, async () => {
        const server = await anInstallation().start();
        const visitor = await aVisitor(browser, server.url, options);
        await body({ ...visitor, server });
        assert.deepEqual(visitor.complaints, []);
        await visitor.leave();
      });
  return Object.assign(visits(false), { long: visits(notInShortForm) });
}

/** The same, with Ana as the administrator, signed in. */
export function signedInVisitsIn(browser: Browser): Visits<Things> {
  const visit = visitsIn(browser);
  const signedIn =
    (body: Body<Things>): Body<Visitor & { readonly server: Server }> =>
    async ({ server, ...visitor }) => {
      const api = await apiOf(server);
      const place = await aPlace(api);
      await signUp(visitor.page, server);
      await body({ ...visitor, ...place, server, api, browser });
    };
  return Object.assign<Visit<Things>, { long: Visit<Things> }>(
    (name, body, options) => visit(name, signedIn(body), options),
    { long: (name, body, options) => visit.long(name, signedIn(body), options) },
  );
}

export async function apiOf(server: Server): Promise<Api> {
  const as = await server.printedKey();
  return async (method, path, body) => {
    const answer = await server.call(method, path, { as, body });
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}

/** The first project, renamed, with three environments. */
export async function aPlace(api: Api): Promise<Place> {
  const { objects } = await api('GET', '/workspaces');
  const { id } = objects[0];
  const rename = (path: string, name: string) => api('PATCH', path, [{ op: 'replace', path: '/name', value: name }]);
  await rename(`/workspaces/${id}`, 'Checkout');
  const [production, staging] = await api('GET', `/environments/ws/${id}`);
  await rename(`/environments/ws/${id}/${production.id}`, 'Production');
  await rename(`/environments/ws/${id}/${staging.id}`, 'Staging');
  const development = await api('POST', `/environments/ws/${id}`, { name: 'Development', production: false });
  return {
    project: { id, name: 'Checkout' },
    environments: {
      Development: { id: development.id, name: 'Development' },
      Staging: { id: staging.id, name: 'Staging' },
      Production: { id: production.id, name: 'Production' },
    },
  };
}

/** Makes Ana the first administrator and signs her in, without the pages. */
export async function signUp(page: Page, server: Server): Promise<void> {
  const token = new URL(await setupLink(server)).searchParams.get('token');
  const reply = await page.request.post(`${server.url}${accountPrefix}/setup`, { data: { token, ...ana } });
  assert.equal(reply.status(), 200, await reply.text());
}

/** Invites somebody, who accepts at once and is signed in in a browser of their own. */
export async function aMember({ browser, server, api }: Things, email = 'liu@example.org'): Promise<Visitor> {
  await api('POST', '/users', { email });
  const link = new RegExp(`"email":"${email.replaceAll('.', '\\.')}","link":"[^"]+/invitations/([^"]+)"`);
  const [, token] = await server.says(link);
  const visitor = await aVisitor(browser, server.url);
  const reply = await visitor.page.request.post(`${server.url}${accountPrefix}/invitations/${token}`, {
    data: { name: 'Liu Wei', password: ana.password },
  });
  assert.equal(reply.status(), 200, await reply.text());
  return visitor;
}

/**
 * Asks the page until the expression has the value. Playwright's own way to wait for a function makes one out of text
 * in the page, which the policy forbids.
 */
export async function eventually(page: Page, expression: string, expected: unknown): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await page.evaluate(expression);
    if (found === expected || Date.now() > deadline) return assert.deepEqual(found, expected, expression);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const focused = 'document.activeElement.textContent';

/** Changes by others are not told to the page. */
export const blockStream = (page: Page) =>
  page.route('**/internal/account/live', (route) => route.fulfill({ status: 403 }));

/** The width of the page, and the first elements that reach beyond the window. */
const tooWide = `document.documentElement.scrollWidth + ' ' + [...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth)
  .map((one) => one.tagName + '.' + one.className + ' ' + one.getBoundingClientRect().right).slice(0, 8).join(', ')`;

/**
 * Nothing keeps people out of what the page shows now: in both themes, and without sideways scrolling at any width. The
 * short form looks at one theme and its widths only, which the name of the state decides.
 */
export async function look(page: Page, state: string): Promise<void> {
  const isLight = state.length % 2 === 0;
  if (!isShort || isLight) await lookInTheLight(page, state);
  if (!isShort || !isLight) await lookInTheDark(page, state, isShort ? undefined : ofThemesAndWidths);
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Resizing takes long, so each width is taken in one theme: colours do not change where things are. */
async function lookInTheLight(page: Page, state: string): Promise<void> {
  for (const width of [768, 320, 1280]) await requireFits(page, state, width);
  assert.deepEqual(await violationsOn(page), [], `${state}, light`);
}

async function lookInTheDark(page: Page, state: string, rules: readonly string[] | undefined): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await requireFits(page, state, 390);
  assert.deepEqual(await violationsOn(page, rules), [], `${state}, dark and narrow`);
  await page.emulateMedia({ colorScheme: 'light' });
}

async function requireFits(page: Page, state: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  // Tables and pictures are measured again after the width has changed.
  await eventually(page, 'document.documentElement.scrollWidth <= innerWidth', true).catch(async () =>
    assert.fail(`${state} scrolls sideways at ${width}: ${await page.evaluate(tooWide)}`),
  );
}

/** Axe's rules whose answers depend on colours or on the width. */
const ofThemesAndWidths = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable'];

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** What axe calls serious or critical, with where it is. It is loaded once for each document. */
async function violationsOn(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) });
  const violations = await page.evaluate<Violation[]>(`axe.run(${options}).then(({ violations }) => violations)`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** A definition with three rules, whose names are those of their segments. */
export const whole = {
  ...definitionWith(50),
  rules: ['staff', 'beta', 'eu'].map((string) => ({
    buckets: [{ treatment: 'on', size: 100 }],
    condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string }] },
  })),
};

export async function openFlag(page: Page, flag: string, environment: string): Promise<void> {
  await page.goto(`/p/Checkout/flags/${flag}/${encodeURIComponent(environment)}`);
  await page.getByRole('heading', { level: 2, name: environment, exact: true }).waitFor();
}

/** What the server has. */
export const definitionIn = ({ api, project, environments }: Things, flag: string, environment: string) =>
  api('GET', `/splits/ws/${project.id}/${flag}/environments/${environments[environment]?.id}`);

export const saveBar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' });

/** A step of the ladder, by its title. */
export const step = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3, name: title }) });

/** Goes through the review and saves. */
export async function review(page: Page, environment: string): Promise<void> {
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('button', { name: `Save to ${environment}` }).click();
  await page.getByText(`Saved to ${environment}.`).first().waitFor();
  await saveBar(page).waitFor({ state: 'detached' });
}

/** The row of a table that has the text in it. */
export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/** Opens the menu about something and does what it offers. */
export async function menuOf(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More about ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Chooses from the list that a button opens, and closes it. */
export async function choose(page: Page, button: string, list: string, option: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('combobox', { name: list, exact: true }).fill(option);
  await page.getByRole('option', { name: option }).click();
  // Those that take several choices stay open.
  await page.keyboard.press('Escape');
}
