/** Moving in from a fake Split, on the page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { anInstallation } from '../support/process.ts';
import { startSplitAccount } from '../support/split-account.ts';
import { aVisitor, startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { aMember, aPlace, apiOf, focused, look, signUp } from './support.ts';

test('an account is connected, planned, repaired, imported after a stop, and verified, and nothing is left to do', async () => {
  const browser = await startBrowser();
  const server = await anInstallation().start({ IMPORT_PRIVATE_SOURCES: 'true' });
  const vendor = await startSplitAccount({ flags: 30, users: 4, keys: 20, projects: 1 });
  const visitor = await aVisitor(browser, server.url);
  const { page } = visitor;
  const api = await apiOf(server);
  const things = { ...visitor, ...(await aPlace(api)), server, api, browser };
  await signUp(page, server);
  await page.goto('/admin/settings');
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  await heading(page, 'Import').waitFor();
  await press(page, 'Read and plan');
  await page.getByText('Enter the Admin API key.').waitFor();
  await field(page, 'Address').fill(vendor.url);
  await field(page, 'Admin API key').fill('not-the-right-key');
  await look(page, 'connect to a source');
  await press(page, 'Read and plan');
  await page.getByText('The source refuses the Admin API key', { exact: false }).waitFor();
  await press(page, 'Back');
  await field(page, 'Address').fill(vendor.url);
  await field(page, 'Admin API key').fill(vendor.adminKey);
  await field(page, 'Environment').fill('Production');
  await field(page, 'SDK key').fill(vendor.sdkKeys['Default/Production'] ?? '');
  await field(page, 'Only project').fill('Default');
  await field(page, 'Into project').fill('Moved');
  await press(page, 'Read and plan');

  // What would do damage comes first, and is fixed on the spot.
  await page.getByRole('heading', { name: /rollouts in Staging would be re-bucketed/ }).waitFor();
  assert.equal(await page.evaluate(focused), 'Import', 'the focus is on the title, not lost');
  await page.getByText('Waits for the SDK key').waitFor();
  await page.getByLabel('Import them with new seeds').check();
  await page.getByText(/\d+ rollouts with new seeds/).waitFor();
  await look(page, 'a plan');
  const download = page.waitForEvent('download');
  await press(page, 'Download the plan');
  const report = readFileSync(await (await download).path(), 'utf8');
  assert.match(report, /<h2>Rehearsal: [\d,]+ evaluations, 0 differences<\/h2>/);
  await page
    .getByLabel('SDK key for Staging, server-side', { exact: true })
    .fill(vendor.sdkKeys['Default/Staging'] ?? '');
  await press(page, 'Add key');
  await page.getByRole('heading', { name: /re-bucketed/ }).waitFor({ state: 'detached' });
  await page.getByText(/Staging\s*[\d,]+ evaluations, 0 differences/).waitFor();

  // Stopped while it reads, then continued.
  vendor.trouble = (path) => (path.includes('splitChanges') ? 'hang' : undefined);
  await press(page, 'Import into Moved');
  await press(page, 'Stop');
  await page.getByText('It was stopped. What it wrote stays.', { exact: false }).waitFor();
  await look(page, 'an interrupted import');
  vendor.trouble = () => undefined;
  await press(page, 'Continue');
  await page.getByRole('heading', { name: /^\d+ objects imported$/ }).waitFor();
  await look(page, 'an import that is done');
  await press(page, 'Verify');
  await page
    .getByRole('region', { name: 'Verification' })
    .getByText(/^[\d,]+ evaluations, 0 differences$/)
    .waitFor();
  await press(page, 'Settings for Moved / Staging');
  await page.getByRole('button', { name: 'Create a server-side key' }).first().click();
  await page.getByText('Created just now. Shown once.').waitFor();
  await look(page, 'a verified import');

  // The keys are gone with the page, and a second run has nothing to do.
  await page.reload();
  await page.getByText('Keys are only in memory', { exact: false }).waitFor();
  await field(page, 'Address').fill(vendor.url);
  await field(page, 'Admin API key').fill(vendor.adminKey);
  await press(page, 'Add an environment');
  for (const [index, environment] of ['Production', 'Staging'].entries()) {
    await field(page, 'Environment').nth(index).fill(environment);
    await field(page, 'SDK key')
      .nth(index)
      .fill(vendor.sdkKeys[`Default/${environment}`] ?? '');
  }
  await field(page, 'Only project').fill('Default');
  await field(page, 'Into project').fill('Moved');
  await press(page, 'Read and plan');
  await page
    .getByRole('status')
    .filter({ hasText: /^Nothing to do: \d+ objects already here\.$/ })
    .waitFor();

  const member = await aMember(things);
  await member.page.goto('/admin/settings/import');
  await member.page.getByText('You cannot see Import').waitFor();
  assert.deepEqual([visitor.complaints, member.complaints], [[], []]);
  await visitor.leave();
  await member.leave();
});
