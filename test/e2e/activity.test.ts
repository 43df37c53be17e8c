import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite } from 'node:test';
import type { Page } from 'playwright-core';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { ana, heading, press } from './people.ts';
import { aMember, choose, look, signedInVisitsIn, type Things } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

const entries = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.locator('time') });
const entry = (page: Page, text: string) => entries(page).filter({ hasText: text });

/** Liu, who is signed in, ramps a flag up and gives reasons. */
async function rampUp(things: Things, page: Page): Promise<void> {
  const { server, project, environments } = things;
  await aFlag(things, 'checkout_one_page', { on: { Staging: 10 }, killedIn: 'Staging' });
  const path = `/internal/api/v2/splits/ws/${project.id}/checkout_one_page/environments/${environments.Staging?.id}`;
  const note = new URLSearchParams({ title: 'Ramp, week one', comment: 'Error rate is flat.' });
  const defaultRule = [
    { treatment: 'on', size: 50 },
    { treatment: 'off', size: 50 },
  ];
  const reply = await page.request.patch(`${server.url}${path}?${note}`, {
    headers: { origin: server.url },
    data: [{ op: 'replace', path: '/defaultRule', value: defaultRule }],
  });
  assert.equal(reply.status(), 200, await reply.text());
}

suite('activity', { concurrency: 2 }, () => {
  visit('says who did what, where and why, and what changed by it', async (things) => {
    const { page } = things;
    const liu = await aMember(things);
    await rampUp(things, liu.page);
    await page.goto('/p/Checkout/activity');
    await page.getByRole('heading', { level: 2, name: 'Today' }).waitFor();
    const ramp = entry(page, 'Ramp, week one');
    await ramp.getByText('Liu Wei changed checkout_one_page in Staging').waitFor();
    await ramp.getByText('Error rate is flat.').waitFor();
    await ramp.getByText('Everyone else: on 10% → 50%').waitFor();
    await entry(page, 'API key First admin key killed checkout_one_page in Staging').waitFor();
    await entry(page, 'changed the environment Production').getByText('Name: Prod-Default → Production').waitFor();

    await ramp.getByRole('button', { name: 'Change details' }).click();
    await ramp.getByText('40% of the user keys that reached this step moved from off to on.').waitFor();
    await ramp.getByRole('tab', { name: 'JSON' }).click();
    await ramp.getByText('"size": 10').waitFor();
    await look(page, 'activity');
    await ramp.getByRole('button', { name: 'Change details' }).click();
    await ramp.getByText('"size": 10').waitFor({ state: 'detached' });

    await ramp.getByRole('link', { name: 'checkout_one_page' }).click();
    await page.waitForURL('**/p/Checkout/flags/checkout_one_page/Staging');
    await liu.leave();
  });

  visit.long('filters by person or key, kind, environment and dates, all in the address', async (things) => {
    const { page } = things;
    const liu = await aMember(things);
    await rampUp(things, liu.page);
    await page.goto('/p/Checkout/activity');
    await entry(page, 'Ramp, week one').waitFor();
    const before = await entries(page).count();

    await choose(page, 'Who', 'Who', 'Liu Wei');
    await entry(page, 'First admin key').first().waitFor({ state: 'detached' });
    assert.equal(await entries(page).count(), 1);
    await press(page, 'Clear who');
    await choose(page, 'Who', 'Who', 'First admin key');
    await entry(page, 'Ramp, week one').waitFor({ state: 'detached' });
    assert.equal(await entries(page).count(), before - 1);
    await press(page, 'Clear filters');

    await choose(page, 'Kind', 'Kind', 'Views');
    await page.getByText('No changes match').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await choose(page, 'Kind', 'Kind', 'Environments');
    await entry(page, 'Ramp, week one').waitFor({ state: 'detached' });
    assert.equal(await entries(page).count(), 3);
    await choose(page, 'Environment', 'Environment', 'Staging');
    await entry(page, 'environment Production').waitFor({ state: 'detached' });
    assert.equal(await entries(page).count(), 1);
    const { searchParams } = new URL(page.url());
    assert.deepEqual(
      [...searchParams],
      [
        ['kind', 'environment'],
        ['env', 'Staging'],
      ],
    );
    await page.reload();
    await entry(page, 'Name: Staging-Default → Staging').waitFor();
    assert.equal(await entries(page).count(), 1);

    await page.getByRole('button', { name: 'Dates', exact: true }).click();
    await look(page, 'dates');
    await press(page, 'Today');
    await entry(page, 'Name: Staging-Default → Staging').waitFor();
    await page.goto('/p/Checkout/activity?to=2020-01-01');
    await page.getByText('No changes match').waitFor();
    await page.getByText('until 1 Jan 2020').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await entry(page, 'Ramp, week one').waitFor();
    await liu.leave();
  });

  visit.long('finds text, a flag and a day of the calendar, and downloads what it found', async (things) => {
    const { page } = things;
    const liu = await aMember(things);
    await rampUp(things, liu.page);
    await page.goto('/p/Checkout/activity');
    await entry(page, 'killed checkout_one_page').waitFor();
    await page.getByRole('searchbox', { name: 'Search changes' }).fill('RATE IS flat');
    await entry(page, 'killed checkout_one_page').waitFor({ state: 'detached' });
    assert.equal(await entries(page).count(), 1);
    await entry(page, 'Ramp, week one').waitFor();
    await press(page, 'Clear filters');
    await choose(page, 'Flag', 'Flag', 'checkout_one_page');
    await entry(page, 'environment Production').first().waitFor({ state: 'detached' });
    await entry(page, 'created checkout_one_page').waitFor();
    assert.equal(await entries(page).count(), 4);

    const today = page.getByRole('button', { name: /: 4 changes, 1 kill$/ });
    await today.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    assert.equal(await today.and(page.locator(':focus')).count(), 1);
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=(\d{4}-\d\d-\d\d)&to=\1/);
    await look(page, 'activity calendar');

    await press(page, 'Download');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV, for spreadsheets' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'activity.csv');
    const rows = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    assert.equal(rows.length, 5, 'the head and four changes');
    await entry(page, 'created checkout_one_page').getByRole('button', { name: 'Change details' }).click();
    await page.getByRole('row', { name: 'Name checkout_one_page' }).waitFor();
    await liu.leave();
  });

  visit.long('the account’s activity has everything: people, keys, and each project', async (things) => {
    const { page, api } = things;
    const liu = await aMember(things);
    await api('POST', '/workspaces', { name: 'Search' });
    await page.goto('/admin/activity');
    await entry(page, 'Ana Ruiz became the first administrator').waitFor();
    await entry(page, 'The server set up this server').waitFor();
    await entry(page, 'Liu Wei accepted the invitation').waitFor();
    await entry(page, 'created the environment Development · Checkout').waitFor();
    await look(page, 'all activity');
    await choose(page, 'Project', 'Project', 'Search');
    await entry(page, 'Ana Ruiz became').waitFor({ state: 'detached' });
    assert.equal(await entries(page).count(), 1);
    await entry(page, 'created the project Search').getByRole('link', { name: 'Search' }).click();
    await heading(page, 'Project settings').waitFor();
    await page.goBack();
    await heading(page, 'Audit log').waitFor();
    assert.equal(new URL(page.url()).search, '?project=Search');
    await liu.leave();
  });

  visit.long('continues page by page, and says what failed in place of the list', async (things) => {
    const { page, api, project } = things;
    for (let number = 10; number < 65; number += 1) {
      await api('POST', `/splits/ws/${project.id}/trafficTypes/user`, { name: `flag_${number}` });
    }
    let isBroken = true;
    const broken = { code: 500, message: 'Internal error', details: '', transactionId: 'abc12345678' };
    await page.route('**/auditLogs?*', (route) =>
      isBroken ? route.fulfill({ status: 500, json: broken }) : route.continue(),
    );
    await page.goto('/p/Checkout/activity');
    await page.getByText('Server error.').waitFor();
    await page.getByText('abc12345678').waitFor();
    isBroken = false;
    await press(page, 'Try again');
    await page.getByText('50 changes shown').waitFor();
    assert.equal(await entries(page).count(), 50);
    await press(page, 'Show more');
    await entry(page, 'changed the project Checkout').waitFor();
    assert.ok((await entries(page).count()) > 55);
    await page.unrouteAll();
    // The browser itself tells of answers of 5xx.
    const told = (things.complaints as string[]).splice(0);
    assert.ok(
      told.every((complaint) => complaint.includes('500')),
      told.join('\n'),
    );
  });

  visit.long('a member sees what was done in the projects, but nothing of keys and people', async (things) => {
    const liu = await aMember(things);
    await rampUp(things, liu.page);
    const { page } = liu;
    await page.goto('/p/Checkout/activity');
    await entry(page, 'Ramp, week one').waitFor();
    await page.goto('/admin/activity');
    await entry(page, 'Ramp, week one').waitFor();
    assert.equal(await entry(page, ana.name).count(), 0);
    assert.equal(await entry(page, 'invited').count(), 0);
    assert.deepEqual(liu.complaints, []);
    await liu.leave();
  });
});
