/** A flag over time: the timeline on its page, and its versions. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { aFlag, definitionWith } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { press } from './people.ts';
import { blockStream, definitionIn, look, signedInVisitsIn, type Things } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

/** Defined at 10%, ramped to 50% for a reason, killed and restored. */
async function aStory(things: Things): Promise<void> {
  const { api, project, environments } = things;
  await aFlag(things, 'told', { on: { Staging: 10, Production: 5 } });
  const path = `/splits/ws/${project.id}/told/environments/${environments.Staging?.id}`;
  const defaultRule = [
    { treatment: 'on', size: 50 },
    { treatment: 'off', size: 50 },
  ];
  await api('PATCH', `${path}?title=Ramp`, [{ op: 'replace', path: '/defaultRule', value: defaultRule }]);
  await api('PUT', `${path}/kill?title=Outage`);
  await api('PUT', `${path}/restore`);
}

suite('history', { concurrency: 2 }, () => {
  visit('the timeline shows all shares and every change, by mouse, by keyboard and as a table', async (things) => {
    const { page } = things;
    await aStory(things);
    await page.goto('/p/Checkout/flags/told/Staging');
    const timeline = page.getByRole('region', { name: 'Rollout in Staging' });
    await timeline.getByRole('img', { name: /on 50%, off 50%/ }).waitFor();
    const changes = timeline.getByRole('navigation', { name: 'Changes in Staging' }).getByRole('link');
    assert.equal(await changes.count(), 1, 'changes of one minute are one dot');
    await changes.first().focus();
    await timeline.getByText('Killed: Outage').waitFor();
    await look(page, 'rollout timeline');

    await timeline.getByRole('button', { name: '90 d' }).click();
    await page.waitForURL('**/Staging?range=90');
    await timeline.getByRole('button', { name: 'All environments' }).click();
    await timeline.getByRole('link', { name: 'Production' }).waitFor();
    await timeline.getByRole('button', { name: 'Table' }).click();
    const row = timeline.getByRole('row', { name: /Ramp/ });
    await row.getByText('on 10% → 50%').waitFor();
    await look(page, 'rollout as a table');
    await row.getByRole('link', { name: 'Ramp' }).click();
    await page.waitForURL('**/told/activity?environment=Staging&version=*');
    const linked = page.getByRole('listitem').filter({ hasText: 'changed the definition' });
    await page.locator('li:focus', { hasText: 'changed the definition' }).waitFor();
    assert.equal(await linked.count(), 1);
  });

  visit('versions say what changed, kills stand out, and any two can be compared', async (things) => {
    const { page } = things;
    await aStory(things);
    await page.goto('/p/Checkout/flags/told/activity?environment=Staging');
    const version = (text: string) => page.getByRole('listitem').filter({ hasText: text });
    await version('defined the flag').getByText('Served when killed').waitFor();
    await version('killed the flag').getByText('Outage').waitFor();
    await version('defined the flag').getByRole('button', { name: 'Compare' }).click();
    const compare = page.getByRole('region', { name: 'Compare versions' });
    await compare.getByText('1 difference. Everything else is the same in both.').waitFor();
    await compare.getByRole('row', { name: /Everyone else.*10%.*50%/ }).waitFor();
    await look(page, 'comparison of versions');
    await compare.getByLabel('Version B').selectOption({ index: 1 });
    await compare.getByText('2 differences').waitFor();
    await press(page, 'Close the comparison');
    await compare.waitFor({ state: 'detached' });

    await page.getByRole('searchbox', { name: 'Search changes' }).fill('ramp');
    await version('killed the flag').waitFor({ state: 'detached' });
    assert.equal(await version('changed the definition').count(), 1);
  });

  visit('the first version of a flag has all of its steps', async (things) => {
    const { page, api, project, environments } = things;
    await aFlag(things, 'first', {});
    const matchers = [{ type: 'IN_LIST_STRING', attribute: 'country', strings: ['US', 'CA'] }];
    await api('POST', `/splits/ws/${project.id}/first/environments/${environments.Staging?.id}`, {
      ...definitionWith(25),
      treatments: [{ name: 'on', keys: ['ana'] }, { name: 'off' }],
      trafficAllocation: 80,
      rules: [{ name: 'North', buckets: [{ treatment: 'on', size: 100 }], condition: { combiner: 'AND', matchers } }],
    });
    await page.goto('/p/Checkout/flags/first/activity?environment=Staging');
    const version = page.getByRole('listitem').filter({ hasText: 'defined the flag' });
    await version.getByText('Served when killed').waitFor();
    assert.deepEqual(await version.getByRole('term').allInnerTexts(), [
      'Individual targets of on',
      'Traffic allocation',
      'Rule 1, North',
      'Everyone else',
      'Served when killed',
    ]);
  });

  visit('a change is reverted from the history: what was changed since stays, or is asked about', async (things) => {
    const { page, api, project, environments } = things;
    await blockStream(page);
    await aStory(things);
    const path = `/splits/ws/${project.id}/told/environments/${environments.Staging?.id}`;
    const patch = (name: string, value: unknown) => api('PATCH', path, [{ op: 'replace', path: name, value }]);
    await patch('/trafficAllocation', 80);
    // The states of these entries are not those of the flag.
    for (const days of [1, 2]) {
      await api('PUT', `/splits/ws/${project.id}/told/keep`, { until: Date.now() + days * 86_400_000, note: '' });
    }
    await page.goto('/p/Checkout/flags/told/activity');
    await page.getByRole('listitem').filter({ hasText: /kept/ }).first().waitFor();
    const history = '/p/Checkout/flags/told/activity?environment=Staging';
    const ramp = page.getByRole('listitem').filter({ hasText: 'Ramp' });
    await page.goto(history);
    await ramp.getByRole('button', { name: 'Revert…' }).click();
    const review = page.getByRole('dialog', { name: 'Save 1 change to Staging?' });
    assert.equal(await review.getByLabel('Title').inputValue(), 'Revert: Ramp');
    await review.getByRole('button', { name: 'Save to Staging' }).click();
    await page.getByText('Saved to Staging.').waitFor();
    const saved = await definitionIn(things, 'told', 'Staging');
    assert.deepEqual([saved.trafficAllocation, saved.defaultRule[0].size], [80, 10]);

    await patch('/defaultRule', [
      { treatment: 'on', size: 70 },
      { treatment: 'off', size: 30 },
    ]);
    await page.goto(history);
    await ramp.getByRole('button', { name: 'Revert…' }).last().click();
    await page.getByRole('heading', { name: 'This was changed again since' }).waitFor();
    await page.getByRole('button', { name: 'Revert: Everyone else' }).click();
    await press(page, 'Review and save');
    await page.getByRole('dialog').getByText('60% of the user keys', { exact: false }).first().waitFor();

    // Details of a flag have no drafts.
    await api('PUT', `/splits/ws/${project.id}/told/updateDescription`, 'Shown on the last page');
    await page.goto('/p/Checkout/flags/told/activity');
    const described = page.getByRole('listitem').filter({ hasText: 'Shown on the last page' });
    await described.getByRole('button', { name: 'Revert…' }).click();
    await page.getByText('Here is the draft. Nothing has changed yet.').waitFor();
    await press(page, 'Apply to the project');
    await page.getByRole('dialog').getByRole('button', { name: 'Apply to the project' }).click();
    await page.getByText('Applied to the project.').waitFor();
    const { description } = await api('GET', `/splits/ws/${project.id}/told`);
    assert.equal(description, '');
  });
});
