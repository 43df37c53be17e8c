/** The checks that server and browser share, in a real page under its real policy. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { build, type Rolldown, type UserConfig } from 'vite';
import config from '../../web/vite.config.ts';
import { bodyWith } from '../domain/valid-definitions.ts';
import { aDefinition } from '../support/build.ts';
import { anInstallation } from '../support/process.ts';
import { until } from '../support/until.ts';
import { aVisitor, startBrowser } from './browser.ts';
import { visitsIn } from './support.ts';
import { type Case, verdictOn } from './verdicts.ts';

const browser = await startBrowser();
const visit = visitsIn(browser);

/** Good and bad bodies, with good and bad patches. */
const cases: Case[] = [
  ...fc.sample(bodyWith(0), { numRuns: 50, seed: 1 }).map((body) => ({ body, operations: [] })),
  ...[
    null,
    5,
    {},
    aDefinition({ killed: 'perhaps' }),
    aDefinition({ defaultRule: [{ treatment: 'off', size: 1.5 }] }),
  ].map((body) => ({ body, operations: [] })),
  ...[
    { op: 'replace', path: '/trafficAllocation', value: 50 },
    { op: 'replace', path: '/trafficAllocation', value: 'half' },
    { op: 'replace', path: '/name', value: 'other' },
    { op: 'add', path: '/rules/-', value: { buckets: [] } },
    { op: 'remove', path: '/treatments/1' },
  ].map((operation) => ({ body: aDefinition(), operations: [operation] }) as Case),
];

/** The script of the page, built as the interface is. */
async function scriptOf({ build: options, ...rest }: UserConfig): Promise<string> {
  const input = fileURLToPath(new URL('verdicts-page.ts', import.meta.url));
  const rolldownOptions = { ...options?.rolldownOptions, input, output: { codeSplitting: false } };
  const made = await build({
    ...rest,
    configFile: false,
    logLevel: 'silent',
    build: { ...options, write: false, rolldownOptions },
  });
  return (made as Rolldown.RolldownOutput).output[0].code;
}

/** What the script tells, put into a page of the server as a file of the server. */
async function verdictsIn(page: Page, script: string): Promise<unknown> {
  const { promise: verdicts, resolve: tell } = Promise.withResolvers();
  await page.exposeFunction('tell', tell);
  await page.route('**/cases.json', (route) => route.fulfill({ json: cases }));
  await page.route('**/verdicts.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  await page.goto('/sign-in');
  await page.addScriptTag({ url: '/verdicts.js', type: 'module' });
  return verdicts;
}

const interpreting = await scriptOf(config);

suite('the checks that server and browser share', () => {
  visit('they say in a page what they say in the server, and compile no code', async ({ page }) => {
    assert.deepEqual(await verdictsIn(page, interpreting), JSON.parse(JSON.stringify(cases.map(verdictOn))));
  });

  test('which the policy would not let pass: with the compiler it complains', async () => {
    const { url } = await anInstallation().start();
    const visitor = await aVisitor(browser, url);
    await verdictsIn(visitor.page, await scriptOf({ ...config, resolve: {} }));
    // The browser reports it after the script has gone on.
    await until('the policy has refused something', () => visitor.complaints.length > 0);
    assert.deepEqual(visitor.complaints, ['error: refused by the policy: script-src eval']);
    await visitor.leave();
  });
});
