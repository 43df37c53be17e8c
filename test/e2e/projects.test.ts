import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { accountPrefix } from '#contract/parts.ts';
import manifest from '../../package.json' with { type: 'json' };
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { ana, field, heading, press } from './people.ts';
import { aMember, eventually, look, menuOf, row, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

suite('projects', { concurrency: 2 }, () => {
  visit('a project is made, renamed and deleted', async ({ page }) => {
    await page.goto('/admin/settings');
    await row(page, 'Checkout').getByText('Staging, Development, Production').waitFor();
    await page.getByText(`Burgee ${manifest.version}`, { exact: true }).waitFor();
    await page.goto('/p/Checkout/flags');
    await page.getByRole('button', { name: 'Project Checkout' }).click();
    await page.getByRole('option', { name: 'New project' }).click();
    await field(page, 'Name').fill('Checkout');
    await press(page, 'Create project');
    await page.getByText('Another project already has this name.').waitFor();
    await field(page, 'Name').fill('Search');
    await page.getByLabel('Require a title and a comment for every change').check();
    await press(page, 'Add environment');
    await page.locator('input:focus').and(field(page, 'Environment 3')).waitFor();
    await field(page, 'Environment 3').fill('Staging');
    await press(page, 'Create project');
    await page.getByText('Another one above has this name.').waitFor();
    await look(page, 'new project');
    await field(page, 'Environment 3').fill('');
    await press(page, 'Remove environment 3');
    await page.locator('button:focus').getByText('Add environment').waitFor();
    await field(page, 'Environment 1').fill('Test');
    await press(page, 'Create project');
    await page.waitForURL('**/p/Search/flags');
    await page.getByText('No flags yet').waitFor();
    await page.getByRole('link', { name: 'Environments' }).click();
    await row(page, 'Production').getByText('Prod', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'Project settings' }).click();
    await field(page, 'Name').fill('Search & find');
    await page.getByLabel('Require a title and a comment for every change').uncheck();
    await press(page, 'Save');
    await page.waitForURL('**/p/Search%20%26%20find/settings');
    await page.getByRole('button', { name: 'Project Search & find' }).waitFor();
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });

    await look(page, 'project settings');
    await press(page, 'Delete project');
    const dialog = page.getByRole('alertdialog', { name: 'Delete Search & find?' });
    await dialog.getByText('2 environments: Test and Production').waitFor();
    await dialog.getByRole('button', { name: 'Delete project' }).click();
    await dialog.getByText('Type Search & find', { exact: true }).waitFor();
    await field(page, 'Type Search & find to confirm').fill('Search & find');
    await look(page, 'delete a project');
    await dialog.getByRole('button', { name: 'Delete project' }).click();
    await heading(page, 'Server settings').waitFor();
    await row(page, 'Checkout').waitFor();
    await row(page, 'Search').waitFor({ state: 'detached' });
    await look(page, 'projects');
  });

  visit('addresses with former names of a project and its environments lead on', async (things) => {
    const { page, api, project, environments } = things;
    await aFlag(things, 'checkout_one_page', { on: { Staging: 50 } });
    const rename = (path: string, value: string) => api('PATCH', path, [{ op: 'replace', path: '/name', value }]);
    await page.goto('/p/Checkout/flags/checkout_one_page/Staging');
    await heading(page, 'checkout_one_page').waitFor();
    await rename(`/environments/ws/${project.id}/${environments.Staging?.id}`, 'Preview');
    await page.waitForURL('**/p/Checkout/flags/checkout_one_page/Preview');
    await rename(`/workspaces/${project.id}`, 'Shop');
    await page.waitForURL('**/p/Shop/flags/checkout_one_page/Preview');
    await heading(page, 'checkout_one_page').waitFor();

    await page.goto('/p/Checkout/flags/checkout_one_page/compare?a=Staging&b=Production#top');
    await page.waitForURL('**/p/Shop/flags/checkout_one_page/compare?a=Preview&b=Production#top');
    await page.goto('/p/Checkout/sdks/Staging');
    await page.waitForURL('**/p/Shop/sdks/Preview');
    await page.goBack();
    await page.waitForURL('**/p/Shop/flags/checkout_one_page/compare?a=Preview&b=Production#top');
    await page.goto('/p/Nowhere/flags');
    await page.getByText('No project Nowhere').waitFor();
    await look(page, 'no such project');
    await api('POST', '/workspaces', { name: 'Checkout' });
    await page.goto('/p/Checkout/flags');
    await page.getByText('No flags yet').waitFor();
  });

  visit(
    'rollout statuses are added, renamed, moved and deleted; flags, filters and the board follow',
    async (things) => {
      const { page, api, project } = things;
      const dialog = page.getByRole('dialog');
      await aFlag(things, 'checkout', { status: 'Ramping' });
      await page.goto('/p/Checkout/settings');
      await page.getByText('On for a growing share of users.').waitFor();
      await press(page, 'Add rollout status');
      await dialog.getByLabel('Name').fill('Ramping');
      await dialog.getByRole('button', { name: 'Add rollout status' }).click();
      await page.getByText('This project already has a status with this name.').waitFor();
      await dialog.getByLabel('Name').fill('Waiting for legal');
      await dialog.getByLabel('Description').fill('Ask Kim.');
      await look(page, 'a new status');
      await dialog.getByRole('button', { name: 'Add rollout status' }).click();
      await page.getByText('Added Waiting for legal.').waitFor();
      await menuOf(page, 'Waiting for legal', 'Move up');
      await eventually(
        page,
        "[...document.querySelectorAll('ol li')].at(-2)?.textContent?.startsWith('Waiting for legal')",
        true,
      );
      await menuOf(page, 'Ramping', 'Edit');
      await dialog.getByLabel('Name').fill('Rolling out');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.', { exact: true }).waitFor();
      await look(page, 'statuses of the project');
      await page.getByRole('link', { name: '1 flag' }).click();
      await page.getByRole('row', { name: 'checkout' }).getByText('Rolling out').waitFor();
      const filtered = page.url();
      await page.goto('/p/Checkout/flags?board=true');
      await page.getByRole('list', { name: 'Rolling out' }).getByText('checkout').waitFor();

      await api('PATCH', `/workspaces/${project.id}`, [
        { op: 'replace', path: '/requiresTitleAndComments', value: true },
      ]);
      await page.goto('/p/Checkout/settings');
      await menuOf(page, 'Rolling out', 'Delete');
      await page.getByText('1 flag has this status.').waitFor();
      await page.getByRole('combobox', { name: 'Their new status' }).selectOption('Waiting for legal');
      await look(page, 'deleting a status');
      await press(page, 'Delete rollout status');
      await page.getByText('This project requires a comment.').waitFor();
      await page.getByRole('alertdialog').getByLabel('Comment').fill('We wait for legal first.');
      await press(page, 'Delete rollout status');
      await page.getByText('Deleted Rolling out.').waitFor();
      await page.goto(filtered);
      await page.getByText('Deleted status').waitFor();
      await page.goto('/p/Checkout/flags/checkout/details');
      await page.getByText('Ask Kim.').waitFor();
    },
  );

  visit.long('a project is copied, with its flags or without', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout_one_page', { on: { Staging: 50 } });
    await page.goto('/p/Checkout/settings');
    await press(page, 'Copy project');
    const dialog = page.getByRole('dialog', { name: 'Copy Checkout' });
    await dialog.getByLabel('Name').fill('Checkout');
    await dialog.getByRole('button', { name: 'Copy project' }).click();
    await dialog.getByText('Another project already has this name.').waitFor();
    await look(page, 'copy a project');
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByRole('button', { name: 'Copy project' }).click();
    await page.waitForURL('**/p/Shop/flags');
    await row(page, 'checkout_one_page').waitFor();
    await page.goto('/p/Shop/environments');
    await row(page, 'Staging').getByText('1', { exact: true }).waitFor();
    await page.goto('/p/Shop/settings');
    await press(page, 'Copy project');
    const next = page.getByRole('dialog', { name: 'Copy Shop' });
    await next.getByLabel('Name').fill('Empty');
    await next.getByLabel('With its flags').uncheck();
    await next.getByRole('button', { name: 'Copy project' }).click();
    await page.waitForURL('**/p/Empty/flags');
    await page.getByText('No flags yet').waitFor();
  });

  visit('a second factor can be required of everyone, and whoever has none is led to set it up', async (things) => {
    const { page, server } = things;
    const codeOf = (secret: string) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() });
    await page.goto('/admin/settings');
    const required = page.getByLabel('Require a second factor');
    assert.ok(await required.isDisabled());
    await page.getByText('Not set up', { exact: true }).waitFor();
    await page.getByText(/^SQLite, answered in \d+ ms$/).waitFor();
    await look(page, 'server settings');
    const post = async (path: string, data: unknown) =>
      (await page.request.post(server.url + accountPrefix + path, { data, headers: { origin: server.url } })).json();
    const { secret } = await post('/2fa', { password: ana.password });
    await post('/2fa/confirm', { code: codeOf(secret) });
    await page.reload();
    await required.check();
    await field(page, 'Days until sign-out in any case').fill('0');
    await press(page, 'Save');
    await page.getByText('Enter a whole number from 1 to 90.').waitFor();
    await field(page, 'Days until sign-out in any case').fill('30');
    await press(page, 'Save');
    await page.getByText('Saved.').first().waitFor();

    const liu = await aMember(things);
    await liu.page.goto('/p/Checkout/flags');
    await heading(liu.page, 'Set up a second factor').waitFor();
    await look(liu.page, 'second factor required');
    await field(liu.page, 'Your password').fill(ana.password);
    await press(liu.page, 'Continue');
    const shown = await liu.page
      .locator('code')
      .filter({ hasText: /^[A-Z2-7 ]{39}$/ })
      .innerText();
    await field(liu.page, 'Six-digit code').fill(codeOf(shown.replaceAll(' ', '')));
    await press(liu.page, 'Turn on');
    await press(liu.page, 'I have saved them');
    await heading(liu.page, 'Flags').waitFor();
    assert.deepEqual(liu.complaints, []);
    await liu.leave();
  });

  visit.long('traffic types are made, and kept while flags use them', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout_one_page');
    await page.goto('/p/Checkout/settings');
    await press(page, 'Add traffic type');
    await field(page, 'Name').last().fill('1device');
    await press(page, 'Create traffic type');
    await page.getByText('The name must be a letter, then letters, digits, - or _.').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('device');
    await press(page, 'Create traffic type');
    await page.getByRole('listitem').filter({ hasText: 'device' }).first().waitFor();
    await press(page, 'Delete user');
    await press(page, 'Delete traffic type');
    await page.getByText('Traffic type user is still used by feature flags or segments; delete them first.').waitFor();
    await look(page, 'traffic type in use');
    await press(page, 'Cancel');
  });

  visit.long(
    'a project that requires titles is deleted with its flags; not while changes need an approval',
    async (things) => {
      const { page, api, project, environments } = things;
      await aFlag(things, 'checkout_one_page', { on: { Staging: 50 } });
      await aFlag(things, 'put_away', { on: { Staging: 50 } });
      await api('POST', `/splits/ws/${project.id}/put_away/archive`);
      const staging = `/environments/ws/${project.id}/${environments.Staging?.id}`;
      const path = '/changePermissions/areApprovalsRequired';
      await api('PATCH', staging, [{ op: 'replace', path, value: true }]);
      await page.goto('/p/Checkout/settings');
      await press(page, 'Delete project');
      const dialog = page.getByRole('alertdialog', { name: 'Delete Checkout?' });
      await dialog.getByText('Changes in Staging need an approval.').first().waitFor();
      await look(page, 'project with approvals');
      await api('PATCH', staging, [{ op: 'replace', path, value: false }]);
      await api('PATCH', `/workspaces/${project.id}`, [
        { op: 'replace', path: '/requiresTitleAndComments', value: true },
      ]);
      await dialog.getByText('1 archived flag').waitFor();
      await field(page, 'Type Checkout to confirm').fill('Checkout');
      await field(page, 'Comment').fill('Sold');
      await look(page, 'delete a project with a title');
      await dialog.getByRole('button', { name: 'Delete project' }).click();
      await page.getByText('Deleted Checkout.').waitFor();
      await page.getByText('No project yet').waitFor();
    },
  );

  visit.long('people who are not administrators see the settings, and whom to ask', async (things) => {
    const { page, complaints, leave } = await aMember(things);
    await page.goto('/p/Checkout/settings');
    await page.getByText('Ask an administrator: Ana Ruiz.').waitFor();
    assert.equal(await field(page, 'Name').getAttribute('readonly'), '');
    await page.getByRole('heading', { name: 'Rollout statuses' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
    await look(page, 'project settings of a member');
    await page.goto('/admin/settings');
    await page.getByText('You cannot see Server settings').waitFor();
    assert.deepEqual(complaints, []);
    await leave();
  });
});
