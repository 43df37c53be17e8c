/** Other parts of the flag page: kill, copy, compare, JSON, who sees what, history. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { aFlag, definitionWith } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import {
  definitionIn,
  eventually,
  focused,
  look,
  openFlag,
  review,
  saveBar,
  signedInVisitsIn,
  step,
  type Things,
  whole,
} from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

const define = ({ api, project, environments }: Things, flag: string, [environment, body]: [string, unknown]) =>
  api('POST', `/splits/ws/${project.id}/${flag}/environments/${environments[environment]?.id}`, body);

suite('around a definition', { concurrency: 2 }, () => {
  visit('kill and restore name the environment, act at once, and leave the draft alone', async (things) => {
    const { page } = things;
    await aFlag(things, 'deadly', { on: { Staging: 50, Production: 10 } });
    await openFlag(page, 'deadly', 'Production');
    await step(page, 'Everyone else').getByRole('button', { name: '25', exact: true }).click();
    await press(page, 'Kill in Production');
    const dialog = page.getByRole('alertdialog', { name: 'Kill in Production?' });
    await dialog.getByText('Everyone gets off, including individual targets.').waitFor();
    assert.equal(await page.evaluate('document.activeElement.name'), 'comment');
    await look(page, 'kill');
    await dialog.getByRole('button', { name: 'Kill in Production' }).click();
    await page.getByText(/^Killed just now by Ana Ruiz\.$/).waitFor();
    await page
      .getByRole('link', { name: /^Production/ })
      .getByText('Killed')
      .waitFor();
    await saveBar(page).getByText('1 unsaved change in Production').waitFor();
    assert.equal((await definitionIn(things, 'deadly', 'Production')).killed, true);
    assert.equal((await definitionIn(things, 'deadly', 'Production')).defaultRule[0].size, 10);
    assert.equal((await definitionIn(things, 'deadly', 'Staging')).killed, false);
    await look(page, 'killed');
    await page.getByRole('status').getByRole('button', { name: 'Restore' }).first().click();
    const restore = page.getByRole('dialog', { name: 'Restore in Production?' });
    await restore.getByRole('heading', { name: 'on 0% to 10% of all keys' }).waitFor();
    await press(page, 'Restore in Production');
    await page.getByText('Restored in Production. The rules apply again.').waitFor();
    assert.equal((await definitionIn(things, 'deadly', 'Production')).killed, false);
  });

  visit.long('head, environments and tabs stay on every view, and no view loses the focus', async (things) => {
    const { page } = things;
    await aFlag(things, 'framed', { on: { Staging: 50, Production: 10 } });
    await openFlag(page, 'framed', 'Staging');
    const tabs = page.getByRole('navigation', { name: 'Flag views' });
    for (const [tab, title] of [
      ['Compare', 'framed · Compare · Burgee'],
      ['JSON', 'framed · JSON · Staging · Burgee'],
      ['History 3', 'framed · History · Burgee'],
      ['Details', 'framed · Details · Burgee'],
      ['Targeting', 'framed · Staging · Burgee'],
    ] as const) {
      await tabs.getByRole('link', { name: tab }).click();
      await eventually(page, 'document.title', title);
      assert.equal(await tabs.locator('[aria-current]').textContent(), tab);
      assert.equal(await page.evaluate(focused), tab);
      await heading(page, 'framed').waitFor();
      await page.getByRole('navigation', { name: 'Environments' }).getByText('Production').waitFor();
    }
    await page.getByRole('link', { name: 'View all' }).click();
    await page.getByRole('heading', { level: 2, name: 'History' }).waitFor();
    await eventually(page, focused, 'framed');
    // An environment filters the history, and keeps JSON open.
    await page.getByRole('link', { name: /^Production/ }).click();
    await page.waitForURL('**/activity?environment=Production');
    await tabs.getByRole('link', { name: 'JSON' }).click();
    await page.waitForURL('**/Production/json');
    await page.getByRole('link', { name: /^Staging/ }).click();
    await page.waitForURL('**/Staging/json');
  });

  visit('a flag is archived, unarchived, deleted and restored from its own page', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'shelved', { on: { Staging: 50, Production: 10 } });
    await openFlag(page, 'shelved', 'Staging');
    const more = async (item: string) => {
      await press(page, 'More about shelved');
      await page.getByRole('menuitem', { name: item }).click();
    };
    await more('Kill everywhere');
    const kill = page.getByRole('alertdialog', { name: 'Kill shelved everywhere?' });
    await look(page, 'kill everywhere');
    await kill.getByRole('button', { name: 'Kill in 2 environments' }).click();
    await page.getByText('Killed shelved.').waitFor();
    assert.equal((await definitionIn(things, 'shelved', 'Production')).killed, true);
    await more('Archive');
    await page.getByRole('alertdialog', { name: 'Archive shelved?' }).getByLabel('Reason').fill('Later');
    await look(page, 'archive');
    await press(page, 'Archive flag');
    await page.getByText('Archived shelved.').waitFor();
    await page.getByText('Its name stays reserved and its definitions are kept.').waitFor();
    await look(page, 'an archived flag');
    await page.goto('/p/Checkout/archived');
    await page.waitForURL('**/flags?archived=true');
    await look(page, 'archived flags');
    await page.getByRole('link', { name: 'shelved', exact: true }).click();
    await press(page, 'Unarchive');
    await press(page, 'Unarchive flag');
    await page.getByText('Unarchived shelved.').waitFor();
    await more('Delete');
    const word = page.getByLabel('Type shelved to confirm');
    await word.fill('shelved');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete flag' }).click();
    await page.getByText('Deleted shelved.').waitFor();
    await page.goto('/p/Checkout/activity');
    await press(page, 'Restore shelved');
    await page.getByText('Restored shelved.').waitFor();
    const { definitions } = await api('GET', `/splits/ws/${project.id}/shelved?expand=definitions`);
    assert.equal(definitions.length, 2);
  });

  visit.long('recent activity names the action even when the change has a title', async (things) => {
    const { page, api, project, environments } = things;
    await aFlag(things, 'titled', { on: { Staging: 50 } });
    const path = `/splits/ws/${project.id}/titled/environments/${environments.Staging?.id}`;
    await api('PUT', `${path}/kill?title=Payments+fail`, {});
    await openFlag(page, 'titled', 'Staging');
    const entry = page.getByRole('region', { name: 'Activity' }).getByRole('listitem').first();
    await entry.getByText('Killed the flag').waitFor();
    await entry.getByText('Payments fail').waitFor();
  });

  visit('a definition is copied to another environment by parts, as a draft there', async (things) => {
    const { page } = things;
    await aFlag(things, 'copied', { on: { Production: 10 } });
    await define(things, 'copied', [
      'Staging',
      { ...whole, treatments: [{ name: 'on', keys: ['ana'] }, { name: 'off' }] },
    ]);
    await openFlag(page, 'copied', 'Staging');
    await press(page, 'Copy to');
    const dialog = page.getByRole('dialog', { name: 'Copy from Staging' });
    await dialog.getByLabel('To').selectOption('Production (production)');
    assert.equal(await dialog.getByLabel('Individual targets').isChecked(), false);
    await dialog.getByLabel('Rules').uncheck();
    await dialog.getByRole('heading', { name: 'Everyone else' }).waitFor();
    assert.equal(await dialog.getByRole('heading', { name: /^Rule/ }).count(), 0);
    await look(page, 'copy');
    await dialog.getByRole('button', { name: 'Continue in Production' }).click();
    const reviewed = page.getByRole('dialog', { name: 'Save 1 change to Production?' });
    assert.equal(await reviewed.getByLabel('Title').inputValue(), 'Copy from Staging');
    await reviewed.getByRole('button', { name: 'Save to Production' }).click();
    await page.getByText('Saved to Production.').waitFor();
    const { defaultRule, rules } = await definitionIn(things, 'copied', 'Production');
    assert.deepEqual([defaultRule[0].size, rules.length], [50, 0]);

    await page.getByRole('link', { name: /^Development/ }).click();
    await page.getByRole('button', { name: /Copy from Staging/ }).click();
    await review(page, 'Development');
    assert.equal((await definitionIn(things, 'copied', 'Development')).rules.length, 3);

    await openFlag(page, 'copied', 'Staging');
    await press(page, 'Copy to');
    await dialog.getByRole('button', { name: 'Copy to several environments' }).click();
    await dialog.getByLabel('Development').check();
    await dialog.getByLabel('Production').check();
    await look(page, 'copy to several environments');
    // It is the same in Development already.
    await dialog.getByRole('button', { name: 'Copy to 1 environment' }).click();
    await page.getByText('Copied to 1 environment.').waitFor();
    assert.equal((await definitionIn(things, 'copied', 'Production')).rules.length, 3);
  });

  visit('a flag is duplicated, and a definition that was removed comes back with its buckets', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'original', { on: { Staging: 50, Production: 10 } });
    await openFlag(page, 'original', 'Staging');
    await press(page, 'More about original');
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Duplicate original' });
    await dialog.getByLabel('Production').uncheck();
    await look(page, 'duplicate');
    await dialog.getByRole('button', { name: 'Duplicate flag' }).click();
    await page.getByRole('heading', { name: 'original_copy' }).waitFor();
    const copy = (await api('GET', `/splits/ws/${project.id}/original_copy?expand=definitions`)).definitions;
    assert.deepEqual(
      copy.map((one: { environment: { name: string } }) => one.environment.name),
      ['Staging'],
    );

    await press(page, 'More about original_copy');
    await page.getByRole('menuitem', { name: 'Remove from Staging' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove from Staging' }).click();
    await page.getByText('Not defined in Staging').waitFor();
    await page.getByRole('link', { name: 'History 3' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'removed the definition' })
      .getByRole('button', { name: 'Restore in Staging' })
      .click();
    await page
      .getByRole('dialog', { name: 'Restore original_copy in Staging?' })
      .getByRole('button', { name: 'Restore in Staging' })
      .click();
    await page.getByText('Restored in Staging.').waitFor();
    const back = (await api('GET', `/splits/ws/${project.id}/original_copy?expand=definitions`)).definitions;
    assert.equal(back[0].seed, copy[0].seed);
  });

  visit('two environments are compared, and a difference is carried over', async (things) => {
    const { page } = things;
    await aFlag(things, 'compared', { on: { Production: 10 } });
    await define(things, 'compared', ['Staging', { ...whole, trafficAllocation: 90 }]);
    await openFlag(page, 'compared', 'Staging');
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.waitForURL('**/compare');
    await page.getByText('5 differences').waitFor();
    await field(page, 'Right').selectOption('Development');
    await page.waitForURL('**/compare?a=Staging&b=Development');
    await page.getByText('The flag is not defined in Development').waitFor();
    await field(page, 'Right').selectOption('Production');
    await page.getByText('5 differences').waitFor();
    await page.getByRole('rowheader', { name: 'All keys' }).waitFor();
    const rows = await page.getByRole('rowheader').allTextContents();
    const rules = [1, 2, 3].map((number) => `Rule ${number}, only in Staging`);
    assert.deepEqual(rows.slice(2), ['Traffic allocation', ...rules, 'Everyone else']);
    await field(page, 'Only differences').uncheck();
    await page.getByRole('row', { name: 'Baseline same' }).waitFor();
    await page.getByPlaceholder('user key').fill('user-1');
    await look(page, 'compare');
    await press(page, 'Copy Everyone else to Production');
    await press(page, 'Copy Rule 1, only in Staging to Production');
    await page.getByText('2 unsaved changes in Production').waitFor();
    await page.getByText('3 differences').waitFor();
    await page.getByRole('link', { name: 'Review' }).click();
    await page.getByRole('dialog', { name: 'Save 2 changes to Production?' }).waitFor();
    await press(page, 'Save to Production');
    await page.getByText('Saved to Production.').waitFor();
    const production = await definitionIn(things, 'compared', 'Production');
    assert.deepEqual([production.rules.length, production.defaultRule[0].size], [1, 50]);
    // The other way round, what only the right side has can only be removed there.
    await page.goto('/p/Checkout/flags/compared/compare?a=Production&b=Staging');
    await page.getByText('3 differences').waitFor();
    await look(page, 'compare, with rules to remove');
    await page.getByRole('button', { name: 'Remove from Staging: Rule 2, only in Staging' }).click();
    await page.getByText('1 unsaved change in Staging').waitFor();
    await page.getByText('2 differences').waitFor();
    // What is saved is promoted as a changeset, whatever drafts say.
    await press(page, 'Swap sides');
    await press(page, 'Promote to Production…');
    const promote = page.getByRole('dialog', { name: 'Promote compared to Production' });
    await promote.getByText('Your unsaved changes in Staging are not part of it.').waitFor();
    await promote.getByLabel('Traffic allocation').uncheck();
    await look(page, 'promotion');
    await promote.getByRole('button', { name: 'Create changeset' }).click();
    await heading(page, 'Promote compared from Staging to Production').waitFor();
    await press(page, 'Apply to Production');
    await page.getByRole('dialog').getByRole('button', { name: 'Apply to Production' }).click();
    await page.getByText('Applied to Production.').waitFor();
    const promoted = await definitionIn(things, 'compared', 'Production');
    assert.deepEqual([promoted.rules.length, promoted.trafficAllocation], [3, production.trafficAllocation]);
  });

  visit('JSON is edited with the complaints of the server, and makes the same draft', async (things) => {
    const { page } = things;
    await aFlag(things, 'typed', { on: { Staging: 50 } });
    await openFlag(page, 'typed', 'Staging');
    await page.getByRole('link', { name: 'JSON' }).click();
    const area = page.getByRole('textbox', { name: 'Definition in Staging as JSON' });
    await look(page, 'JSON');
    const text = await area.innerText();
    await paste(page, area, text.replace('"size": 50', '"size": 45'));
    const complaint = page.getByRole('button', {
      name: /^Line \d+: defaultRule sizes must add up to 100, not 95$/,
    });
    await complaint.waitFor();
    await page.locator('.cm-lintRange-error').getByText('[', { exact: true }).waitFor();
    await look(page, 'wrong JSON');
    // Typed letters are no shortcuts, Tab indents, and Escape lets Tab leave.
    await complaint.click();
    await page.keyboard.press('c');
    await page.getByText(/Invalid JSON/).waitFor();
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Tab');
    await complaint.waitFor();
    const focusIn = (place: Locator) => place.and(page.locator(':focus')).count();
    assert.equal(await focusIn(area), 1);
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).pressSequentially('trafficAllocation');
    await page.locator('.cm-searchMatch').waitFor();
    await look(page, 'searching JSON');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    assert.equal(await focusIn(area), 0);
    assert.equal(await focusIn(complaint), 1);
    await page.getByTitle('Fold line', { exact: true }).first().click();
    const folded = page.getByTitle('unfold', { exact: true });
    await folded.waitFor();
    assert.doesNotMatch(await area.innerText(), /defaultRule/);
    await folded.click();
    await paste(page, area, '{');
    await page.getByText(/Invalid JSON/).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Review and save' }).count(), 0);
    await paste(page, area, text.replace('"size": 50', '"size": 45').replace('"size": 50', '"size": 55'));
    await page.getByText('Valid definition.').waitFor();
    await page.getByRole('tab', { name: 'Difference' }).click();
    await page.getByText('"size": 45').waitFor();
    const changed = page.getByRole('region', { name: 'Saved and draft' }).getByText(/^(added|removed)/);
    assert.deepEqual(await changed.allTextContents(), ['removed', 'added', 'removed', 'added']);
    await look(page, 'difference of JSON');
    await page.getByRole('link', { name: 'Review and save' }).click();
    await page.getByRole('dialog', { name: 'Save 1 change to Staging?' }).waitFor();
    await press(page, 'Save to Staging');
    await page.getByText('Saved to Staging.').waitFor();
    assert.equal((await definitionIn(things, 'typed', 'Staging')).defaultRule[0].size, 45);
  });

  visit.long('a definition is pasted where there is none', async (things) => {
    const { page } = things;
    await aFlag(things, 'pasted');
    await openFlag(page, 'pasted', 'Staging');
    await page.getByRole('button', { name: /Paste JSON/ }).click();
    await field(page, 'JSON').fill(JSON.stringify({ ...definitionWith(20), defaultTreatment: 'none' }));
    await press(page, 'Use as draft');
    await page.getByText('defaultTreatment none is not a treatment').waitFor();
    await field(page, 'JSON').fill(JSON.stringify({ id: 'x', ...definitionWith(20) }));
    await press(page, 'Use as draft');
    await review(page, 'Staging');
    assert.equal((await definitionIn(things, 'pasted', 'Staging')).defaultRule[0].size, 20);
  });

  visit('“Who sees what” shows a key with attributes before and after the edit', async (things) => {
    const { page } = things;
    await aFlag(things, 'tried');
    const rule = (matcher: object, treatment: string) => ({
      buckets: [{ treatment, size: 100 }],
      condition: { matchers: [matcher] },
    });
    await define(things, 'tried', [
      'Staging',
      {
        ...definitionWith(0),
        treatments: [{ name: 'on', keys: ['ana'], configurations: '{"colour":"blue"}' }, { name: 'off' }],
        rules: [
          rule({ type: 'GREATER_THAN_OR_EQUAL_NUMBER', attribute: 'age', number: 18 }, 'on'),
          rule({ type: 'ANY_OF_SET', attribute: 'roles', strings: ['qa'] }, 'on'),
        ],
      },
    ]);
    await openFlag(page, 'tried', 'Staging');
    const panel = page.getByRole('region', { name: 'Who sees what' });
    await panel.getByLabel('user key').fill('ana');
    await panel.getByText('Individually targeted to on').waitFor();
    await panel.getByText('{"colour":"blue"}').waitFor();
    await panel.getByLabel('user key').fill('omar');
    await panel.getByText('Not: age is at least 18 (no age)').waitFor();
    await panel.getByText(/^Everyone else, bucket \d+ of 100$/).waitFor();
    await panel.getByLabel('age').fill('17');
    await panel.getByText('Not: age is at least 18 (it is 17)').waitFor();
    await panel.getByLabel('roles').fill('dev, qa');
    await panel.getByText(/^roles has any of qa, bucket/).waitFor();
    await panel.getByLabel('roles').fill('');
    await step(page, 'Everyone else').getByRole('button', { name: '100', exact: true }).click();
    await panel.getByText('after saving', { exact: true }).waitFor();
    await panel.getByRole('status').getByText('off becomes on after saving').waitFor();
    await look(page, 'who sees what');
  });

  visit.long('“Who sees what” follows the flags that a flag depends on', async (things) => {
    const { page } = things;
    await aFlag(things, 'anchor', { on: { Staging: 100 } });
    await aFlag(things, 'ship');
    await define(things, 'ship', ['Staging', definitionWith(0)]);
    await openFlag(page, 'ship', 'Staging');
    await press(page, 'Add rule');
    await field(page, 'Comparison').selectOption({ label: 'serves' });
    await press(page, 'Flag: choose');
    await page.getByRole('combobox', { name: 'Flag' }).fill('anch');
    await page.getByRole('option', { name: 'anchor' }).click();
    await page.getByRole('combobox', { name: 'Treatments' }).fill('on');
    await step(page, 'Everyone else').waitFor();
    await page.locator('[data-step="rule 0"]').getByRole('button', { name: '100', exact: true }).click();
    const panel = page.getByRole('region', { name: 'Who sees what' });
    await panel.getByLabel('user key').fill('omar');
    await panel.getByText(/^flag anchor serves on, bucket/).waitFor();
    await review(page, 'Staging');
    const { rules } = await definitionIn(things, 'ship', 'Staging');
    assert.deepEqual(rules[0].condition.matchers, [
      { depends: { splitName: 'anchor', treatments: ['on'] }, type: 'IN_SPLIT' },
    ]);
  });

  visit('the history shows earlier versions as pictures, and can restore them', async (things) => {
    const { page, api, project } = things;
    const flag = await aFlag(things, 'historic', { on: { Staging: 50 } });
    await openFlag(page, 'historic', 'Staging');
    await step(page, 'Everyone else').getByRole('button', { name: '80', exact: true }).click();
    await press(page, 'Review and save');
    await field(page, 'Title').fill('Ramp');
    await field(page, 'Comment').fill('Looks good.');
    await press(page, 'Save to Staging');
    await page.getByText('Saved to Staging.').waitFor();
    await api('PATCH', `/splits/ws/${project.id}/${flag.name}`, [
      { op: 'replace', path: '/description', value: 'For everyone' },
    ]);
    await page.getByRole('link', { name: 'View all' }).click();
    const entries = page.getByRole('listitem').filter({ has: page.getByText(/ago|just now/) });
    await page.getByText('Looks good.').waitFor();
    await page.getByText('For everyone').last().waitFor();
    const ramp = entries.filter({ hasText: 'Ramp' });
    await ramp.getByText('on 50% → 80% of all keys').waitFor();
    await ramp.getByText('30% of the user keys that reached this step moved from off to on.').waitFor();
    await ramp.getByText('Current version').waitFor();
    await ramp.getByRole('button', { name: 'Show JSON patch' }).click();
    await ramp.getByText('"path": "/defaultRule"').waitFor();
    await look(page, 'activity of a flag');
    await field(page, 'Environment').selectOption('Production');
    await page.getByText('No changes yet.').waitFor();
    await field(page, 'Environment').selectOption('Staging');
    await entries
      .filter({ hasText: 'defined the flag' })
      .getByRole('button', { name: 'Go back to this version' })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Save 1 change to Staging?' });
    assert.match(await dialog.getByLabel('Title').inputValue(), /^Go back to the version of \d/);
    assert.match(await dialog.getByLabel('Comment').inputValue(), /^Saved by /);
    await dialog.getByRole('button', { name: 'Save to Staging' }).click();
    // What is said in passing may still be there from the first time.
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Saved to Staging.').last().waitFor();
    assert.equal((await definitionIn(things, 'historic', 'Staging')).defaultRule[0].size, 50);
  });

  visit.long('every type of matcher can be filled in', async (things) => {
    const { page } = things;
    await aFlag(things, 'asking', { on: { Staging: 50 } });
    await openFlag(page, 'asking', 'Staging');
    await press(page, 'Add rule');
    const editor = page.locator('[data-step="rule 0"]');
    const noon = Date.UTC(2025, 10, 12, 12, 0);
    const evening = Date.UTC(2025, 10, 12, 20, 0);
    type Fill = (matcher: ReturnType<typeof editor.getByRole>) => Promise<unknown>;
    const tokens: Fill = async (row) => {
      await row.getByLabel('Values').fill('one');
      await row.getByLabel('Values').press('Enter');
      await row.getByLabel('Values').fill('two');
      await row.getByLabel('Values').press(',');
    };
    const versions: Fill = async (row) => {
      await row.getByLabel('Values').fill('1.2.3');
      await row.getByLabel('Values').press('Enter');
    };
    const two = (from: string, to: string) =>
      (async (row) => {
        await row.getByRole('textbox', { name: 'From' }).fill(from);
        await row.getByRole('textbox', { name: 'To' }).fill(to);
      }) as Fill;
    const one = (label: string, value: string) => ((row) => row.getByLabel(label).fill(value)) as Fill;
    const strings = ['one', 'two'];
    const cases: [verb: string, fill: Fill, value: object][] = [
      ['IN_LIST_STRING', tokens, { strings }],
      ['STARTS_WITH_STRING', tokens, { strings }],
      ['ENDS_WITH_STRING', tokens, { strings }],
      ['CONTAINS_STRING', tokens, { strings }],
      ['MATCHES_STRING', one('Value', '^qa'), { string: '^qa' }],
      ['EQUAL_NUMBER', one('Number', '18'), { number: 18 }],
      ['GREATER_THAN_OR_EQUAL_NUMBER', one('Number', '-1'), { number: -1 }],
      ['LESS_THAN_OR_EQUAL_NUMBER', one('Number', '0'), { number: 0 }],
      ['BETWEEN_NUMBER', two('1', '9'), { between: { from: 1, to: 9 } }],
      ['ON_DATE', one('Date, UTC', '2025-11-12'), { date: Date.UTC(2025, 10, 12) }],
      ['ON_OR_AFTER_DATE', one('Date, UTC', '2025-11-12T12:00'), { date: noon }],
      ['ON_OR_BEFORE_DATE', one('Date, UTC', '2025-11-12T12:00'), { date: noon }],
      ['BETWEEN_DATE', two('2025-11-12T12:00', '2025-11-12T20:00'), { between: { from: noon, to: evening } }],
      ['EQUAL_SET', tokens, { strings }],
      ['ANY_OF_SET', tokens, { strings }],
      ['ALL_OF_SET', tokens, { strings }],
      ['PART_OF_SET', tokens, { strings }],
      ['EQUAL_TO_SEMVER', one('Value', '1.2.3'), { string: '1.2.3' }],
      ['GREATER_THAN_OR_EQUAL_TO_SEMVER', one('Value', '1.2.3'), { string: '1.2.3' }],
      ['LESS_THAN_OR_EQUAL_TO_SEMVER', one('Value', '1.2.3'), { string: '1.2.3' }],
      ['BETWEEN_SEMVER', two('1.0.0', '2.0.0'), { between: { from: '1.0.0', to: '2.0.0' } }],
      ['IN_LIST_SEMVER', versions, { strings: ['1.2.3'] }],
      ['BOOLEAN false', async () => undefined, { bool: false }],
    ];
    for (const [index, [verb, fill]] of cases.entries()) {
      if (index > 0) await editor.getByRole('button', { name: 'and', exact: true }).click();
      const row = editor.getByRole('group', { name: 'Condition' }).nth(index);
      await row.getByLabel('Comparison').selectOption(verb);
      await row.getByLabel('Attribute').fill('thing');
      await fill(row);
    }
    await editor.getByRole('button', { name: 'and', exact: true }).click();
    const last = editor.getByRole('group', { name: 'Condition' }).last();
    await last.getByLabel('Comparison').selectOption({ label: 'is not in segment' });
    await last.getByRole('button', { name: 'Segment: choose' }).click();
    await page.getByRole('combobox', { name: 'Segment' }).fill('staff');
    await page.getByRole('option', { name: 'Create segment staff' }).click();
    await page.getByText('Created staff. It is active in Staging, without keys.').waitFor();
    await look(page, 'a rule with every matcher');
    await review(page, 'Staging');
    const { rules } = await definitionIn(things, 'asking', 'Staging');
    assert.deepEqual(rules[0].condition.matchers, [
      ...cases.map(([verb, , value]) => ({ attribute: 'thing', type: verb.split(' ')[0], ...value })),
      { negate: true, type: 'IN_SEGMENT', string: 'staff' },
    ]);
  });

  visit.long('flags and environments are reached whatever they are called', async (things) => {
    const { page, api, project, environments } = things;
    const names = { Staging: 'Details', Production: '~compare' };
    for (const [from, to] of Object.entries(names)) {
      const path = `/environments/ws/${project.id}/${environments[from]?.id}`;
      await api('PATCH', path, [{ op: 'replace', path: '/name', value: to }]);
    }
    await aFlag(things, 'new', { on: { Staging: 50, Production: 10 } });
    await page.goto('/p/Checkout/flags');
    await page.getByRole('link', { name: 'new', exact: true }).click();
    for (const [environment, share] of [
      ['Details', '50'],
      ['~compare', '10'],
    ] as const) {
      await page
        .getByRole('navigation', { name: 'Environments' })
        .getByRole('link')
        .filter({ hasText: environment })
        .click();
      await step(page, 'Everyone else').getByText(share).first().waitFor();
      assert.equal(new URL(page.url()).pathname, `/p/Checkout/flags/~new/~${environment}`);
      await page.reload();
      await step(page, 'Everyone else').getByText(share).first().waitFor();
    }
    await page.getByRole('link', { name: 'JSON' }).click();
    await page.getByText('"size": 10').first().waitFor();
  });
});

/** Replaces all text as a person does. `fill` would make Chromium write style attributes, which the policy refuses. */
async function paste(page: Page, area: Locator, text: string): Promise<void> {
  await area.press('Control+a');
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const pasting = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.shadowRoot.activeElement.dispatchEvent(pasting);
  }`);
}
