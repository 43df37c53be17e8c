/** The effect of a change on all keys, wherever it is shown: never more certain than the truth. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { aFlag, definitionWith } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { press } from './people.ts';
import { look, openFlag, saveBar, signedInVisitsIn, step, type Things } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

const ruleOn = (matcher: object, treatment = 'on') => ({
  buckets: [{ treatment, size: 100 }],
  condition: { combiner: 'AND', matchers: [matcher] },
});
const cartValue = { type: 'GREATER_THAN_OR_EQUAL_NUMBER', attribute: 'cart_value', number: 50 };
/** Takes minutes for any key of some length. */
const slow = '^(?:.?){200}x$';

const define = ({ api, project, environments }: Things, flag: string, environment: string, body: object) =>
  api('POST', `/splits/ws/${project.id}/${flag}/environments/${environments[environment]?.id}`, body);

suite('the effect of a change', { concurrency: 2 }, () => {
  visit.long('allocation and shares together make one headline, with directions, in all places', async (things) => {
    const { page } = things;
    await aFlag(things, 'gate', { on: { Staging: 80, Production: 80 } });
    await openFlag(page, 'gate', 'Production');
    await page.getByLabel('Traffic allocation in percent').fill('60');
    await step(page, 'Everyone else').getByRole('button', { name: '100', exact: true }).click();
    await saveBar(page).getByText('on 80% → 60% of all keys').waitFor();
    await page.getByRole('navigation', { name: 'Environments' }).getByText('on 80 →to 60%').waitFor();
    await press(page, 'Review and save');
    const review = page.getByRole('dialog', { name: 'Save 2 changes to Production?' });
    await review.getByRole('heading', { name: 'on 80% to 60% of all keys' }).waitFor();
    for (const name of ['on on 48%', 'on off 32%', 'off on 12%', 'off off 8%']) {
      await review.getByRole('row', { name, exact: true }).waitFor();
    }
    await review.getByText('32% move from on to off, and 12% move back.').waitFor();
    await look(page, 'review of an allocation');
    // Nothing needs scrolling on a laptop.
    await page.setViewportSize({ width: 1440, height: 900 });
    const [comment, save] = await Promise.all(
      [review.getByLabel('Comment'), review.getByRole('button', { name: 'Save to Production' })].map((one) =>
        one.boundingBox(),
      ),
    );
    assert.ok(comment && save && comment.y + comment.height <= save.y, 'the footer covers the comment');
    await page.setViewportSize({ width: 1280, height: 800 });
    await review.getByRole('button', { name: 'Save to Production' }).click();
    await page.getByText('Saved to Production.').waitFor();

    await press(page, 'Kill in Production');
    const kill = page.getByRole('alertdialog', { name: 'Kill in Production?' });
    await kill.getByRole('heading', { name: 'on 60% to 0% of all keys' }).waitFor();
    await kill.getByRole('row', { name: 'on off 60%', exact: true }).waitFor();
    await look(page, 'kill');
    await kill.getByLabel('Reason').fill('Cards are declined');
    await kill.getByRole('button', { name: 'Kill in Production' }).click();
    await page.getByText('Killed in Production. Everyone gets off.').waitFor();
    await page.getByText('Cards are declined').first().waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Restore' }).first().click();
    const restore = page.getByRole('dialog', { name: 'Restore in Production?' });
    await restore.getByRole('heading', { name: 'on 0% to 60% of all keys' }).waitFor();
    await restore.getByRole('row', { name: 'off on 60%', exact: true }).waitFor();
    await restore.getByRole('button', { name: 'Cancel' }).click();

    await page.goto('/p/Checkout/flags/gate/compare?a=Staging&b=Production');
    const all = page.getByRole('row', { name: /^All keys/ });
    await all.getByText('80%').waitFor();
    await all.getByText('100%').waitFor();
    await page.goto('/p/Checkout/flags/gate/activity');
    await page.getByText('on 80% → 60% of all keys').waitFor();
  });

  visit.long('a rule on an attribute is never harmless: what it asks for is named', async (things) => {
    const { page } = things;
    await aFlag(things, 'carts');
    await define(things, 'carts', 'Production', {
      ...definitionWith(10),
      rules: [ruleOn({ type: 'IN_LIST_STRING', attribute: 'plan', strings: ['pro'] }), ruleOn(cartValue)],
    });
    await openFlag(page, 'carts', 'Production');
    await press(page, 'Rule 2: edit, move, remove');
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await saveBar(page)
      .getByText(/Cannot tell exactly: rule 2 \(now\) depends on cart_value/)
      .waitFor();
    await press(page, 'Review and save');
    const dialog = page.getByRole('dialog', { name: 'Save 1 change to Production?' });
    await dialog.getByText('Keys that match rule 2 now and match no rule after: 90% move from on to off.').waitFor();
    await dialog.getByText('Other keys keep their treatment.').waitFor();
    await dialog
      .getByText('Cannot tell how many keys these are: rule 2 (now) depends on cart_value; rule 1 depends on plan.')
      .waitFor();
    await dialog.getByText('Share cannot be known: keys that match rule 2 or rule 1').waitFor();
    assert.equal(await dialog.getByText('No key changes treatment').count(), 0);
    await look(page, 'review of what cannot be told');
  });

  visit.long('an expression that takes too long stops nobody: the page says so at its rule', async (things) => {
    const { page } = things;
    await aFlag(things, 'regex');
    await define(things, 'regex', 'Staging', {
      ...definitionWith(10),
      rules: [
        ruleOn({ type: 'MATCHES_STRING', string: '^acct-[0-9]{4}$' }),
        ruleOn({ type: 'MATCHES_STRING', string: slow }, 'off'),
      ],
    });
    await openFlag(page, 'regex', 'Staging');
    const panel = page.getByRole('region', { name: 'Who sees what' });
    await panel.getByLabel('user key').fill('acct-1234');
    await panel.getByText(/^user key matches \^acct/).waitFor();
    await panel.getByLabel('user key').fill('somebody-with-a-long-enough-key');
    await panel.getByText(`Cannot tell: the regular expression ${slow} takes too long for this key.`).waitFor();
    await page.locator('[data-step="rule 1"]').getByText('This regular expression takes too long.').waitFor();
    assert.equal(await page.locator('[data-step="rule 0"]').getByText('takes too long').count(), 0);
    await panel.getByLabel('user key').fill('acct-4321');
    await panel.getByText(/^user key matches \^acct/).waitFor();
    await page.getByText('takes too long').first().waitFor({ state: 'detached' });
    // The editor shows which samples match, and names the one that takes too long.
    await press(page, 'Rule 2: edit, move, remove');
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const editor = page.locator('[data-step="rule 1"]');
    await editor.getByLabel('Value').fill('^(?:a+)+$');
    await editor.getByLabel('Try it').fill(`aaa\nbbb\n${'a'.repeat(40)}!`);
    await editor.getByRole('listitem').filter({ hasText: 'aaa matches' }).waitFor();
    await editor.getByText('bbb does not match').waitFor();
    await editor.getByRole('alert').getByText('^(?:a+)+$ takes too long for').waitFor();
    await look(page, 'an expression that is tried');
    await press(page, 'Rule 2: edit, move, remove');
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await press(page, 'Review and save');
    await page
      .getByRole('dialog')
      .getByText(/rule 2 \(now\) depends on the key itself/)
      .waitFor();
  });
});
