import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Page } from 'playwright-core';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { field, press } from './people.ts';
import { aMember, eventually, look, signedInVisitsIn, type Things } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

const shown = (page: Page) => page.locator('a[data-flag]').allInnerTexts();
const tab = (page: Page, name: string) => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name });

async function someFlags(things: Things): Promise<void> {
  await aFlag(things, 'checkout_one_page', { tags: ['payments'], status: 'Ramping', on: { Staging: 50 } });
  await aFlag(things, 'search_ranker', { tags: ['search'], status: 'Ramping', on: {} });
  await aFlag(things, 'legacy_invoice', { tags: ['payments'], on: {} });
}

suite('the list of flags is kept and shown in other ways', { concurrency: 2 }, () => {
  visit('a view keeps filters, order and columns, for everyone or for one person', async (things) => {
    const { page } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags?status=Ramping&sort=name');
    await page.getByText('2 flags match').waitFor();
    await press(page, 'Columns');
    await page.getByLabel('Tags', { exact: true }).uncheck();
    await page.keyboard.press('Escape');
    await press(page, 'Save as a view');
    await field(page, 'Name').fill('In flight');
    await page.getByLabel('Everyone in the project').check();
    await look(page, 'saving a view');
    await press(page, 'Save view');
    await page.getByText('Saved the view In flight.').waitFor();
    assert.equal(await tab(page, 'In flight').getAttribute('aria-current'), 'page');

    // What differs from the view is said, and saved with one click.
    await field(page, 'Search flags').fill('one');
    await page.getByText('1 flag matches').waitFor();
    await page.getByText('Changed', { exact: true }).and(page.getByRole('status')).waitFor();
    await look(page, 'a changed view');
    await press(page, 'Save');
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
    assert.notEqual(await page.evaluate('document.activeElement?.tagName'), 'BODY');
    await tab(page, 'All').click();
    await page.getByText('3 flags', { exact: true }).waitFor();

    // An own view beside it is nobody else's.
    await field(page, 'Search flags').fill('invoice');
    await page.getByText('1 flag matches').waitFor();
    await press(page, 'Save as a view');
    await field(page, 'Name').fill('Mine');
    await press(page, 'Save view');
    await tab(page, 'Mine').waitFor();
    const liu = await aMember(things);
    await liu.page.goto('/p/Checkout/flags');
    await tab(liu.page, 'In flight').click();
    await liu.page.getByText('1 flag matches').waitFor();
    assert.deepEqual(await shown(liu.page), ['checkout_one_page']);
    assert.equal(await liu.page.getByRole('columnheader', { name: 'Tags' }).count(), 0);
    assert.equal(await tab(liu.page, 'Mine').count(), 0);

    await press(page, 'View Mine');
    await page.getByRole('menuitem', { name: 'Delete view' }).click();
    await press(page, 'Delete view');
    await tab(page, 'Mine').waitFor({ state: 'detached' });
    await page.getByText('3 flags', { exact: true }).waitFor();
    await liu.leave();
  });

  visit(
    'the board shows flags by status, and a card is moved with the mouse, the keyboard and back',
    async (things) => {
      const { page, api, project } = things;
      await someFlags(things);
      await page.goto('/p/Checkout/flags?tag=payments');
      await press(page, 'Board');
      const cards = (status: string) => page.getByRole('list', { name: status }).getByRole('link').allTextContents();
      await page.getByRole('button', { name: 'Move checkout_one_page' }).waitFor();
      // The filter applies, and a folded status keeps its number.
      assert.deepEqual(await cards('Ramping'), ['checkout_one_page']);
      await page.getByRole('button', { name: 'Unfold Killed, 0' }).waitFor();
      await look(page, 'board');
      await press(page, 'Move checkout_one_page');
      await page.keyboard.press('ArrowDown');
      await page.getByRole('menuitemradio', { name: '100% Released' }).press('Enter');
      await page.getByText('Moved checkout_one_page to 100% Released.').waitFor();
      assert.notEqual(await page.evaluate('document.activeElement?.tagName'), 'BODY');
      const statusOf = async () => (await api('GET', `/splits/ws/${project.id}/checkout_one_page`)).rolloutStatus.name;
      assert.equal(await statusOf(), '100% Released');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Moved checkout_one_page to Ramping.').waitFor();
      const strip = page.getByRole('button', { name: /^Unfold Killed/ });
      await page.locator('[data-card]').filter({ hasText: 'checkout' }).dragTo(strip);
      await page.getByText('Moved checkout_one_page to Killed.').waitFor();
      assert.equal(await statusOf(), 'Killed');
      await page.getByRole('button', { name: 'Unfold Killed, 1' }).click();
      await page.getByRole('list', { name: 'Killed' }).getByText('checkout').waitFor();

      // Those with an unsaved draft, also on the list.
      await page.goto('/p/Checkout/flags/search_ranker/Staging');
      await page.getByRole('button', { name: /Start with everyone off/ }).click();
      await page.goto('/p/Checkout/flags?drafts=true');
      await page.getByText('1 flag matches').waitFor();
      assert.deepEqual(await shown(page), ['search_ranker']);
      assert.equal(await page.getByRole('button', { name: 'With my drafts' }).getAttribute('aria-pressed'), 'true');
    },
  );

  visit('on a phone, where there are no column heads, the list is sorted from its filters', async (things) => {
    const { page } = things;
    for (const name of ['beta', 'alpha', 'gamma']) await aFlag(things, name);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/p/Checkout/flags');
    await page.getByRole('button', { name: 'Last changed' }).click();
    await page.getByRole('option', { name: 'Name' }).click();
    await page.waitForURL('**/flags?sort=name');
    await page.getByRole('search').getByRole('button', { name: 'Name' }).waitFor();
    await eventually(
      page,
      `[...document.querySelectorAll('a[data-flag]')].map((link) => link.innerText).join()`,
      'alpha,beta,gamma',
    );
  });

  visit('archived flags are a filter of the list, and several are archived and unarchived at once', async (things) => {
    const { page } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags?tag=payments');
    await page.getByText('2 flags match').waitFor();
    await page.getByLabel('Select all 2 flags').check();
    await press(page, 'Archive');
    await look(page, 'archiving flags');
    await press(page, 'Archive 2 flags');
    await page.getByText('Archived 2 flags.').waitFor();
    await page.getByText('0 flags match').waitFor();
    await press(page, 'Archived');
    await page.waitForURL('**archived=true**');
    await page.getByText('2 flags match').waitFor();
    await page.getByLabel('Select legacy_invoice').check();
    await press(page, 'Unarchive');
    await press(page, 'Unarchive legacy_invoice');
    await page.getByText('1 flag matches').waitFor();
    assert.deepEqual(await shown(page), ['checkout_one_page']);
  });
});
