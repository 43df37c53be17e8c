import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { aReader, guardStaging, someSegments } from './some-segments.ts';
import { choose, eventually, look, menuOf, row, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

/** Drops a file on the page. */
async function dropFile(page: Page, name: string, text: string): Promise<void> {
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}, { type: 'text/csv' }));
    return transfer;
  })()`);
  await page.dispatchEvent('main', 'dragover', { dataTransfer });
  await page.dispatchEvent('main', 'drop', { dataTransfer });
}

/** Presses Tab until the focus is there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; (await target.and(page.locator(':focus')).count()) === 0; tabs += 1) {
    assert.ok(tabs < 60, `${target} cannot be reached`);
    await page.keyboard.press('Tab');
  }
}

async function pressByKeyboard(page: Page, name: string): Promise<void> {
  // An empty list offers what the head of the page does.
  await tabTo(page, page.getByRole('button', { name, exact: true }).first());
  await page.keyboard.press('Enter');
}

suite('segments', { concurrency: 2 }, () => {
  visit('the list shows all kinds, filters them, and creates segments', async (things) => {
    const { page, api, project } = things;
    await page.goto('/p/Checkout/segments');
    await page.getByText('No segments yet').waitFor();
    await look(page, 'no segments');
    await someSegments(things);
    await page.reload();
    await row(page, 'beta_testers').getByText('growth').waitFor();
    await row(page, 'beta_testers').getByText('1 flag').waitFor();
    await row(page, 'beta_testers').getByText('1 segment').waitFor();
    await row(page, 'beta_testers').getByText('3', { exact: true }).waitFor();
    assert.equal(await row(page, 'beta_testers').getByText('Not active').count(), 2);
    await row(page, 'eu_customers').getByText('1 rule').waitFor();
    await row(page, 'blocked_cards').getByText('Not used').waitFor();
    await look(page, 'segments');

    await page.getByRole('tab', { name: 'Large 1' }).click();
    await row(page, 'beta_testers').waitFor({ state: 'detached' });
    await row(page, 'blocked_cards').waitFor();
    await page.getByRole('searchbox', { name: 'Search names and keys' }).fill('nothing');
    await page.getByText('No segment name contains nothing').waitFor();
    await press(page, 'Clear filters');
    await press(page, 'Not used');
    await page.getByText('2 segments').waitFor();
    await row(page, 'beta_testers').waitFor({ state: 'detached' });
    await press(page, 'Not used');
    await choose(page, 'Tag', 'Tag', 'growth');
    await row(page, 'blocked_cards').waitFor({ state: 'detached' });
    await press(page, 'Clear tag');
    await choose(page, 'Active in', 'Active in', 'Staging');
    await row(page, 'blocked_cards').waitFor({ state: 'detached' });
    await press(page, 'Clear active in');
    await choose(page, 'Used by', 'Used by', 'new_basket');
    await row(page, 'blocked_cards').waitFor({ state: 'detached' });
    await row(page, 'beta_testers').waitFor();
    await look(page, 'segments of a flag');
    await press(page, 'Clear used by');
    await page.getByRole('searchbox', { name: 'Search names and keys' }).fill('noor');
    const memberships = page.getByRole('region', { name: 'Segments of the key' });
    await memberships.getByText('beta_testers').waitFor();
    assert.equal(await page.getByText('No segment name contains').count(), 0);
    await look(page, 'segments of a key');
    await memberships.getByRole('link', { name: 'Staging' }).click();
    await heading(page, 'beta_testers').waitFor();
    await page.getByRole('region', { name: 'Activity' }).getByText('3 keys added').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('blocked');
    await page.getByRole('option', { name: 'blocked_cards' }).click();
    await heading(page, 'blocked_cards').waitFor();

    await menuOf(page, 'blocked_cards', 'Edit details');
    await field(page, 'Description').fill('Card fingerprints');
    await press(page, 'Add tag');
    await page.keyboard.type('risk');
    await page.getByRole('option', { name: 'Create tag risk' }).click();
    await page.keyboard.press('Escape');
    await look(page, 'edit details');
    await press(page, 'Save');
    await page.getByText('Card fingerprints').waitFor();
    await page.goto('/p/Checkout/activity?kind=segment');
    await page.getByText('changed the details of the segment').waitFor();
    await page.getByRole('link', { name: 'beta_testers' }).first().click();
    await heading(page, 'beta_testers').waitFor();
    await page.goto('/p/Checkout/segments');
    await row(page, 'blocked_cards').getByText('risk').waitFor();

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

  visit.long('without the right to edit, the button says why', async (things) => {
    await someSegments(things);
    const { page, complaints, leave } = await aReader(things);
    await page.goto('/p/Checkout/segments');
    await row(page, 'beta_testers').waitFor();
    const button = page.getByRole('button', { name: 'New segment' });
    await button.and(page.locator('[aria-disabled="true"]')).waitFor();
    await button.focus();
    await page.getByText('Only Payments can edit Checkout.').waitFor();
    assert.deepEqual(complaints, []);
    await leave();
  });

  visit.long('with the keyboard alone, segments are created, filled with keys and given rules', async (things) => {
    const { page, api, project, environments } = things;
    const { keyboard } = page;
    const isFocusKept = () => eventually(page, 'document.activeElement !== document.body', true);
    await page.goto('/p/Checkout/segments');
    await pressByKeyboard(page, 'New segment');
    await keyboard.type('testers');
    await keyboard.press('Enter');
    await heading(page, 'testers').waitFor();
    await pressByKeyboard(page, 'Activate in Staging');
    await pressByKeyboard(page, 'Add keys');
    await tabTo(page, page.getByRole('textbox', { name: 'Keys' }));
    await keyboard.type('ana, noor');
    await pressByKeyboard(page, 'Add keys to Staging');
    await page.getByText('2 keys added to Staging, which has 2 keys now.').waitFor();
    await isFocusKept();
    await pressByKeyboard(page, 'Remove ana');
    await pressByKeyboard(page, 'Remove key');
    await page.getByText('Removed ana from Staging.').waitFor();
    await isFocusKept();

    await page.goto('/p/Checkout/segments');
    await pressByKeyboard(page, 'New segment');
    await keyboard.type('pros');
    await tabTo(page, page.getByRole('radio', { checked: true }));
    const ruleBased = page.getByRole('radio', { name: 'Rule-based' });
    while (!(await ruleBased.isChecked())) await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await heading(page, 'pros').waitFor();
    await pressByKeyboard(page, 'Activate in Staging');
    await pressByKeyboard(page, 'Add rule');
    await tabTo(page, page.getByRole('combobox', { name: 'Attribute' }));
    await keyboard.type('plan');
    await tabTo(page, field(page, 'Values'));
    await keyboard.type('pro');
    await keyboard.press('Enter');
    await keyboard.press('Control+s');
    await page.getByRole('dialog').waitFor();
    await keyboard.press('Control+Enter');
    await page.getByText('Saved to Staging.').waitFor();
    await isFocusKept();
    const path = `/rule-based-segments/ws/${project.id}/pros/environments/${environments.Staging?.id}`;
    assert.deepEqual((await api('GET', path)).rules[0].condition.matchers[0].strings, ['pro']);
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
    await usedBy.getByText('Rule 1 on 100%').waitFor();
    await usedBy.getByRole('link', { name: 'eu_customers' }).waitFor();
    await look(page, 'a segment');

    await press(page, 'Add keys');
    await press(page, 'Add keys to Staging');
    await page.getByText('Enter at least one key.').waitFor();
    await page.getByRole('textbox', { name: 'Keys' }).fill(`kim, kim\nana, lee\n${'x'.repeat(251)}`);
    await page.getByText('251 characters; the limit is 250').waitFor();
    await page.getByText(/^New2will be added$/).waitFor();
    await page.getByText(/^Already there1no change$/).waitFor();
    await look(page, 'add keys');
    await press(page, 'Add keys to Staging');
    await page.getByText('2 keys added to Staging, which has 5 keys now.').waitFor();
    await row(page, 'lee').getByText('by hand').waitFor();
    await press(page, 'Undo');
    await page.getByText('Undone: 2 keys in Staging.').waitFor();
    await row(page, 'lee').waitFor({ state: 'detached' });

    const lines = Array.from({ length: 10_001 }, (_, index) => `${index},user-${index}`);
    await dropFile(page, 'november.csv', ['no,user_id', ...lines, '0,"a,b"', '0,noor'].join('\n'));
    await page.getByText('10,003 lines and a header').waitFor();
    await page.getByText(/^New10,001will be added$/).waitFor();
    await page.getByLabel('Key column').selectOption('user_id');
    await page.getByText(/^New10,002will be added$/).waitFor();
    await page.getByText(/^Already there1no change$/).waitFor();
    await press(page, 'Add keys to Staging');
    await page.getByText('10,002 keys added to Staging, which has 10,005 keys now.').waitFor();
    await page.getByText('1 to 50 of 10,005').waitFor();
    await press(page, 'Next');
    await page.getByText('51 to 100 of 10,005').waitFor();
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
    await page.getByRole('checkbox', { name: /^Select all \d+ keys of this page$/ }).check();
    await page.getByRole('button', { name: /^Remove \d+ selected$/ }).waitFor();
    await page.getByRole('checkbox', { name: /^Select all/ }).uncheck();
    await page.getByRole('checkbox', { name: 'Select user-9991' }).check();
    await page.getByRole('checkbox', { name: 'Select user-9992' }).check();
    await press(page, 'Remove 2 selected');
    await look(page, 'remove keys');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove keys' }).click();
    await page.getByText('1 to 8 of 8 that start with user-999').waitFor();
    await page.getByRole('button', { name: 'Remove keys', exact: true }).click();
    await page.getByRole('textbox', { name: 'Keys' }).fill('ana, liu');
    await press(page, 'Remove keys from Staging');
    await page.getByText('2 keys removed from Staging, which has 10,000 keys now.').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    assert.equal(download.suggestedFilename(), 'beta_testers-Staging.csv');
    const saved = (await readFile(await download.path(), 'utf8')).split('\n');
    assert.equal(saved.length, 10_001);
    assert.equal(saved[0], '"a,b"');

    await page.getByRole('navigation', { name: 'Environments' }).getByRole('link', { name: 'Production' }).click();
    await press(page, 'Activate in Production');
    await page.getByText('No keys in Production').waitFor();
    await field(page, 'Key').fill('a,b');
    await press(page, 'Look up');
    await page.getByText('a,b is not in the segment in Production.').waitFor();
    await page.getByText('In Staging.', { exact: true }).waitFor();
    const { objects } = await api(
      'GET',
      `/segments/ws/${things.project.id}/environments/${environments.Production?.id}`,
    );
    assert.equal(objects[0].name, 'beta_testers');
    await press(page, 'Add keys');
    await press(page, 'Copy from another environment');
    await page.getByLabel('Environment', { exact: true }).selectOption('Staging, 10,000 keys');
    await page.getByText(/^New10,000will be added$/).waitFor();
    await press(page, 'Add keys to Production');
    await page.getByText('10,000 keys added to Production, which has 10,000 keys now.').waitFor();
    await row(page, 'a,b').getByText('copy of Staging').waitFor();
    // The notice of an earlier step may still be there.
    const notice = page.getByRole('status').locator('> div', { hasText: '10,000 keys added to Production' });
    await notice.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('No keys in Production').waitFor();
    await menuOf(page, 'beta_testers', 'Deactivate in Production');
    await page.getByText('Not active in Production', { exact: true }).waitFor();
    await menuOf(page, 'beta_testers', 'Delete segment');
    const dialog = page.getByRole('alertdialog', { name: 'Delete beta_testers?' });
    await dialog.getByText('A segment in use cannot be deleted. Remove it from here first:').first().waitFor();
    await dialog.getByText('Segment eu_customers in Staging').waitFor();
    await look(page, 'delete a used segment');
    const flag = dialog.getByRole('listitem').filter({ hasText: 'new_basket' });
    await flag.getByRole('link', { name: 'Staging' }).click();
    await heading(page, 'new_basket').waitFor();
  });

  visit.long('adding many keys can be stopped, fails half-way, and continues', async (things) => {
    const { page, api, environments } = things;
    await someSegments(things);
    await page.goto('/p/Checkout/segments/beta_testers/Staging');
    await page.getByRole('button', { name: 'Add keys', exact: true }).waitFor();
    await dropFile(page, 'many.csv', Array.from({ length: 3_500 }, (_, index) => `user-${index}`).join('\n'));
    await page.getByText(/^New3,500will be added$/).waitFor();
    let calls = 0;
    await page.route('**/upload', async (route) => {
      calls += 1;
      // The button stops after the call that is under way.
      if (calls === 1) await press(page, 'Stop');
      if (calls === 3) await route.fulfill({ status: 429, json: { code: 429, message: 'Busy', details: '' } });
      else await route.continue();
    });
    await press(page, 'Add keys to Staging');
    await page.getByText('Stopped: 1,000 keys added to Staging, which has 1,003 keys now.').waitFor();
    await page.getByText('1,000 of 3,500 keys added').waitFor();
    await press(page, 'Add the rest');
    await page.getByText('2,000 of 3,500 keys were added. Try again sends the rest.').waitFor();
    await look(page, 'adding keys failed');
    await press(page, 'Try again');
    await page.getByText('3,500 keys added to Staging, which has 3,503 keys now.').waitFor();
    const { count } = await api('GET', `/segments/${environments.Staging?.id}/beta_testers/keys?limit=1`);
    assert.equal(count, 3_503);
  });

  visit('keys are proposed where approvals are required, and by people who cannot edit', async (things) => {
    const { page, api, environments } = things;
    await someSegments(things);
    await guardStaging(things);
    await page.goto('/p/Checkout/segments/beta_testers/Staging');
    const lines = Array.from({ length: 10_001 }, (_, index) => `user-${index}`);
    await page.getByRole('button', { name: 'Propose keys', exact: true }).waitFor();
    await dropFile(page, 'many.csv', lines.join('\n'));
    await page.getByText('A changeset takes at most 10,000 keys, so this proposes the first of them.').waitFor();
    await press(page, 'Close');
    await press(page, 'Propose keys');
    await page.getByRole('textbox', { name: 'Keys' }).fill('kim, ana');
    await page.getByText(/^New1will be added$/).waitFor();
    await look(page, 'propose keys');
    await press(page, 'Propose keys for Staging');
    await heading(page, 'Add 1 key to beta_testers').waitFor();
    await page.getByText('1 key: kim').waitFor();
    await page.getByText('Someone else must approve it.', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('region', { name: 'Proposed' }).getByText('Add 1 key to beta_testers').waitFor();
    await press(page, 'Propose to remove noor');
    await look(page, 'propose to remove keys');
    await press(page, 'Propose to remove key');
    await heading(page, 'Remove noor').waitFor();
    await page.goBack();
    await press(page, 'Propose to remove keys');
    await page.getByRole('textbox', { name: 'Keys' }).fill('ana, liu');
    await press(page, 'Propose to remove keys from Staging');
    await heading(page, 'Remove 2 keys from beta_testers').waitFor();
    const { count } = await api('GET', `/segments/${environments.Staging?.id}/beta_testers/keys?limit=1`);
    assert.equal(count, 3, 'nothing has changed yet');

    await guardStaging(things, false);
    const liu = await aReader(things);
    await liu.page.goto('/p/Checkout/segments/beta_testers/Staging');
    await liu.page.getByText('You can propose keys.').waitFor();
    await press(liu.page, 'Propose keys');
    await liu.page.getByRole('textbox', { name: 'Keys' }).fill('lee');
    await press(liu.page, 'Propose keys for Staging');
    await heading(liu.page, 'Add 1 key to beta_testers').waitFor();
    await liu.page.getByText('You cannot apply it').waitFor();
    assert.deepEqual(liu.complaints, []);
    await liu.leave();
  });

  visit('a file replaces the keys of a large segment', async (things) => {
    const { page } = things;
    await someSegments(things);
    await page.goto('/p/Checkout/segments/blocked_cards/Staging');
    await press(page, 'Activate in Staging');
    await page.getByText(/^No keys in \w+ yet\.$/).waitFor();
    await press(page, 'Replace the keys in Staging');
    await page.getByText('Choose a file.').waitFor();
    const choose = (text: string) =>
      page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'cards.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await choose('card-1\ncard-2\n');
    await look(page, 'a large segment');
    await press(page, 'Replace the keys in Staging');
    await page.getByText(/^2 keys in \w+\.$/).waitFor();
    await choose(
      [...Array(120).keys()]
        .map((index) => `card-${index}\n`)
        .join('')
        .concat('"x,y"\n'),
    );
    await press(page, 'Replace the keys in Staging');
    await page.getByText('1 to 50 of 121', { exact: true }).waitFor();
    await look(page, 'the keys of a large segment');
    await press(page, 'Next');
    await press(page, 'Next');
    await page.getByText('101 to 121 of 121', { exact: true }).waitFor();
    await page.getByRole('rowheader', { name: 'x,y' }).waitFor();
    await press(page, 'Previous');
    await page.getByText('51 to 100 of 121', { exact: true }).waitFor();
    await field(page, 'Keys that start with').fill('card-11');
    await page.getByText('1 to 11 that start with card-11', { exact: true }).waitFor();
    await field(page, 'Keys that start with').fill('nobody');
    await page.getByText('No keys match').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    assert.equal(download.suggestedFilename(), 'blocked_cards-Staging.csv');
    const saved = (await readFile(await download.path(), 'utf8')).split('\n');
    assert.deepEqual([saved.length, saved[0], saved[120]], [122, 'card-0', '"x,y"']);
    await field(page, 'Key').fill('card-2');
    await press(page, 'Look up');
    await page.getByText('card-2 is in the segment in Staging.').waitFor();
    await press(page, 'Remove all keys');
    await look(page, 'remove all keys');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove all keys' }).click();
    await page.getByText('Removed all keys from Staging.').waitFor();
    await page.getByText(/^No keys in \w+ yet\.$/).waitFor();
  });

  visit('where approvals are required, a file for a large segment is proposed', async (things) => {
    const { page } = things;
    await someSegments(things);
    await guardStaging(things);
    await page.goto('/p/Checkout/segments/blocked_cards/Staging');
    await press(page, 'Activate in Staging');
    const file = { name: 'cards.csv', mimeType: 'text/csv', buffer: Buffer.from('card-1\ncard-2\n') };
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await look(page, 'propose a file');
    await press(page, 'Propose to replace the keys in Staging');
    await page.getByText('Proposed. Someone else must approve it.').waitFor();
    await page.getByText('The keys of a file: 2 keys in all.').waitFor();
    await look(page, 'proposed file');
  });
});
