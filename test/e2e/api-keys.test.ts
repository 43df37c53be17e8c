import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Page } from 'playwright-core';
import { prefix } from '#contract/parts.ts';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { aMember, choose, look, row, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

/** The list behind it has labels with the same words, as soon as it is there. */
const newKey = (page: Page) => page.getByRole('dialog', { name: 'New API key' });

suite('API keys', { concurrency: 2 }, () => {
  visit('a key is made, is shown once, works, and opens nothing any more once it is revoked', async (things) => {
    const { page, server, project, environments } = things;
    await page.goto('/admin/api-keys');
    await press(page, 'New key');
    await press(page, 'Create key');
    await page.getByText('Enter a name.').waitFor();
    await page.getByText('Choose at least one role.').waitFor();
    await field(page, 'Name').fill('ci-deploy');
    await newKey(page).getByLabel('Flag editor').check();
    await newKey(page).getByLabel('Some environments').check();
    await press(page, 'Create key');
    await page.getByText('Choose an environment.').waitFor();
    await newKey(page).getByLabel('Staging').check();
    await look(page, 'new key');
    await press(page, 'Create key');

    const dialog = page.getByRole('alertdialog', { name: 'Key for ci-deploy' });
    await dialog.getByText('Waiting for the first call').waitFor();
    const key = (await dialog.getByText(/^burgee_a_/).innerText()).trim();
    const get = (path: string) =>
      fetch(`${server.url}${prefix}${path}`, { headers: { authorization: `Bearer ${key}` } });
    const seen = await (await get(`/environments/ws/${project.id}`)).json();
    assert.deepEqual(seen, [{ ...environments.Staging, production: false }]);
    assert.equal((await get('/users')).status, 403);
    await dialog.getByText('It works.').waitFor();
    await look(page, 'key just made');

    await page.keyboard.press('Escape');
    await dialog.getByText('It cannot be shown again.').waitFor();
    await press(page, 'Go back');
    await dialog.getByRole('button', { name: 'Copy The key' }).click();
    await press(page, 'Done');
    await row(page, 'ci-deploy')
      .getByText(`…${key.slice(-4)}`)
      .waitFor();
    await row(page, 'ci-deploy').getByText('Flag editor').waitFor();
    await row(page, 'ci-deploy').getByText('Staging').waitFor();
    assert.ok(!(await page.content()).includes(key));
    assert.equal(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'), '[{},{}]');
    await look(page, 'keys');

    await press(page, 'Edit ci-deploy');
    const edit = page.getByRole('dialog', { name: 'Edit ci-deploy' });
    await edit.getByLabel('Name').fill('ci-release');
    await edit.getByLabel('Last day').fill('2020-01-01');
    await press(page, 'Save');
    await edit.getByText('Choose today or a later day.').waitFor();
    const today = String(await page.evaluate("new Date().toLocaleDateString('sv')"));
    await edit.getByLabel('Last day').fill(today);
    await look(page, 'edit key');
    await press(page, 'Save');
    await row(page, 'ci-release')
      .getByText(/^expires /)
      .waitFor();
    await look(page, 'a key that expires');
    assert.equal((await get(`/environments/ws/${project.id}`)).status, 200);
    await press(page, 'Edit ci-release');
    assert.equal(await page.getByLabel('Last day').inputValue(), today);
    await page.getByLabel('Last day').fill('');
    await page.getByLabel('Name').fill('ci-deploy');
    await press(page, 'Save');
    await row(page, 'ci-deploy').waitFor();
    assert.equal(await page.getByText(/^expires /).count(), 0);

    await press(page, 'Revoke ci-deploy');
    await page.getByText(/get 401\. It was last used/).waitFor();
    await look(page, 'revoke');
    await press(page, 'Revoke key');
    await row(page, 'ci-deploy').waitFor({ state: 'detached' });
    assert.equal((await get('/workspaces')).status, 401);
  });

  visit('keys of SDKs have no roles and reach exactly one environment', async ({ page, api }) => {
    await page.goto('/admin/api-keys?new');
    await newKey(page).getByLabel('Client-side').check();
    assert.equal(await newKey(page).getByLabel('Flag editor').count(), 0);
    await field(page, 'Name').fill('shop web');
    await newKey(page).getByLabel('Production').check();
    await press(page, 'Create key');
    await page.locator('label', { hasText: 'React' }).click();
    await page.getByText('Save as App.jsx').waitFor();
    assert.equal(await page.getByRole('radio', { name: 'Node' }).count(), 0, 'only SDKs that take such a key');
    await press(page, 'Done');
    await press(page, 'Close without copying');
    await row(page, 'shop web').getByText('Client-side').waitFor();
    await row(page, 'shop web').getByText('Prod', { exact: true }).waitFor();
    await row(page, 'shop web').getByRole('button', { name: 'Code for shop web' }).click();
    await page.getByText(/where the code says YOUR_SDK_KEY/).waitFor();
    await press(page, 'Done');
    const { objects } = await api('GET', '/apiKeys');
    const made = objects.at(-1);
    assert.deepEqual([made.apiKeyType, made.roles, made.environments.length], ['client_side', [], 1]);
  });

  visit.long(
    'keys are found by name, type, project and environment, and those that nobody uses',
    async ({ page, api, project }) => {
      await api('POST', '/apiKeys', { name: 'terraform', apiKeyType: 'admin', workspace: { id: project.id } });
      await page.goto('/admin/api-keys?project=Checkout&env=Development');
      await page.getByText('2 keys of 4').waitFor();
      await press(page, 'Clear project');
      await page.getByText('4 keys').waitFor();
      await choose(page, 'Project', 'Project', 'Checkout');
      await page.getByText('3 keys of 4').waitFor();
      await press(page, 'Unused for 90 days');
      await page.getByText('No keys match').waitFor();
      assert.equal(new URL(page.url()).search, '?project=Checkout&unused=');
      await press(page, 'Clear filters');
      await page.getByText('4 keys').waitFor();
      await choose(page, 'Type', 'Type', 'Admin');
      await page.getByText('2 keys of 4').waitFor();
      await page.getByLabel('Search keys').fill('TERRA');
      await page.getByText('1 key of 4').waitFor();
      await row(page, 'terraform').getByText('First admin key').waitFor();
    },
  );

  visit.long('people who are not administrators learn whom to ask', async (things) => {
    const { page, complaints, leave } = await aMember(things);
    await page.goto('/admin/api-keys');
    await page.getByText('You cannot see API keys').waitFor();
    await page.getByText('Ask an administrator: Ana Ruiz.').waitFor();
    await heading(page, 'API keys').waitFor();
    assert.deepEqual(complaints, []);
    await leave();
  });
});
