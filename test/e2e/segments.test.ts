import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite } from 'node:test';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { someSegments } from './some-segments.ts';
import { aMember, look, menuOf, row, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

suite('segments', { concurrency: 2 }, () => {
  visit('the list shows all kinds, filters them, and creates segments', async (things) => {
    const { page, api, project } = things;
    await page.goto('/p/Checkout/segments');
    await page.getByText('No segments yet').waitFor();
    await look(page, 'no segments');
    await someSegments(things);
    await page.reload();
    await row(page, 'beta_testers').getByText('growth').waitFor();
    await row(page, 'beta_testers').getByText('2 uses').waitFor();
    await row(page, 'beta_testers').getByText('3', { exact: true }).waitFor();
    assert.equal(await row(page, 'beta_testers').getByText('Not active').count(), 2);
    await row(page, 'eu_customers').getByText('1 rule').waitFor();
    await row(page, 'blocked_cards').getByText('Not used').waitFor();
    await look(page, 'segments');

    await page.getByRole('tab', { name: 'Large 1' }).click();
    await row(page, 'beta_testers').waitFor({ state: 'detached' });
    await row(page, 'blocked_cards').waitFor();
    await page.getByRole('searchbox', { name: 'Search names' }).fill('nothing');
    await page.getByText('No segments match').waitFor();
    await press(page, 'Clear filters');
    await row(page, 'beta_testers').waitFor();

    await press(page, 'New segment');
    await press(page, 'Create segment');
    await page.getByText('Enter a name.').waitFor();
    await field(page, 'Name').fill('eu_customers');
    await page.getByRole('radio', { name: 'Large' }).check();
    await look(page, 'new segment');
    await press(page, 'Create segment');
    await page.getByText('A segment with this name already exists.').waitFor();
    await field(page, 'Name').fill('loyalty_members');
    await press(page, 'Create segment');
    await page.getByText('Created loyalty_members.').waitFor();
    await heading(page, 'loyalty_members').waitFor();
    const { name } = await api('GET', `/large-segments/ws/${project.id}/loyalty_members`);
    assert.equal(name, 'loyalty_members');
  });

  visit('without the right to edit, the button says why', async (things) => {
    const { api, project } = things;
    await someSegments(things);
    const { id } = await api('POST', '/groups', { name: 'Payments' });
    await api('PUT', `/workspaces/${project.id}/access`, {
      edit: { restricted: true, grantees: [{ id, type: 'group' }] },
    });
    const { page, complaints, leave } = await aMember(things);
    await page.goto('/p/Checkout/segments');
    await row(page, 'beta_testers').waitFor();
    const button = page.getByRole('button', { name: 'New segment' });
    await button.and(page.locator('[aria-disabled="true"]')).waitFor();
    await button.focus();
    await page.getByText('Only Payments can edit Checkout.').waitFor();
    assert.deepEqual(complaints, []);
    await leave();
  });

  visit('keys are added by hand and by file, searched, looked up and removed', async (things) => {
    const { page, api, environments } = things;
    await someSegments(things);
    await page.goto('/p/Checkout/segments');
    await page.getByRole('link', { name: 'beta_testers' }).click();
    await page.getByRole('heading', { level: 2, name: 'Staging' }).waitFor();
    await row(page, 'noor').getByText('API').waitFor();
    const usedBy = page.getByRole('region', { name: 'Used by' });
    await usedBy.getByRole('link', { name: 'new_basket' }).waitFor();
    await usedBy.getByRole('link', { name: 'eu_customers' }).waitFor();
    await look(page, 'a segment');

    await press(page, 'Add keys');
    await press(page, 'Add keys to Staging');
    await page.getByText('Enter at least one key, or choose a file.').waitFor();
    await page.getByRole('textbox', { name: 'Keys' }).fill(`kim, kim\nlee\n${'x'.repeat(251)}`);
    await page.getByText('251 characters; the limit is 250').waitFor();
    await look(page, 'add keys');
    await press(page, 'Add keys to Staging');
    await page.getByText('Staging has 5 keys now.').waitFor();
    await row(page, 'lee').getByText('by hand').waitFor();

    await press(page, 'Add keys');
    const lines = Array.from({ length: 10_001 }, (_, index) => `user-${index}`);
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'november.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from([...lines, '"a,b",second column'].join('\n')),
    });
    await page.getByText('10,002').first().waitFor();
    await press(page, 'Add keys to Staging');
    await page.getByText('Staging has 10,007 keys now.').waitFor();
    await page.getByText('1 to 50 of 10,007').waitFor();
    await press(page, 'Next');
    await page.getByText('51 to 100 of 10,007').waitFor();
    await page.getByRole('searchbox', { name: 'Keys that start with' }).fill('user-999');
    await page.getByText('1 to 11 of 11 that start with user-999').waitFor();
    await row(page, 'user-9990').getByText('november.csv').waitFor();

    await field(page, 'Key').fill('a,b');
    await press(page, 'Look up');
    await page.getByText('a,b is in the segment in Staging.').waitFor();
    await field(page, 'Key').fill('a');
    await press(page, 'Look up');
    await page.getByText('a is not in the segment in Staging.').waitFor();

    await press(page, 'Remove user-9990');
    await press(page, 'Remove key');
    await page.getByText('Removed user-9990 from Staging.').waitFor();
    await page.getByRole('checkbox', { name: 'Select user-9991' }).check();
    await page.getByRole('checkbox', { name: 'Select user-9992' }).check();
    await press(page, 'Remove 2 selected');
    await look(page, 'remove keys');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove keys' }).click();
    await page.getByText('1 to 8 of 8 that start with user-999').waitFor();
    await page.getByRole('button', { name: 'Remove keys', exact: true }).click();
    await page.getByRole('textbox', { name: 'Keys' }).fill('ana, liu');
    await press(page, 'Remove keys from Staging');
    await page.getByText('Staging has 10,002 keys now.').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    assert.equal(download.suggestedFilename(), 'beta_testers-Staging.csv');
    const saved = (await readFile(await download.path(), 'utf8')).split('\n');
    assert.equal(saved.length, 10_003);
    assert.equal(saved[0], '"a,b"');

    await page.getByRole('navigation', { name: 'Environments' }).getByRole('link', { name: 'Production' }).click();
    await press(page, 'Activate in Production');
    await page.getByText('No keys in Production').waitFor();
    const { objects } = await api(
      'GET',
      `/segments/ws/${things.project.id}/environments/${environments.Production?.id}`,
    );
    assert.equal(objects[0].name, 'beta_testers');
    await menuOf(page, 'beta_testers', 'Deactivate in Production');
    await page.getByText('Not active in Production', { exact: true }).waitFor();
    await menuOf(page, 'beta_testers', 'Delete segment');
    await page.getByText('It is used by new_basket and eu_customers. Remove it from these first.').first().waitFor();
    await look(page, 'delete a used segment');
  });

  visit('a file replaces the keys of a large segment', async (things) => {
    const { page } = things;
    await someSegments(things);
    await page.goto('/p/Checkout/segments/blocked_cards/Staging');
    await press(page, 'Activate in Staging');
    await page.getByText('It has no keys here yet.').waitFor();
    await press(page, 'Replace keys in Staging');
    await page.getByText('Choose a file.').waitFor();
    const choose = (text: string) =>
      page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'cards.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await choose('card-1\ncard-2\n');
    await look(page, 'a large segment');
    await press(page, 'Replace keys in Staging');
    await page.getByText('It has 2 keys here.').waitFor();
    await field(page, 'Key').fill('card-2');
    await press(page, 'Look up');
    await page.getByText('card-2 is in the segment in Staging.').waitFor();
  });
});
