import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { aMember, choose, look, menuOf, row, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

suite('groups', { concurrency: 2 }, () => {
  visit('changes made while a list first loads are shown', async ({ page, api }) => {
    await page.goto('/admin/api-keys');
    await heading(page, 'API keys').waitFor();
    await page.route(
      '**/internal/api/v2/groups?**',
      async (route) => {
        const response = await route.fetch();
        // The page hears of it, and asks for everything that it shows.
        const heard = page.waitForRequest('**/internal/account/session');
        await api('POST', '/groups', { name: 'Made meanwhile' });
        await heard;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await page.getByRole('link', { name: 'Groups' }).click();
    await row(page, 'Made meanwhile').waitFor();
  });

  visit('a group is made, filled, renamed, emptied and deleted', async (things) => {
    const { page, api } = things;
    const liu = await aMember(things);
    await api('POST', '/users', { email: 'noor@example.org' });
    await page.goto('/admin/groups');
    await press(page, 'New group');
    await press(page, 'Create group');
    await page.getByText('Enter a name.').waitFor();
    await field(page, 'Name').fill('Checkout team');
    await field(page, 'Description').fill('Owns the basket');
    await look(page, 'new group');
    await press(page, 'Create group');
    await heading(page, 'Checkout team').waitFor();
    await page.getByText('No members.').waitFor();

    await choose(page, 'Add member', 'Add a member', 'Liu Wei');
    await page.getByText('Added Liu Wei to Checkout team.').waitFor();
    await choose(page, 'Add member', 'Add a member', 'noor');
    await page.getByRole('listitem').filter({ hasText: 'noor@example.org' }).getByText('Pending').waitFor();
    await look(page, 'a group');
    await press(page, 'Remove noor');
    await page.getByText('Removed noor from Checkout team.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByRole('button', { name: 'Remove noor' }).waitFor();

    await press(page, 'Edit');
    await field(page, 'Name').fill('Administrators');
    await press(page, 'Save');
    await page.getByText('A group with this name already exists.').waitFor();
    await field(page, 'Name').fill('Payments');
    await press(page, 'Save');
    await heading(page, 'Payments').waitFor();

    await page.goto('/admin/groups');
    await row(page, 'Payments').getByText('2 members').waitFor();
    await look(page, 'groups');
    await menuOf(page, 'Payments', 'Delete');
    await page.getByText('It has 2 members: Liu Wei and noor.').waitFor();
    await look(page, 'delete a group');
    await press(page, 'Delete group');
    await row(page, 'Payments').waitFor({ state: 'detached' });
    const { data } = await api('GET', '/users');
    assert.deepEqual(
      data.map(({ groups }: { groups?: unknown[] }) => groups?.length ?? 0),
      [1, 0, 0],
    );
    await liu.leave();
  });

  visit.long('the administrators stay as they are called, and are never deleted', async ({ page }) => {
    await page.goto('/admin/groups');
    await page.getByRole('button', { name: 'More about Administrators' }).click();
    const item = page.getByRole('menuitem', { name: 'Delete' });
    await item.getByText('You cannot delete this group').waitFor();
    await page.keyboard.press('Escape');
    await menuOf(page, 'Administrators', 'Edit name and description');
    assert.equal(await field(page, 'Name').getAttribute('readonly'), '');
    await field(page, 'Description').fill('May do everything');
    await press(page, 'Save');
    await row(page, 'May do everything').waitFor();
    await page.getByRole('link', { name: 'Administrators' }).click();
    await page.getByText('You cannot rename or delete this group').waitFor();
    await press(page, 'Remove Ana Ruiz');
    await page.getByText('The last active administrator cannot be deactivated or removed.').waitFor();
    await page.goto('/admin/groups/nothing');
    await heading(page, 'No such group').waitFor();
  });

  visit.long('people who are not administrators see groups and their members', async (things) => {
    const { page, complaints, leave } = await aMember(things);
    await page.goto('/admin/groups');
    await page.getByRole('link', { name: 'Administrators' }).click();
    await page.getByText('ana@example.org').waitFor();
    assert.deepEqual(await page.getByRole('main').getByRole('button').allInnerTexts(), []);
    assert.deepEqual(complaints, []);
    await leave();
  });
});
