/** Changesets in the browser, by two people: proposed, approved, applied, taken back. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { heading, press } from './people.ts';
import { aMember, definitionIn, look, openFlag, signedInVisitsIn, step, type Things } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

/** Production requires approvals. */
const guard = ({ api, project, environments }: Things, more = {}) =>
  api('PATCH', `/environments/ws/${project.id}/${environments.Production?.id}`, [
    { op: 'replace', path: '/changePermissions', value: { areApprovalsRequired: true, ...more } },
  ]);
const shareIn = async (things: Things, flag: string) =>
  (await definitionIn(things, flag, 'Production')).defaultRule[0].size;

suite('changesets', { concurrency: 2 }, () => {
  visit('where approvals are required, one person proposes, another approves, and it is applied', async (things) => {
    const { page } = things;
    await aFlag(things, 'one_page', { on: { Production: 10 } });
    await guard(things);
    const liu = await aMember(things);
    await openFlag(page, 'one_page', 'Production');
    await step(page, 'Everyone else').getByRole('button', { name: '50', exact: true }).click();
    await press(page, 'Review and propose');
    const dialog = page.getByRole('dialog', { name: 'Propose 1 change to Production?' });
    assert.equal(await dialog.getByRole('button', { name: 'Save to Production' }).count(), 0);
    await dialog.getByLabel('Title').fill('Half of everyone');
    await look(page, 'propose');
    await dialog.getByRole('button', { name: 'Propose to Production' }).click();
    await heading(page, 'Half of everyone').waitFor();
    await page.getByText('Someone else must approve it.', { exact: true }).waitFor();
    const moves = page.getByRole('region', { name: 'Who moves', exact: true });
    const counted = moves.getByText(/[\d,]+ \((39|40|41)(\.\d+)?%\) move from off to on\./).first();
    // A machine without time makes a plan without them.
    await counted.waitFor({ timeout: 20_000 }).catch(() => page.reload());
    await counted.waitFor();
    await moves.getByRole('button', { name: 'Show examples' }).click();
    await look(page, 'changeset');
    assert.equal(await shareIn(things, 'one_page'), 10, 'nothing has changed yet');

    await liu.page.goto(page.url());
    await press(liu.page, 'Ask for changes');
    const asking = liu.page.getByRole('dialog', { name: 'Ask for changes?' });
    await asking.getByRole('button', { name: 'Ask for changes' }).click();
    await asking.getByText('Say what should change.').waitFor();
    await asking.getByLabel('What should change?').fill('Why half?');
    await look(liu.page, 'ask for changes');
    await asking.getByRole('button', { name: 'Ask for changes' }).click();
    await liu.page.getByText('asked for changes', { exact: true }).waitFor();
    await press(liu.page, 'Approve');
    await liu.page.getByRole('dialog').getByLabel('Comment').fill('Looks right');
    await liu.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await liu.page.getByText('Approved.', { exact: true }).waitFor();

    // Told by the stream.
    await page.getByText('Looks right').waitFor();
    await press(page, 'Apply to Production');
    await page.getByRole('dialog').getByRole('button', { name: 'Apply to Production' }).click();
    await page.getByText('Applied to Production.').waitFor();
    assert.equal(await shareIn(things, 'one_page'), 50);
    await page.getByText('40% of the user keys that reached this step moved from off to on.').waitFor();

    await press(page, 'Revert');
    await press(page, 'Make the draft');
    await heading(page, 'Revert: Half of everyone').waitFor();
    await page.getByText('40% of the user keys that reach this step move from on to off.').waitFor();
    assert.equal(await shareIn(things, 'one_page'), 50, 'a revert is a draft first');
    await press(page, 'Ask for approval');
    await page.getByRole('dialog').getByRole('button', { name: 'Ask for approval' }).click();
    await page.getByText('Someone else must approve it.', { exact: true }).waitFor();
    // What was applied says who wants it back.
    await page.goBack();
    await heading(page, 'Half of everyone').waitFor();
    const history = page.getByRole('region', { name: 'Discussion and history' });
    await history.getByText('applied it').waitFor();
    await history.getByText('drafted a revert').waitFor();
    await history.getByText('(waiting for approval)').waitFor();
    assert.deepEqual(liu.complaints, []);
    await liu.leave();
  });

  visit('a kill is proposed unless the environment lets kills through; a draft joins the changeset', async (things) => {
    const { page, complaints } = things;
    await aFlag(things, 'one_page', { on: { Staging: 10, Production: 10 } });
    await guard(things);
    await openFlag(page, 'one_page', 'Production');
    await press(page, 'Kill in Production');
    await press(page, 'Propose to kill in Production');
    await heading(page, 'Kill one_page').waitFor();
    assert.equal((await definitionIn(things, 'one_page', 'Production')).killed, false);
    await openFlag(page, 'one_page', 'Production');
    await page.getByRole('region', { name: 'Proposed' }).getByRole('link', { name: 'Kill one_page' }).waitFor();
    // A draft joins it instead of being saved.
    await openFlag(page, 'one_page', 'Staging');
    await step(page, 'Everyone else').getByRole('button', { name: '50', exact: true }).click();
    await press(page, 'Review and save');
    const requested = '**/changesets?*status=REQUESTED&limit=*';
    await page.route(requested, (route) => route.fulfill({ status: 500, json: {} }));
    await press(page, 'Add to changeset…');
    const adding = page.getByRole('dialog', { name: 'Add to a changeset' });
    await adding.getByText('The open changesets could not be loaded. Server error.').waitFor();
    await page.unroute(requested);
    // The browser itself writes the 500 to the console; it was asked for.
    (complaints as string[]).length = 0;
    await adding.getByRole('button', { name: 'Try again' }).click();
    await adding.getByLabel('Changeset').selectOption({ label: 'Kill one_page (waiting for approval)' });
    await adding.getByText('This voids its approvals.').waitFor();
    await look(page, 'add to a changeset');
    await adding.getByRole('button', { name: 'Add to changeset' }).click();
    await page.getByText('Added to Kill one_page.').waitFor();
    assert.equal(await page.getByText('1 unsaved change in Staging').count(), 0);
    await press(page, 'Open it');
    await page.getByText('Applied together or not at all').waitFor();
    await page.getByText('40% of the user keys that reach this step move from off to on.').waitFor();
    // What has a share is ramped, the rest changes with the first step.
    await press(page, 'Schedule…');
    const scheduling = page.getByRole('dialog', { name: 'Schedule it for Production and Staging' });
    await scheduling.getByLabel('Step by step, as a ramp').check();
    await scheduling.getByLabel('As soon as it is approved').check();
    await scheduling.getByText('one_page in Production: no share grows there').waitFor();
    await scheduling.getByRole('button', { name: '25% → 50%' }).first().click();
    await look(page, 'ramp of a changeset');
    await scheduling.getByRole('button', { name: 'Schedule', exact: true }).click();
    const schedule = page.getByRole('region', { name: 'Schedule' });
    await schedule.getByText('Starts when it is approved').waitFor();
    await schedule.getByText('one_page in Staging: Everyone else: on 50%, off 50%').waitFor();
    await guard(things, { allowKills: true });
    await openFlag(page, 'one_page', 'Production');
    await press(page, 'Kill in Production');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Kill in Production' }).click();
    await page.getByText(/^Killed just now by/).waitFor();
    await page.locator('#main').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Propose to restore in Production' }).waitFor();
  });

  visit(
    'a ramp is scheduled from the page of a flag, and is paused, resumed and aborted on its own page',
    async (things) => {
      const { page } = things;
      await aFlag(things, 'one_page', { on: { Production: 10 } });
      await openFlag(page, 'one_page', 'Production');
      await step(page, 'Everyone else').getByRole('button', { name: '100', exact: true }).click();
      await press(page, 'Review and save');
      await press(page, 'Schedule…');
      const dialog = page.getByRole('dialog', { name: 'Schedule 1 change to Production' });
      await dialog.getByLabel('Title').fill('Slowly to everyone');
      await dialog.getByLabel('Day', { exact: true }).fill('2020-01-01');
      await dialog.getByRole('button', { name: 'Schedule for Production' }).click();
      await dialog.getByText('This time has passed.').waitFor();
      await dialog.getByLabel('Step by step, as a ramp').check();
      await dialog.getByLabel('At once', { exact: true }).check();
      await press(page, '25% → 50% → 100%');
      await dialog.getByLabel('Step 3: waits').selectOption('hold');
      await look(page, 'schedule');
      await dialog.getByRole('button', { name: 'Schedule for Production' }).click();
      await heading(page, 'Slowly to everyone').waitFor();

      // Told by the stream: the first step needs no wait.
      await page.getByText('Ramping', { exact: true }).waitFor();
      assert.equal(await shareIn(things, 'one_page'), 25);
      const schedule = page.getByRole('region', { name: 'Schedule' });
      await schedule.getByText('Everyone else: on 50%, off 50%').waitFor();
      await schedule.getByText('when someone resumes it').waitFor();
      await look(page, 'ramp');
      await press(page, 'Pause');
      await page.getByRole('dialog').getByLabel('Reason').fill('Looking at errors');
      await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
      await schedule.getByText('Paused before step 2 of 3').waitFor();
      await schedule.getByText('Next, when someone resumes it').waitFor();
      await press(page, 'Resume');
      await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
      // What was applied stays; the rest is planned again.
      await schedule.getByRole('button', { name: 'Edit plan' }).click();
      const editing = page.getByRole('dialog', { name: 'Edit the plan' });
      await editing.getByLabel('Step 2: percent on').fill('25');
      await editing.getByRole('button', { name: 'Save plan' }).click();
      await editing.getByText('This is how it is now.').waitFor();
      await editing.getByLabel('Step 2: percent on').fill('40');
      await editing.getByLabel('Step 2: how long it waits').fill('2');
      await look(page, 'edit a plan');
      await editing.getByRole('button', { name: 'Save plan' }).click();
      await schedule.getByText('Everyone else: on 40%, off 60%').waitFor();
      await press(page, 'Abort');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Abort the schedule' }).click();
      await schedule.getByText('Ended after 1 of 3 steps').waitFor();
      await page.getByText('Ended after 1 of 3 steps by Ana Ruiz. What was applied stays.').waitFor();
      await page.getByRole('button', { name: 'Revert' }).waitFor();
      assert.equal(await shareIn(things, 'one_page'), 25, 'what was applied stays');
      const history = page.getByRole('region', { name: 'Discussion and history' }).getByRole('listitem');
      const events = (await history.allInnerTexts()).map((text) => text.replaceAll(/\s*\n\s*/g, ' | '));
      assert.match(
        events.join('\n'),
        /submitted it[^\n]+\n[^\n]*Step 1 of 3 was applied[^\n]+\n[^\n]+paused the schedule \| Looking at errors[^\n]+\n[^\n]+resumed the schedule[^\n]+\n[^\n]+edited it[^\n]+\n[^\n]+aborted the schedule/,
      );
    },
  );
});
