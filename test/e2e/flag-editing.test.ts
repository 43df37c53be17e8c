/** The flag page: every way to edit a definition, from the first template to the saved change. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Page } from 'playwright-core';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { definitionIn, look, openFlag, review, saveBar, signedInVisitsIn, step, whole } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

const boundary = (page: Page, names = 'on and off') =>
  page.getByRole('slider', { name: `Boundary between ${names}` }).last();
const everyoneElse = (page: Page) => step(page, 'Everyone else');

suite('editing a definition', { concurrency: 2 }, () => {
  visit('a flag is defined from a template, ramped, and saved as a patch', async (things) => {
    const { page } = things;
    await aFlag(things, 'one_page');
    await openFlag(page, 'one_page', 'Staging');
    await heading(page, 'one_page').waitFor();
    await page.getByRole('heading', { name: 'Not defined in Staging' }).waitFor();
    await look(page, 'not defined');
    await page.getByRole('button', { name: /Start with everyone off/ }).click();
    await saveBar(page).getByText('New definition in Staging').waitFor();
    await everyoneElse(page).getByRole('button', { name: '50', exact: true }).click();
    await press(page, 'Review and save');
    const first = page.getByRole('dialog', { name: 'Define the flag in Staging?' });
    await first.getByRole('heading', { name: 'New definition' }).waitFor();
    await first.getByLabel('Title').fill('First look');
    await first.getByRole('button', { name: 'Save to Staging' }).click();
    await page.getByText('Saved to Staging.').waitFor();
    assert.deepEqual((await definitionIn(things, 'one_page', 'Staging')).defaultRule, [
      { treatment: 'on', size: 50 },
      { treatment: 'off', size: 50 },
    ]);

    await boundary(page).focus();
    for (const key of ['PageUp', 'PageUp', 'PageUp']) await page.keyboard.press(key);
    assert.equal(await boundary(page).getAttribute('aria-valuetext'), 'on 80%, off 20%');
    await saveBar(page).getByText('1 unsaved change in Staging').waitFor();
    await saveBar(page).getByText('on 50% → 80% of all keys').waitFor();
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'Save 1 change to Staging?' });
    await dialog.getByRole('heading', { name: 'on 50% to 80% of all keys' }).waitFor();
    await dialog.getByRole('row', { name: 'off on 30%', exact: true }).waitFor();
    await dialog.getByText('30% of the user keys that reach this step move from off to on.').waitFor();
    await look(page, 'review');
    await dialog.getByRole('button', { name: 'Show as JSON patch' }).click();
    await dialog.getByText('"path": "/defaultRule"').waitFor();
    await dialog.getByText(/curl -X PATCH .*If-Match/s).waitFor();
    await dialog.getByLabel('Title').fill('Ramp');
    await dialog.getByLabel('Comment').fill('Error rate is flat.');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.keyboard.press('Control+Enter');
    const request = await sent;
    assert.match(request.headers()['if-match'] ?? '', /^"\d+-/);
    assert.deepEqual(request.postDataJSON(), [
      {
        op: 'replace',
        path: '/defaultRule',
        value: [
          { treatment: 'on', size: 80 },
          { treatment: 'off', size: 20 },
        ],
      },
    ]);
    await page.getByText('Saved to Staging.').first().waitFor();
    await saveBar(page).waitFor({ state: 'detached' });
    await page
      .getByRole('link', { name: /^Staging/ })
      .getByText('80%')
      .waitFor();
    const activity = page.getByRole('region', { name: 'Activity' });
    await activity.getByText('Everyone else: on 50% → 80%').waitFor();
    await activity
      .getByText(/^Ana Ruiz, /)
      .first()
      .waitFor();
  });

  visit('saving says how many SDKs hold the change, until all do', async (things) => {
    const { page, api, server, project, environments } = things;
    await aFlag(things, 'followed', { on: { Staging: 50 } });
    const { key } = await api('POST', '/apiKeys', {
      name: 'application',
      apiKeyType: 'server_side',
      workspace: { id: project.id },
      environments: [{ id: environments.Staging?.id }],
    });
    const poll = async (splitsdkversion: string, since: number) => {
      const headers = { authorization: `Bearer ${key}`, splitsdkversion };
      assert.equal((await fetch(`${server.url}/api/splitChanges?s=1.3&since=${since}`, { headers })).status, 200);
    };
    await poll('nodejs-11.11.2', 5);
    await poll('python-10.5.1', 5);
    await openFlag(page, 'followed', 'Staging');
    await everyoneElse(page).getByRole('button', { name: '100', exact: true }).click();
    await press(page, 'Review and save');
    await press(page, 'Save to Staging');
    await page.getByText('Saved to Staging. 0 of 2 instances hold it.').waitFor();
    const { changeNumber } = await api('GET', `/environments/ws/${project.id}/${environments.Staging?.id}/convergence`);
    await poll('nodejs-11.11.2', changeNumber);
    await page.getByText('Saved to Staging. 1 of 2 instances hold it.').waitFor();
    await poll('python-10.5.1', changeNumber);
    await page.getByText('Saved to Staging. 2 of 2 instances hold it.').waitFor();
    await press(page, 'See SDKs');
    await page.getByText('All 2 hold the last change').waitFor();
  });

  visit('shares always add up to 100: by dragging, by numbers, by presets', async (things) => {
    const { page } = things;
    await aFlag(things, 'mixed', { on: { Staging: 50 } });
    await openFlag(page, 'mixed', 'Staging');
    const thumb = await boundary(page).boundingBox();
    assert.ok(thumb);
    await page.mouse.move(thumb.x + 6, thumb.y + 10);
    await page.mouse.down();
    await page.mouse.move(thumb.x + 6 - 200, thumb.y + 12, { steps: 5 });
    await page.mouse.up();
    const dragged = Number(await field(page, 'Percent on').inputValue());
    assert.ok(dragged > 0 && dragged < 40, String(dragged));
    assert.equal(await field(page, 'Percent off').inputValue(), String(100 - dragged));
    await field(page, 'Percent off').fill('7');
    assert.equal(await field(page, 'Percent on').inputValue(), '93');
    await field(page, 'Percent off').fill('');
    await field(page, 'Percent off').blur();
    assert.equal(await field(page, 'Percent off').inputValue(), '7');
    await everyoneElse(page).getByRole('button', { name: '50', exact: true }).click();
    await saveBar(page).waitFor({ state: 'detached' });
  });

  visit.long('a new treatment gets a share at the end, and is removed with its share handed over', async (things) => {
    const { page } = things;
    await aFlag(things, 'third', { on: { Staging: 50 } });
    await openFlag(page, 'third', 'Staging');
    const treatments = page.getByRole('region', { name: 'Treatments' });
    await treatments.getByRole('button', { name: 'Add' }).click();
    const dialog = page.getByRole('dialog', { name: 'New treatment' });
    await field(page, 'Name').fill('off');
    await press(page, 'Add treatment');
    await dialog.getByText('A treatment off already exists.').waitFor();
    await field(page, 'Name').fill('control');
    await press(page, 'Add treatment');
    await dialog.getByText(/must not be control/).waitFor();
    await field(page, 'Name').fill('compact');
    await field(page, 'Description').fill('Without the summary');
    await field(page, 'Configuration').fill('{"columns": 1');
    await press(page, 'Add treatment');
    await dialog.getByText('Invalid JSON.').waitFor();
    await field(page, 'Configuration').fill('{"columns": 1}');
    await press(page, 'Add treatment');
    await everyoneElse(page).getByRole('button', { name: 'compact' }).click();
    await field(page, 'Percent compact').fill('20');
    assert.equal(await field(page, 'Percent off').inputValue(), '40');
    await saveBar(page).getByText('2 unsaved changes in Staging').waitFor();
    await review(page, 'Staging');
    assert.deepEqual(
      await definitionIn(things, 'third', 'Staging').then(({ treatments: all, defaultRule }) => [all[2], defaultRule]),
      [
        { name: 'compact', description: 'Without the summary', configurations: '{"columns": 1}' },
        [
          { treatment: 'on', size: 40 },
          { treatment: 'off', size: 40 },
          { treatment: 'compact', size: 20 },
        ],
      ],
    );
    await press(page, 'off: edit, remove');
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const removal = page.getByRole('alertdialog', { name: 'Remove treatment off?' });
    await removal.getByText('40% of everyone else').waitFor();
    await removal.getByText('served when killed').waitFor();
    await press(page, 'Remove off');
    await review(page, 'Staging');
    const after = await definitionIn(things, 'third', 'Staging');
    assert.equal(after.defaultTreatment, 'on');
    assert.deepEqual(after.defaultRule, [
      { treatment: 'on', size: 40 },
      { treatment: 'compact', size: 60 },
    ]);
  });

  visit.long('a treatment is renamed everywhere, and can be served when killed', async (things) => {
    const { page } = things;
    await aFlag(things, 'renamed', { on: { Staging: 50 } });
    await openFlag(page, 'renamed', 'Staging');
    await press(page, 'on: edit, remove');
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await field(page, 'Name').fill('one_page');
    await press(page, 'Apply');
    await press(page, 'one_page: edit, remove');
    await page.getByRole('menuitem', { name: 'Serve when killed' }).click();
    await press(page, 'one_page: edit, remove');
    await page.getByRole('menuitem', { name: 'Make baseline' }).click();
    await press(page, 'Review and save');
    const dialog = page.getByRole('dialog', { name: 'Save 3 changes to Staging?' });
    await dialog.getByRole('heading', { name: 'Treatment on is now one_page' }).waitFor();
    await dialog.getByRole('button', { name: 'Save to Staging' }).click();
    await page.getByText('Saved to Staging.').waitFor();
    const after = await definitionIn(things, 'renamed', 'Staging');
    assert.equal(after.defaultTreatment, 'one_page');
    assert.equal(after.baselineTreatment, 'one_page');
    assert.equal(after.defaultRule[0].treatment, 'one_page');
  });

  visit.long('individual targets are edited as text; a key in two treatments is refused', async (things) => {
    const { page } = things;
    await aFlag(things, 'targeted', { on: { Staging: 50 } });
    await openFlag(page, 'targeted', 'Staging');
    await press(page, 'Edit individual targets');
    await field(page, 'on keys').fill('ana, liu\nnoor\nana');
    await field(page, 'off keys').fill('liu');
    await press(page, 'Review and save');
    await page.getByText('liu is in on and in off. A key can have only one treatment.').first().waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await field(page, 'off keys').fill('omar');
    await press(page, 'Done');
    await step(page, 'Individual targets').getByText('noor').waitFor();
    await review(page, 'Staging');
    const { treatments } = await definitionIn(things, 'targeted', 'Staging');
    assert.deepEqual(treatments, [
      { name: 'on', keys: ['ana', 'liu', 'noor'] },
      { name: 'off', keys: ['omar'] },
    ]);
  });

  visit.long('the traffic allocation is edited where it stands', async (things) => {
    const { page } = things;
    await aFlag(things, 'allocated', { on: { Staging: 50 } });
    await openFlag(page, 'allocated', 'Staging');
    await field(page, 'Traffic allocation in percent').fill('40');
    await page.getByText('of the other keys continue, the rest get').waitFor();
    await saveBar(page).getByText('on 50% → 20% of all keys').waitFor();
    await review(page, 'Staging');
    assert.equal((await definitionIn(things, 'allocated', 'Staging')).trafficAllocation, 40);
  });

  visit('an incomplete rule is not saved, and the page leads to what is missing', async (things) => {
    const { page } = things;
    await aFlag(things, 'incomplete', { on: { Staging: 50 } });
    await openFlag(page, 'incomplete', 'Staging');
    await press(page, 'Add rule');
    await press(page, 'Review and save');
    await saveBar(page).getByText('Rule 1: Add at least one value.').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    const editor = page.locator('[data-step="rule 0"]');
    await editor.locator('[aria-label="Values"][aria-invalid="true"]:focus').waitFor();
    await editor.getByText('Add at least one value.').waitFor();
    await look(page, 'an incomplete rule');
    await page.reload();
    await page.getByRole('button', { name: /^Rule 1: edit/ }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    // Done does not close it: it says what is missing.
    await editor.getByRole('button', { name: 'Done' }).click();
    await editor.locator('[aria-label="Values"][aria-invalid="true"]:focus').waitFor();
    await field(page, 'Rule name, optional').fill('Paying customers');
    await field(page, 'Attribute').fill('plan');
    await field(page, 'Values').fill('pro');
    await page.keyboard.press('Enter');
    await editor.getByRole('button', { name: 'Done' }).click();
    await editor
      .getByRole('button', { name: /^Rule 1: drag/ })
      .and(page.locator(':focus'))
      .waitFor();
    await review(page, 'Staging');
    const { rules } = await definitionIn(things, 'incomplete', 'Staging');
    assert.equal(rules[0].name, 'Paying customers');
    await step(page, 'Paying customers').waitFor();
    assert.deepEqual(rules[0].condition.matchers, [{ attribute: 'plan', type: 'IN_LIST_STRING', strings: ['pro'] }]);
  });

  visit.long('rules are moved by the menu, by Alt with the arrow keys and by dragging', async (things) => {
    const { page, api, project, environments } = things;
    await aFlag(things, 'ordered');
    await api('POST', `/splits/ws/${project.id}/ordered/environments/${environments.Staging?.id}`, whole);
    await openFlag(page, 'ordered', 'Staging');
    const order = () => page.locator('[data-step^="rule "] code').allTextContents();
    assert.deepEqual(await order(), ['staff', 'beta', 'eu']);
    await press(page, 'Rule 1: edit, move, remove');
    await page.getByRole('menuitem', { name: 'Move down' }).click();
    assert.deepEqual(await order(), ['beta', 'staff', 'eu']);
    await page.getByRole('button', { name: /^Rule 2: drag/ }).focus();
    await page.keyboard.press('Alt+ArrowDown');
    assert.deepEqual(await order(), ['beta', 'eu', 'staff']);
    await page.getByText('Rule 2 is now rule 3.').waitFor({ state: 'attached' });
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    assert.deepEqual(await order(), ['staff', 'beta', 'eu']);
    await saveBar(page).waitFor({ state: 'detached' });

    const handle = await page.getByRole('button', { name: /^Rule 3: drag/ }).boundingBox();
    const target = await page.locator('[data-step="rule 0"]').boundingBox();
    assert.ok(handle && target);
    await page.mouse.move(handle.x + 10, handle.y + 10);
    await page.mouse.down();
    await page.mouse.move(handle.x + 10, target.y + 4, { steps: 6 });
    await page.mouse.up();
    assert.deepEqual(await order(), ['eu', 'staff', 'beta']);
    await press(page, 'Rule 1: edit, move, remove');
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByText('Never reached: rule 1 already takes all of these.').waitFor();
    await press(page, 'Rule 2: edit, move, remove');
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await press(page, 'Review and save');
    await page.getByRole('heading', { name: 'Rule 3 is now rule 1' }).waitFor();
    await page.getByRole('button', { name: 'Save to Staging' }).click();
    await page.getByText('Saved to Staging.').waitFor();
    const { rules } = await definitionIn(things, 'ordered', 'Staging');
    assert.deepEqual(
      rules.map((rule: (typeof whole.rules)[0]) => rule.condition.matchers[0]?.string),
      ['eu', 'staff', 'beta'],
    );
  });

  visit('a draft survives a reload and other pages, and can be discarded and brought back', async (things) => {
    const { page } = things;
    await aFlag(things, 'drafted', { on: { Staging: 50, Production: 10 } });
    await openFlag(page, 'drafted', 'Staging');
    page.on('dialog', (dialog) => void dialog.accept());
    await everyoneElse(page).getByRole('button', { name: '80', exact: true }).click();
    await page.reload();
    await saveBar(page).getByText('1 unsaved change in Staging').waitFor();
    await page.getByRole('link', { name: /^Production/ }).click();
    await page.getByRole('heading', { level: 2, name: 'Production', exact: true }).waitFor();
    assert.equal(await saveBar(page).count(), 0);
    await page
      .getByRole('link', { name: /^Staging/ })
      .getByText('Unsaved')
      .waitFor();
    await page.goBack();
    await saveBar(page).getByText('1 unsaved change in Staging').waitFor();
    await press(page, 'Discard');
    await saveBar(page).waitFor({ state: 'detached' });
    await press(page, 'Undo');
    await saveBar(page).getByText('1 unsaved change in Staging').waitFor();
    assert.equal(await field(page, 'Percent on').inputValue(), '80');
  });

  visit.long('if the project requires a title and comment, nothing is saved without them', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'explained', { on: { Production: 50 } });
    await api('PATCH', `/workspaces/${project.id}`, [
      { op: 'replace', path: '/requiresTitleAndComments', value: true },
    ]);
    await openFlag(page, 'explained', 'Production');
    await everyoneElse(page).getByRole('button', { name: '100', exact: true }).click();
    await press(page, 'Review and save');
    await press(page, 'Save to Production');
    await page.getByText('This project requires a title.').waitFor();
    await field(page, 'Title').fill('All');
    await field(page, 'Comment').fill('Done');
    await press(page, 'Save to Production');
    await page.getByText('Saved to Production.').waitFor();
  });

  visit('a rule is added, filled in, reordered and saved with the keyboard alone', async (things) => {
    const { page } = things;
    await aFlag(things, 'keys_only', { on: { Staging: 50 } });
    await openFlag(page, 'keys_only', 'Staging');
    // The second key comes before the field: it does not open the comparison.
    await page.keyboard.press('r');
    await page.keyboard.press('c');
    await page.locator('[aria-label="Attribute"]:focus').waitFor();
    assert.match(page.url(), /\/keys_only\/Staging$/);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('age');
    await page.keyboard.press('Tab');
    await page.keyboard.type('is at least');
    await page.keyboard.press('Tab');
    await page.keyboard.type('18');
    await page.getByRole('button', { name: /^Rule 1: drag/ }).focus();
    await page.keyboard.press('r');
    await page.locator('[data-step="rule 1"] :focus').waitFor();
    await page.keyboard.type('plan');
    for (let tabs = 0; tabs < 2; tabs += 1) await page.keyboard.press('Tab');
    await page.keyboard.type('pro');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Rule 2: drag/ }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('button', { name: /^Rule 1: drag/ }).focus();
    await page.keyboard.press('e');
    await page.locator('[role="slider"]:focus').waitFor();
    for (let times = 0; times < 5; times += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+s');
    await page.getByRole('dialog', { name: 'Save 3 changes to Staging?' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Saved to Staging.').waitFor();
    const { rules, defaultRule } = await definitionIn(things, 'keys_only', 'Staging');
    assert.deepEqual(
      rules.map((rule: { condition: { matchers: unknown[] } }) => rule.condition.matchers[0]),
      [
        { attribute: 'plan', type: 'IN_LIST_STRING', strings: ['pro'] },
        { attribute: 'age', type: 'GREATER_THAN_OR_EQUAL_NUMBER', number: 18 },
      ],
    );
    assert.equal(defaultRule[0].size, 55);
  });
});
