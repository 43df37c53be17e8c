import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { anInstallation } from '../support/process.ts';
import { aVisitor, startBrowser } from './browser.ts';
import { field, heading, press, setUp } from './people.ts';
import { look } from './support.ts';

const browser = await startBrowser();

test('a server that goes away and comes back loses nothing of what was typed', async () => {
  const installation = anInstallation();
  const variables = { PORT: String(await freePort()) };
  const first = await installation.start(variables);
  // What this visitor has to complain about is the point here: requests fail.
  const { page, leave } = await aVisitor(browser, first.url);
  await setUp(page, first);
  await page.goto('/p/Default/flags/new');
  await field(page, 'Name').fill('checkout');
  await press(page, 'Create flag');
  await page.waitForURL('**/flags/checkout/Staging-Default');
  await page.goto('/p/Default/flags/checkout/details');
  await field(page, 'Description').fill('Typed while the server was there');

  await first.end('SIGTERM');
  await press(page, 'Save');
  const bar = page.getByText('No connection. Your draft is kept.');
  await bar.waitFor();
  await page.getByText('No connection to the server.').waitFor();
  await look(page, 'no connection');
  assert.equal(await field(page, 'Description').inputValue(), 'Typed while the server was there');

  const second = await installation.start(variables);
  await bar.waitFor({ state: 'detached' });
  await press(page, 'Save');
  await page.getByText('Saved.', { exact: true }).waitFor();
  await heading(page, 'checkout').waitFor();
  await leave();
  await second.end('SIGTERM');
});
