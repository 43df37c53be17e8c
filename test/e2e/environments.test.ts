import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { startBrowser } from '../web/browser.ts';
import { field, heading, press } from '../web/people.ts';
import { aFlag, aMember, look, menuOf, row, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());
const withClipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

suite('environments', { concurrency: 2 }, () => {
  visit(
    'an environment is made with its keys, renamed, and deleted once nothing uses it',
    async (things) => {
      const { page, api } = things;
      await page.goto('/p/Checkout/environments');
      await press(page, 'New environment');
      await field(page, 'Name').fill('Staging');
      await press(page, 'Create environment');
      await page.getByText('An environment of this project has this name.').waitFor();
      await field(page, 'Name').fill('Canary');
      await page.getByRole('checkbox', { name: 'Production' }).check();
      await look(page, 'new environment');
      await press(page, 'Create environment');
      const dialog = page.getByRole('alertdialog', { name: 'Keys for Canary' });
      await dialog.getByText(/^burgee_c_/).waitFor();
      await dialog.getByText(/^burgee_s_/).waitFor();
      await look(page, 'keys of a new environment');
      await press(page, 'Copy Client-side key, for browsers and apps');
      await press(page, 'Done');
      await dialog.getByText('Not everything was copied.').waitFor();
      await press(page, 'Copy Server-side key, for your servers');
      await press(page, 'Done');
      await row(page, 'Canary').getByText('Prod').waitFor();
      await row(page, 'Canary').getByText('2 keys').waitFor();

      await menuOf(page, 'Canary', 'Edit');
      await field(page, 'Name').fill('Partners');
      await page.getByRole('checkbox', { name: 'Production' }).uncheck();
      await press(page, 'Save');
      await row(page, 'Partners').waitFor();
      assert.equal(await row(page, 'Partners').getByText('Prod', { exact: true }).count(), 0);
      await look(page, 'environments');

      await menuOf(page, 'Partners', 'Delete');
      await page.getByRole('dialog', { name: 'Partners is in use' }).getByText('2 API keys reach it').waitFor();
      await look(page, 'environment in use');
      await page.getByRole('link', { name: 'Revoke them' }).click();
      await heading(page, 'API keys').waitFor();
      await page.getByText('2 keys of 5').waitFor();
      const { objects } = await api('GET', '/apiKeys');
      for (const { id } of objects.slice(-2)) await api('DELETE', `/apiKeys/${id}`);
      await page.goto('/p/Checkout/environments');
      await menuOf(page, 'Partners', 'Delete');
      await press(page, 'Delete environment');
      await row(page, 'Partners').waitFor({ state: 'detached' });
    },
    withClipboard,
  );

  visit('flags that are defined in it keep an environment, and are named', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout_one_page', { on: { Staging: 50 } });
    await page.goto('/p/Checkout/environments');
    await row(page, 'Staging').getByText('1', { exact: true }).waitFor();
    await menuOf(page, 'Staging', 'Delete');
    await page.getByText('1 flag is defined here').waitFor();
    await page.getByText('checkout_one_page.').waitFor();
    await press(page, 'Close');
  });

  visit('a project without environments says what they are for; a member can only look', async (things) => {
    const { page, api } = things;
    await api('POST', '/workspaces', { name: 'Search' });
    await page.goto('/p/Search/environments');
    await page.getByText('No environments yet').waitFor();
    await look(page, 'no environments');
    const member = await aMember(things);
    await member.page.goto('/p/Checkout/environments');
    await row(member.page, 'Staging').waitFor();
    await member.page.getByText('Only administrators can change them.').waitFor();
    assert.equal(await member.page.getByRole('button', { name: 'More about' }).count(), 0);
    assert.equal(await member.page.getByRole('columnheader', { name: 'API keys' }).count(), 0);
    assert.deepEqual(member.complaints, []);
    await member.leave();
  });
});
