/** How many requests a page takes when it is opened for the first time. */
import assert from 'node:assert/strict';
import { aFlag } from '../../src/demo/team.ts';
import { aVisitor, startBrowser } from './browser.ts';
import { openFlag, signedInVisitsIn, step } from './support.ts';

const browser = await startBrowser();
const visit = signedInVisitsIn(browser);

visit('the page of a flag can be used after at most 15 requests, and loads all its parts with 45', async (things) => {
  const { page, server } = things;
  await aFlag(things, 'counted', { on: { Staging: 50 } });
  const storageState = await page.context().storageState();
  // With nothing in its cache.
  const fresh = await aVisitor(browser, server.url, { storageState });
  const requested = new Set<string>();
  fresh.page.on('request', (request) => {
    // The stream is no part of loading. What was created just now is told there, and asked for again.
    if (!request.url().endsWith('/account/live')) requested.add(request.url());
  });
  let usable: string[] = [];
  fresh.page.on('response', (response) => {
    if (usable.length === 0 && response.url().includes('expand=definitions')) usable = [...requested];
  });
  await openFlag(fresh.page, 'counted', 'Staging');
  await step(fresh.page, 'Everyone else').waitFor();
  assert.ok(usable.length > 0 && usable.length <= 15, `${usable.length}:\n${usable.join('\n')}`);
  await fresh.page.getByRole('heading', { name: 'Who sees what' }).waitFor();
  await fresh.page.waitForLoadState('load');
  assert.ok(requested.size <= 45, `${requested.size}:\n${[...requested].join('\n')}`);
  await fresh.leave();
});
