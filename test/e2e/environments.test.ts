import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { aMember, look, menuOf, row, signedInVisitsIn } from './support.ts';

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
      await page.getByText('This project already has an environment with this name.').waitFor();
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
      await dialog.getByText('You have not copied everything.').waitFor();
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
      await page.getByRole('dialog', { name: 'Partners is in use' }).getByText('2 API keys are for it').waitFor();
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

  visit.long('an environment is emptied, flag by flag or all at once, and then deleted', async (things) => {
    const { page, api, project, environments } = things;
    const staging = environments.Staging?.id;
    for (let number = 1; number <= 12; number += 1) await aFlag(things, `flag_${number}`, { on: { Staging: 50 } });
    await page.goto('/p/Checkout/environments');
    await row(page, 'Staging').getByText('12', { exact: true }).waitFor();
    await menuOf(page, 'Staging', 'Delete');
    const dialog = page.getByRole('dialog', { name: 'Staging is in use' });
    await dialog.getByText('12 flags are defined here').waitFor();
    await dialog.getByText('and 9 more.').waitFor();
    await look(page, 'environment with flags');
    await dialog.getByRole('link', { name: 'flag_2' }).click();
    await page.waitForURL('**/flags/flag_2/Staging');
    await menuOf(page, 'flag_2', 'Remove from Staging');
    await page.getByRole('alertdialog', { name: 'Remove flag_2 from Staging?' }).waitFor();
    await look(page, 'remove a definition');
    await press(page, 'Remove from Staging');
    await page.getByText('Removed from Staging.').waitFor();
    await page.getByText('gets control for this flag until you define it').waitFor();

    await page.goto('/p/Checkout/environments');
    await menuOf(page, 'Staging', 'Delete');
    await press(page, 'Remove the definitions');
    await press(page, 'Remove definitions');
    await page.getByText('Type Staging', { exact: true }).waitFor();
    await field(page, 'Type Staging to confirm').fill('Staging');
    await look(page, 'empty an environment');
    await press(page, 'Remove definitions');
    await page.getByText('Removed 11 definitions from Staging.').waitFor();
    assert.equal((await api('GET', `/splits/ws/${project.id}/environments/${staging}`)).totalCount, 0);
    await aFlag(things, 'put_away', { on: { Staging: 50 } });
    await api('POST', `/splits/ws/${project.id}/put_away/archive`);
    await page.reload();
    await menuOf(page, 'Staging', 'Delete');
    await page.getByText('1 archived flag is defined here').waitFor();
    await page.getByRole('link', { name: 'Unarchive or delete them' }).waitFor();
    await press(page, 'Close');
    await api('DELETE', `/splits/ws/${project.id}/put_away`);
    const { objects } = await api('GET', '/apiKeys?limit=200');
    const ofStaging = objects.filter((key: { environments?: { id: string }[] }) =>
      key.environments?.some(({ id }) => id === staging),
    );
    for (const { id } of ofStaging) await api('DELETE', `/apiKeys/${id}`);
    await page.reload();
    await menuOf(page, 'Staging', 'Delete');
    await press(page, 'Delete environment');
    await row(page, 'Staging').waitFor({ state: 'detached' });
    assert.equal((await api('GET', `/splits/ws/${project.id}`)).totalCount, 12);
  });

  visit('environments are put in order by keyboard, menu and mouse, and every page follows', async (things) => {
    const { page, api, project } = things;
    const shown = async (...names: string[]) => {
      for (const [index, name] of names.entries()) {
        await page
          .getByRole('row')
          .nth(index + 1)
          .getByText(name, { exact: true })
          .waitFor();
      }
    };
    await api('POST', `/environments/ws/${project.id}`, { name: 'Canary' });
    const before: { name: string }[] = await api('GET', `/environments/ws/${project.id}?sort=position`);
    assert.deepEqual([before.at(-2)?.name, before.at(-1)?.name], ['Canary', 'Production']);
    await page.goto('/p/Checkout/environments');
    const handle = page.getByRole('button', { name: 'Canary: drag' });
    await handle.focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByText(`Canary is now ${before.length - 2} of ${before.length}.`).waitFor();
    await page.locator('button:focus').and(handle).waitFor();
    await menuOf(page, 'Canary', 'Move down');
    await page.getByText(`Canary is now ${before.length - 1} of ${before.length}.`).waitFor();
    const first = await row(page, before[0]?.name ?? '').boundingBox();
    await handle.hover();
    await page.mouse.down();
    await page.mouse.move(first?.x ?? 0, (first?.y ?? 0) + 2, { steps: 5 });
    await page.mouse.up();
    await page.getByText(`Canary is now 1 of ${before.length}.`).waitFor();
    await shown('Canary', before[0]?.name ?? '');
    await page.reload();
    await shown('Canary', before[0]?.name ?? '');
    await look(page, 'environments in order');
    const after: { name: string }[] = await api('GET', `/environments/ws/${project.id}?sort=position`);
    assert.deepEqual(
      after.map(({ name }) => name),
      ['Canary', ...before.flatMap(({ name }) => (name === 'Canary' ? [] : name))],
    );
  });

  visit.long('a project without environments says what they are for; a member can only look', async (things) => {
    const { page, api } = things;
    await api('POST', '/workspaces', { name: 'Search' });
    await page.goto('/p/Search/environments');
    await page.getByText('No environments yet').waitFor();
    await look(page, 'no environments');
    const member = await aMember(things);
    await member.page.goto('/p/Checkout/environments');
    await row(member.page, 'Staging').waitFor();
    await member.page
      .getByText('Only administrators can change environments. Ask an administrator: Ana Ruiz.')
      .waitFor();
    assert.equal(await member.page.getByRole('button', { name: 'More about' }).count(), 0);
    assert.equal(await member.page.getByRole('columnheader', { name: 'API keys' }).count(), 0);
    assert.deepEqual(member.complaints, []);
    await member.leave();
  });
});
