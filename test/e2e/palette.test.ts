import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { look, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

suite('keys and the palette', { concurrency: 2 }, () => {
  visit('the palette finds flags, people and pages, and what can be done here', async (things) => {
    const { page, api } = things;
    await aFlag(things, 'checkout_one_page');
    await aFlag(things, 'search_ranker');
    await api('POST', '/groups', { name: 'Checkout team' });
    await page.goto('/p/Checkout/flags/search_ranker/details');
    await heading(page, 'search_ranker').waitFor();
    await page.goto('/p/Checkout/flags');
    await page.getByText('2 flags').waitFor();
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Search or jump to' });
    const input = dialog.getByRole('combobox');
    await dialog.getByRole('option', { name: /^New flag/ }).waitFor();
    await dialog.getByText('Recent').waitFor();
    await dialog.getByRole('option', { name: 'search_ranker Checkout' }).waitFor();
    await look(page, 'palette');
    await input.fill('check');
    await dialog.getByRole('option', { name: 'checkout_one_page Checkout' }).waitFor();
    await dialog.getByRole('option', { name: 'Checkout team' }).waitFor();
    await input.fill('nothing at all');
    await dialog.getByText('No matches in any project. You can search for any part of a name.').waitFor();
    await input.fill('ANA');
    await dialog.getByRole('option', { name: /Ana Ruiz/ }).waitFor();
    await input.fill('one_page');
    await dialog.getByRole('option', { name: /checkout_one_page/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/flags/checkout_one_page/Staging');
    await dialog.waitFor({ state: 'detached' });
  });

  visit('the palette reaches flags of all projects, mistyped ones, and acts on them', async (things) => {
    const { page, api } = things;
    await aFlag(things, 'checkout_one_page', { on: { Production: 50 } });
    await api('POST', '/workspaces', { name: 'Banking' });
    await page.goto('/p/Banking/flags');
    await heading(page, 'Flags').waitFor();
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Search or jump to' });
    await page.keyboard.type('chekcout');
    await dialog.getByRole('option', { name: 'checkout_one_page Checkout' }).waitFor();
    await page.keyboard.type(' kill');
    await dialog.getByRole('option', { name: /checkout_one_page · Kill in Production/ }).waitFor();
    await look(page, 'palette with actions');
    assert.match((await page.locator('[data-active]').innerText()).replaceAll(/\s+/g, ' '), /Kill in Production/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/p/Checkout/flags/checkout_one_page/Production?kill=');
    await page.getByRole('alertdialog', { name: 'Kill in Production?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('banking env');
    await page.getByRole('option', { name: 'Banking · Environments' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/p/Banking/environments');
  });

  visit.long('the palette is gone through by arrows and does what the page can', async ({ page }) => {
    await page.goto('/p/Checkout/flags');
    await page.getByText('No flags yet').waitFor();
    await page.getByRole('button', { name: /^Search or jump to/ }).click();
    const input = page.getByRole('dialog').getByRole('combobox');
    await input.fill('set');
    await page.getByRole('option', { name: 'Project settings' }).waitFor();
    const active = () => page.locator('[data-active]').innerText();
    assert.equal(await active(), 'Project settings');
    await page.keyboard.press('ArrowDown');
    assert.equal(await active(), 'Server settings');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    assert.equal(await active(), 'Changesets');
    await input.fill('new fl');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New flag' }).waitFor();
  });

  visit.long('Escape closes the palette and gives the focus back', async ({ page }) => {
    await page.goto('/p/Checkout/flags');
    await heading(page, 'Flags').waitFor();
    await page.getByRole('link', { name: 'Environments' }).focus();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Environments');
  });

  visit('? lists the keys of the page, and single keys can be switched off', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout');
    await page.goto('/p/Checkout/flags');
    await page.getByText('1 flag', { exact: true }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Shortcuts on this page' });
    const words = (await dialog.locator('dl').innerText()).replaceAll(/\s+/g, ' ');
    for (const line of [
      'Search or jump to Ctrl K',
      'New flag N',
      'Search flags /',
      'Next flag J',
      'Select the flag X',
    ]) {
      assert.ok(words.includes(line), `${line} in ${words}`);
    }
    await page.keyboard.press('n');
    assert.match(page.url(), /\/flags$/);
    await dialog.getByRole('link', { name: 'Turn single-key shortcuts off' }).click();
    await page.getByRole('checkbox', { name: 'Single-key shortcuts' }).uncheck();
    await page.goto('/p/Checkout/flags');
    await page.getByText('1 flag', { exact: true }).waitFor();
    await page.keyboard.press('n');
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 1);
    assert.match(page.url(), /\/flags$/);
  });

  visit.long('keys mean letters in fields', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout');
    await page.goto('/p/Checkout/flags/checkout/details');
    await field(page, 'Description').fill('');
    await page.keyboard.type('n?jk/');
    assert.equal(await field(page, 'Description').inputValue(), 'n?jk/');
    await press(page, 'Discard');
  });
});
