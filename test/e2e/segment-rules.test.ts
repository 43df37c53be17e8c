/** Rule-based segments: their rules are edited like those of flags. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { aReader, guardStaging, someSegments } from './some-segments.ts';
import { blockStream, look, menuOf, row, saveBar, signedInVisitsIn, type Things } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

const pathOf = ({ project, environments }: Things) =>
  `/rule-based-segments/ws/${project.id}/eu_customers/environments/${environments.Staging?.id}`;
const plan = (...strings: string[]) => ({
  condition: { combiner: 'AND', matchers: [{ type: 'IN_LIST_STRING', attribute: 'plan', strings }] },
});
const add = async (page: Page, value: string) => {
  await field(page, 'Values').fill(value);
  await page.keyboard.press('Enter');
};

suite('rule-based segments', { concurrency: 2 }, () => {
  visit(
    'rules and exclusions are edited, reviewed and saved with a note, and the segment is deleted',
    async (things) => {
      const { page, api, project } = things;
      await someSegments(things);
      await api('PATCH', `/workspaces/${project.id}`, [
        { op: 'replace', path: '/requiresTitleAndComments', value: true },
      ]);
      await page.goto('/p/Checkout/segments/eu_customers');
      await page.getByText('is one of').waitFor();
      await page.getByText('mallory').waitFor();
      await look(page, 'a rule-based segment');

      await page.keyboard.press('r');
      await saveBar(page).getByText('1 unsaved change in Staging').waitFor();
      await press(page, 'Review and save');
      await saveBar(page).getByText('Rule 2: Add at least one value.').waitFor();
      await page.getByRole('combobox', { name: 'Attribute' }).fill('plan');
      await page.setViewportSize({ width: 390, height: 844 });
      const attribute = await page.getByRole('combobox', { name: 'Attribute' }).boundingBox();
      assert.ok((attribute?.width ?? 0) > 100, `the attribute is ${attribute?.width} px wide on a phone`);
      await add(page, 'pro');
      await look(page, 'editing a rule');
      await press(page, 'Edit excluded');
      await page.getByRole('textbox', { name: 'Keys' }).fill('mallory\nkim');
      await press(page, 'Remove beta_testers');
      await press(page, 'Add segment');
      await page.getByRole('option', { name: 'blocked_cards' }).click();
      await page.keyboard.press('Escape');
      await page.reload();
      await saveBar(page).getByText('3 unsaved changes in Staging').waitFor();
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog', { name: 'Save 3 changes to Staging?' });
      await dialog.getByRole('region', { name: 'Rule 2 added' }).getByText('Or if').waitFor();
      await dialog.getByRole('region', { name: 'Excluded keys' }).getByText('kim').waitFor();
      await dialog.getByRole('region', { name: 'Excluded segments' }).getByText('blocked_cards').waitFor();
      await dialog.getByRole('button', { name: 'Show as JSON' }).click();
      await dialog.getByText(/curl -X PUT .*If-Match/s).waitFor();
      await dialog.getByRole('button', { name: 'Save to Staging' }).click();
      await dialog.getByText('This project requires a title.').waitFor();
      await dialog.getByLabel('Title').fill('Pros too');
      await dialog.getByLabel('Comment').fill('Agreed with sales.');
      await look(page, 'review rules');
      await page.keyboard.press('Control+Enter');
      await page.getByText('Saved to Staging.').waitFor();
      await saveBar(page).waitFor({ state: 'detached' });
      const { rules, excludedKeys, excludedSegments } = await api('GET', pathOf(things));
      assert.deepEqual(rules[1], plan('pro'));
      assert.deepEqual(excludedKeys, ['mallory', 'kim']);
      assert.deepEqual(excludedSegments, [{ name: 'blocked_cards', type: 'large_segment' }]);
      const change = page.getByRole('listitem').filter({ hasText: 'Pros too' });
      await change.getByRole('button', { name: 'Revert…' }).click();
      await saveBar(page).getByText('3 unsaved changes in Staging').waitFor();
      await press(page, 'Discard');
      await saveBar(page).waitFor({ state: 'detached' });

      await page.goto('/p/Checkout/segments');
      await row(page, 'eu_customers').getByText('2 rules').waitFor();
      await page.getByRole('link', { name: 'eu_customers' }).click();
      await menuOf(page, 'eu_customers', 'Delete segment');
      await press(page, 'Delete segment');
      await page.getByText('Deleted eu_customers.').waitFor();
      await row(page, 'beta_testers').waitFor();
      await row(page, 'eu_customers').waitFor({ state: 'detached' });
      await page.goto('/p/Checkout/segments/eu_customers/Staging');
      await heading(page, 'No such segment').waitFor();
      await page.goto('/p/Checkout/activity');
      await press(page, 'Restore eu_customers');
      await page.getByText('Restored eu_customers.').waitFor();
      assert.deepEqual((await api('GET', pathOf(things))).rules, rules);
    },
  );

  visit.long('a draft continues from what someone else saved, and conflicts are decided', async (things) => {
    const { page, api } = things;
    await someSegments(things);
    // So that saving meets the other change.
    await blockStream(page);
    await page.goto('/p/Checkout/segments/eu_customers/Staging');
    await page.getByRole('button', { name: 'Rule 1: edit, remove' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await add(page, 'IT');
    await press(page, 'Edit excluded');
    await page.getByRole('textbox', { name: 'Keys' }).fill('mallory, kim');
    const country = (...strings: string[]) => ({
      condition: { combiner: 'AND', matchers: [{ type: 'IN_LIST_STRING', attribute: 'country', strings }] },
    });
    await api('PUT', pathOf(things), { rules: [country('DE', 'ES')], excludedKeys: ['mallory', 'lee'] });
    await press(page, 'Review and save');
    await press(page, 'Save to Staging');
    await page.getByText('Someone else changed rules that you edited too.').waitFor();
    await page
      .getByRole('region', { name: 'Conflicts' })
      .getByText(/^Saved by First admin key, just now/)
      .waitFor();
    await look(page, 'conflicting rules');
    await press(page, 'Keep yours: Rule 1');
    await press(page, 'Review and save');
    await press(page, 'Save to Staging');
    await page.getByText('Saved to Staging.').waitFor();
    const { rules, excludedKeys } = await api('GET', pathOf(things));
    assert.deepEqual(rules, [country('DE', 'FR', 'IT')]);
    assert.deepEqual(excludedKeys, ['mallory', 'lee', 'kim']);

    await page.getByRole('textbox', { name: 'Keys' }).fill('');
    await press(page, 'Discard');
    await page.getByText('Draft discarded.').waitFor();
    await press(page, 'Undo');
    await saveBar(page).getByText('1 unsaved change in Staging').waitFor();
  });

  visit('rules are proposed where approvals are required, and by people who cannot edit', async (things) => {
    const { page, api } = things;
    await someSegments(things);
    await guardStaging(things);
    await page.goto('/p/Checkout/segments/eu_customers/Staging');
    await press(page, 'Edit excluded');
    await page.getByRole('textbox', { name: 'Keys' }).fill('mallory\nkim');
    await press(page, 'Review and propose');
    const dialog = page.getByRole('dialog', { name: 'Propose 1 change to Staging?' });
    await dialog.getByLabel('Title').fill('Without Kim');
    await dialog.getByRole('button', { name: 'Propose to Staging' }).click();
    await heading(page, 'Without Kim').waitFor();
    // Those who approve it see what would change.
    await page.getByRole('region', { name: 'Excluded keys' }).getByText('kim').waitFor();
    await look(page, 'proposed rules');
    assert.deepEqual((await api('GET', pathOf(things))).excludedKeys, ['mallory'], 'nothing has changed yet');

    await guardStaging(things, false);
    const liu = await aReader(things);
    await liu.page.goto('/p/Checkout/segments/eu_customers/Staging');
    await press(liu.page, 'Propose a change');
    await liu.page.getByText('What you change here is proposed to them.').waitFor();
    await press(liu.page, 'Edit excluded');
    await liu.page.getByRole('textbox', { name: 'Keys' }).fill('lee');
    await press(liu.page, 'Review and propose');
    await liu.page.getByRole('dialog').getByRole('button', { name: 'Propose to Staging' }).click();
    await heading(liu.page, 'Change eu_customers').waitFor();
    await liu.page.getByText('You cannot apply it').waitFor();
    await press(page, 'Apply to Staging');
    await page.getByRole('dialog').getByRole('button', { name: 'Apply to Staging' }).click();
    await page.getByText('Applied to Staging.').waitFor();
    await page.getByRole('region', { name: 'Excluded keys' }).getByText('kim').waitFor();

    // What needs no approval is proposed to those who can apply it.
    await liu.page.goto(page.url());
    await press(liu.page, 'Revert');
    await press(liu.page, 'Make the draft');
    await press(liu.page, 'Propose');
    const proposing = liu.page.getByRole('dialog', { name: 'Propose it?' });
    await proposing.getByText('Those who can apply it see it in their list.').waitFor();
    await proposing.getByRole('button', { name: 'Propose', exact: true }).click();
    await liu.page.getByText('Ready to apply').waitFor();
    assert.deepEqual(liu.complaints, []);
    await liu.leave();
  });
});
