import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { startBrowser } from './browser.ts';
import { field, press } from './people.ts';
import { aMember, look, row, signedInVisitsIn, type Things } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

/** One segment of each kind; the standard one has keys in Staging, and a flag there names it. */
async function someSegments({ api, project, environments }: Things): Promise<void> {
  const staging = environments.Staging?.id;
  const ofProject = (kind: string) => `/${kind}/ws/${project.id}/trafficTypes/user`;
  await api('POST', ofProject('segments'), { name: 'beta_testers', description: 'Asked for early access' });
  await api('POST', ofProject('rule-based-segments'), { name: 'eu_customers' });
  await api('POST', ofProject('large-segments'), { name: 'blocked_cards' });
  await api('POST', `/tags/ws/${project.id}/object/beta_testers/objecttype/Segment`, ['growth']);
  await api('POST', `/segments/${staging}/beta_testers`);
  await api('PUT', `/segments/${staging}/beta_testers/uploadKeys`, { keys: ['ana', 'liu', 'noor'] });
  await api('POST', `/rule-based-segments/${staging}/eu_customers`);
  await api('PUT', `/rule-based-segments/ws/${project.id}/eu_customers/environments/${staging}`, {
    rules: [
      {
        condition: {
          combiner: 'AND',
          matchers: [{ type: 'IN_LIST_STRING', attribute: 'country', strings: ['DE', 'FR'] }],
        },
      },
    ],
    excludedKeys: ['mallory'],
    excludedSegments: [{ name: 'beta_testers', type: 'standard_segment' }],
  });
  await api('POST', `/splits/ws/${project.id}/trafficTypes/user`, { name: 'new_basket' });
  await api('POST', `/splits/ws/${project.id}/new_basket/environments/${staging}`, {
    treatments: [{ name: 'on' }, { name: 'off' }],
    defaultTreatment: 'off',
    rules: [
      {
        buckets: [{ treatment: 'on', size: 100 }],
        condition: { combiner: 'AND', matchers: [{ type: 'IN_SEGMENT', string: 'beta_testers' }] },
      },
    ],
    defaultRule: [{ treatment: 'off', size: 100 }],
  });
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
    await row(page, 'beta_testers').getByText('2 uses').waitFor();
    await row(page, 'beta_testers').getByText('3', { exact: true }).waitFor();
    assert.equal(await row(page, 'beta_testers').getByText('Not active').count(), 2);
    await row(page, 'eu_customers').getByText('By rules').waitFor();
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
});
