/** Flags that depend on each other, as the interface shows them. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { press } from './people.ts';
import { definitionIn, look, openFlag, review, signedInVisitsIn, type Things } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

/** The flag asks in Staging and Production whether `needed` is on. */
async function aDependent(things: Things, name: string, needed: string): Promise<void> {
  await aFlag(things, name, { on: { Staging: 50, Production: 10 } });
  const rule = {
    buckets: [{ treatment: 'on', size: 100 }],
    condition: { matchers: [{ type: 'IN_SPLIT', depends: { splitName: needed, treatments: ['on'] } }] },
  };
  for (const environment of ['Staging', 'Production']) {
    const path = `/splits/ws/${things.project.id}/${name}/environments/${things.environments[environment]?.id}`;
    await things.api('PATCH', path, [{ op: 'add', path: '/rules/-', value: rule }]);
  }
}

suite('relations', { concurrency: 2 }, () => {
  visit('killing and deleting a flag shows the flags that depend on it', async (things) => {
    const { page } = things;
    await aFlag(things, 'payments_v2', { on: { Staging: 50, Production: 10 } });
    await aDependent(things, 'klarna_pay_later', 'payments_v2');
    await aDependent(things, 'order_tracking_map', 'payments_v2');
    await openFlag(page, 'klarna_pay_later', 'Staging');
    await page.getByRole('listitem').filter({ hasText: 'serves' }).getByRole('link', { name: 'payments_v2' }).click();
    await page.waitForURL('**/flags/payments_v2/Staging');
    const used = page.getByRole('region', { name: 'Used by' });
    await used.getByRole('link', { name: 'klarna_pay_later' }).waitFor();
    await used.getByRole('link', { name: 'order_tracking_map' }).waitFor();
    // The two flags differ; the page of the second must not take that for an edit by somebody.
    assert.equal(await page.getByText(/changed (this|everyone|rule|the)/i).count(), 0);
    await look(page, 'used by');
    await press(page, 'Kill in Staging');
    const kill = page.getByRole('alertdialog', { name: 'Kill in Staging?' });
    await kill.getByText('2 flags depend on this one').waitFor();
    await kill.getByRole('link', { name: 'order_tracking_map' }).waitFor();
    await kill.getByText('rule 1 needs on').first().waitFor();
    await kill.getByText('Their rules see off for everyone').waitFor();
    await look(page, 'kill a flag that others depend on');
    await kill.getByRole('button', { name: 'Cancel' }).click();
    await used.getByRole('link', { name: 'View graph' }).click();
    const relations = page.getByRole('region', { name: 'Relations' });
    const users = relations.getByRole('region', { name: 'Used by 2 flags' });
    await users
      .getByText(/: rule 1 needs on; also /)
      .first()
      .waitFor();
    await look(page, 'relations of a flag that others use');
    await press(page, 'Delete flag');
    const deletion = page.getByRole('region', { name: 'Dependent flags' });
    await deletion.getByText('Other flags depend on it.').waitFor();
    await deletion.getByRole('link', { name: 'klarna_pay_later' }).waitFor();
    await look(page, 'delete a flag that others depend on');
  });

  visit.long(
    'a rule on a flag that is gone is marked, blocks nothing, and is removed with one click',
    async (things) => {
      const { page, api, project } = things;
      await aFlag(things, 'cart_v1', { on: { Staging: 50 } });
      await aDependent(things, 'klarna_pay_later', 'cart_v1');
      await openFlag(page, 'klarna_pay_later', 'Staging');
      const rule = page.getByRole('listitem').filter({ hasText: 'cart_v1' });
      await rule.getByRole('link', { name: 'cart_v1' }).waitFor();
      await api('DELETE', `/splits/ws/${project.id}/cart_v1`);
      await page.reload();
      await rule.getByText('The flag cart_v1 no longer exists, so everyone gets control for it.').waitFor();
      assert.deepEqual(await rule.getByRole('link').allTextContents(), []);
      await look(page, 'a flag that is gone');
      await page.goto('/p/Checkout/flags/klarna_pay_later/details');
      const broken = page.getByRole('region', { name: 'Depends on 1' }).getByRole('listitem');
      await broken.getByText(/^No longer exists\. \w+: rule 1; \w+: rule 1$/).waitFor();
      await look(page, 'a relation that is broken');
      await openFlag(page, 'klarna_pay_later', 'Staging');
      await page.getByRole('group', { name: 'Set on to' }).getByRole('button', { name: '25' }).click();
      await review(page, 'Staging');
      assert.equal((await definitionIn(things, 'klarna_pay_later', 'Staging')).rules.length, 1);
      await press(page, 'Remove the condition on cart_v1');
      await review(page, 'Staging');
      assert.deepEqual((await definitionIn(things, 'klarna_pay_later', 'Staging')).rules, []);
    },
  );
});
