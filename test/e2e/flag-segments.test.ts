/** Segments, attributes and identities where flags use them. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { aFlag, definitionWith } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { press } from './people.ts';
import { someSegments } from './some-segments.ts';
import { definitionIn, look, openFlag, review, signedInVisitsIn, step } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

const inSegment = (string: string) => ({
  buckets: [{ treatment: 'on', size: 100 }],
  condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string }] },
});

suite('flags and segments', { concurrency: 2 }, () => {
  visit('rules and targets choose segments, create them, and mark those that are not there', async (things) => {
    const { page, api, project, environments } = things;
    await someSegments(things);
    await api('POST', `/segments/ws/${project.id}/trafficTypes/user`, { name: 'staff' });
    await aFlag(things, 'basket');
    await api('POST', `/splits/ws/${project.id}/basket/environments/${environments.Staging?.id}`, {
      ...definitionWith(0),
      treatments: [{ name: 'on', segments: ['gone'] }, { name: 'off' }],
      rules: [inSegment('staff'), inSegment('beta_testers')],
    });
    await openFlag(page, 'basket', 'Staging');
    await page.getByText('Segment staff is not active in Staging, so nobody is in it.').waitFor();
    await page.getByText('Segment gone does not exist, so nobody is in it.').waitFor();
    await page.getByRole('link', { name: 'beta_testers' }).waitFor();
    await look(page, 'segments that are not there');
    await press(page, 'Activate staff in Staging');
    await page.getByText('staff is active in Staging.').waitFor();
    await page.getByText('Segment staff is not active').waitFor({ state: 'detached' });
    await press(page, 'Create gone');
    await page.getByText('Segment gone does not exist').waitFor({ state: 'detached' });

    await press(page, 'Rule 2: edit, move, remove');
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await press(page, 'Segment: beta_testers');
    await page.getByRole('option', { name: 'staff Standard · 0 keys' }).waitFor();
    await page.getByRole('option', { name: 'beta_testers Standard · 3 keys' }).waitFor();
    await look(page, 'choose a segment');
    await page.getByRole('combobox', { name: 'Segment' }).fill('eu_');
    await page.getByRole('option', { name: 'eu_customers Rule-based' }).waitFor();
    await page.getByRole('option', { name: 'staff' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Segment: eu_customers' }).waitFor();
    await press(page, 'Done');

    await press(page, 'Edit individual targets');
    const targets = step(page, 'Individual targets');
    await targets.getByRole('group', { name: 'Segments of off' }).getByRole('button', { name: 'Add segment' }).click();
    await page.getByRole('combobox', { name: 'Segments of off' }).fill('new_one');
    await page.getByRole('option', { name: 'Create segment new_one' }).click();
    await page.getByText('Created new_one. It is active in Staging, without keys.').waitFor();
    await page.keyboard.press('Escape');
    await targets.getByRole('button', { name: 'Remove gone' }).click();
    await look(page, 'segments of treatments');
    await targets.getByRole('button', { name: 'Done' }).click();
    await review(page, 'Staging');
    const { treatments, rules } = await definitionIn(things, 'basket', 'Staging');
    assert.deepEqual(treatments[0].segments ?? [], []);
    assert.deepEqual(treatments[1].segments, ['new_one']);
    assert.equal(rules[1].condition.matchers[0].string, 'eu_customers');
  });

  visit('“Who sees what” knows segments, identities and attributes', async (things) => {
    const { page, api, project, environments } = things;
    const staging = environments.Staging?.id;
    await someSegments(things);
    const [{ id: user }] = await api('GET', `/trafficTypes/ws/${project.id}`);
    await api('POST', `/schema/ws/${project.id}/trafficTypes/${user}`, {
      id: 'country',
      displayName: 'Country of residence',
      dataType: 'STRING',
      suggestedValues: ['DE', 'FR', 'US'],
    });
    await api('POST', `/trafficTypes/${user}/environments/${staging}/identities`, [
      { key: 'kim-1', values: { country: 'DE', plan: 'pro' } },
      { key: 'kim-2', values: { country: 'US' } },
    ]);
    await aFlag(things, 'basket');
    await api('POST', `/splits/ws/${project.id}/basket/environments/${staging}`, {
      ...definitionWith(0),
      rules: [inSegment('beta_testers'), inSegment('eu_customers'), inSegment('gone')],
    });
    await openFlag(page, 'basket', 'Staging');
    const panel = page.getByRole('region', { name: 'Who sees what' });
    const key = panel.getByLabel('user key');
    await key.fill('ana');
    await panel.getByText('user is in segment beta_testers, bucket').waitFor();
    await panel.getByText('gets on', { exact: true }).waitFor();
    await key.fill('kim');
    await page.getByRole('option', { name: 'kim-2 US' }).waitFor();
    await look(page, 'identities');
    await key.press('ArrowDown');
    await key.press('Enter');
    assert.equal(await key.inputValue(), 'kim-1');
    assert.equal(await panel.getByLabel('country').inputValue(), 'DE');
    await panel.getByText('user is in segment eu_customers (country is one of DE or FR), bucket').waitFor();
    await panel.getByLabel('country').fill('');
    await page.getByRole('option', { name: 'US' }).click();
    assert.equal(await panel.getByLabel('country').inputValue(), 'US');
    await panel
      .getByText('Not: user is in segment eu_customers (not: country is one of DE or FR (it is US))')
      .waitFor();
    await panel.getByText('Not: user is in segment gone (no such segment)').waitFor();
    await key.fill('mallory');
    await panel.getByText('Not: user is in segment eu_customers (the key is excluded)').waitFor();

    await page.getByRole('button', { name: 'Add rule' }).click();
    const condition = page.getByRole('group', { name: 'Condition' });
    await condition.getByLabel('Attribute').fill('cou');
    await page.getByRole('option', { name: 'country Country of residence · Text' }).click();
    await condition.getByLabel('Values').press('ArrowDown');
    await condition.getByLabel('Values').press('ArrowDown');
    await condition.getByLabel('Values').press('Enter');
    await condition.getByRole('button', { name: 'Remove FR' }).waitFor();
    await press(page, 'Done');
    await review(page, 'Staging');
    const { rules } = await definitionIn(things, 'basket', 'Staging');
    assert.deepEqual(rules[3].condition.matchers, [{ attribute: 'country', type: 'IN_LIST_STRING', strings: ['FR'] }]);
  });

  visit.long('comparing and copying tell which segments the other environment lacks', async (things) => {
    const { page, api, project, environments } = things;
    const [staging, production] = [environments.Staging?.id, environments.Production?.id];
    await someSegments(things);
    await api('POST', `/segments/${production}/beta_testers`);
    await aFlag(things, 'basket', { on: { Production: 0 } });
    await api('POST', `/splits/ws/${project.id}/basket/environments/${staging}`, {
      ...definitionWith(0),
      rules: [inSegment('beta_testers'), inSegment('eu_customers'), inSegment('gone')],
    });
    await page.goto('/p/Checkout/flags/basket/compare?a=Staging&b=Production');
    await page.getByText('Segment beta_testers is empty in Production, but not in Staging.').waitFor();
    await page.getByRole('link', { name: 'Open beta_testers in Production' }).waitFor();
    await page.getByText('Segment gone does not exist, so nobody is in it.').waitFor();
    await look(page, 'compare with missing segments');
    await press(page, 'Activate eu_customers in Production');
    await page.getByText('Segment eu_customers is empty in Production, but not in Staging.').waitFor();
    await page.goto('/p/Checkout/flags/basket/Staging?copy=Production');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Segment beta_testers is empty in Production').waitFor();
    await dialog.getByRole('button', { name: 'Create gone' }).click();
    await page.getByText('Created gone. It is active in Production, without keys.').waitFor();
    await dialog.getByText('Segment gone does not exist').waitFor({ state: 'detached' });
    const { objects } = await api('GET', `/segments/ws/${project.id}/environments/${production}`);
    assert.deepEqual(
      objects.map(({ name }: { name: string }) => name),
      ['beta_testers', 'gone'],
    );
  });
});
