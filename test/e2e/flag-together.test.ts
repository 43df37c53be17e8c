/** Two people, expired sessions and unreachable servers: no edit is lost. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { accountPrefix } from '#contract/parts.ts';
import { aFlag } from '../../src/demo/team.ts';
import { freePort } from '../support/free-port.ts';
import { anInstallation } from '../support/process.ts';
import { aVisitor, startBrowser } from './browser.ts';
import { ana, field, press, signOut } from './people.ts';
import {
  aMember,
  aPlace,
  apiOf,
  blockStream,
  definitionIn,
  look,
  openFlag,
  review,
  saveBar,
  signedInVisitsIn,
  signUp,
  step,
  whole,
} from './support.ts';

const browser = await startBrowser();
const visit = signedInVisitsIn(browser);

const preset = (page: Page, share: number) =>
  step(page, 'Everyone else')
    .getByRole('button', { name: String(share), exact: true })
    .click();

suite('working together', { concurrency: 2 }, () => {
  visit.long('without a draft, the page shows what someone else saved, and says so', async (things) => {
    const { page } = things;
    await aFlag(things, 'shared', { on: { Staging: 50 } });
    await openFlag(page, 'shared', 'Staging');
    const liu = await aMember(things);
    await openFlag(liu.page, 'shared', 'Staging');
    await preset(liu.page, 80);
    await review(liu.page, 'Staging');
    // Well before the next poll.
    await page.getByText('Liu Wei changed Everyone else.').waitFor({ timeout: soonMs });
    assert.equal(await field(page, 'Percent on').inputValue(), '80');
    // The timeline shows 50% until now, not 80% from the start.
    await page.getByRole('img', { name: /^Shares since .* on 50%, off 50%; .* on 80%, off 20%$/ }).waitFor();
    assert.deepEqual(liu.complaints, []);
    await liu.leave();
  });

  visit('a draft is carried over when someone else changes another step', async (things) => {
    const { page, api, project, environments } = things;
    await aFlag(things, 'carried');
    await api('POST', `/splits/ws/${project.id}/carried/environments/${environments.Staging?.id}`, whole);
    await openFlag(page, 'carried', 'Staging');
    const liu = await aMember(things);
    await openFlag(liu.page, 'carried', 'Staging');
    await field(liu.page, 'Traffic allocation in percent').fill('90');
    await preset(page, 80);
    await page.getByText('Liu Wei is editing Staging.').waitFor({ timeout: soonMs });
    await liu.page.getByText('Ana Ruiz is editing Staging.').waitFor({ timeout: soonMs });
    await look(page, 'someone else is editing');
    await review(liu.page, 'Staging');
    await page.getByText('Liu Wei is editing Staging.').waitFor({ state: 'detached', timeout: soonMs });
    await page.getByText('Liu Wei changed Traffic allocation. Your draft is kept.').waitFor();
    assert.equal(await field(page, 'Traffic allocation in percent').inputValue(), '90');
    await saveBar(page).getByText('1 unsaved change in Staging').waitFor();
    await review(page, 'Staging');
    const { trafficAllocation, defaultRule } = await definitionIn(things, 'carried', 'Staging');
    assert.deepEqual([trafficAllocation, defaultRule[0].size], [90, 80]);
    await liu.leave();
  });

  for (const choice of ['Keep yours', 'Take theirs'] as const) {
    visit(`saving over a newer version shows both changes: ${choice}`, async (things) => {
      const { page } = things;
      await aFlag(things, 'contested', { on: { Production: 50 } });
      // Otherwise the page would learn of the other change before it saves.
      await blockStream(page);
      await openFlag(page, 'contested', 'Production');
      const liu = await aMember(things);
      await openFlag(liu.page, 'contested', 'Production');
      await preset(page, 80);
      await field(page, 'Traffic allocation in percent').fill('70');
      await press(page, 'Review and save');
      await page.getByRole('dialog', { name: 'Save 2 changes to Production?' }).waitFor();
      await field(page, 'Comment').fill('For the launch');
      await preset(liu.page, 10);
      await review(liu.page, 'Production');

      await press(page, 'Save to Production');
      const conflicts = page.getByRole('region', { name: 'Conflicts' });
      await conflicts.waitFor();
      await page
        .getByText('Liu Wei changed Everyone else, which you edited too. Choose which version to keep.')
        .waitFor();
      await conflicts.getByText(/^Saved by Liu Wei, just now/).waitFor();
      assert.deepEqual(await conflicts.getByRole('term').allTextContents(), ['Before', 'Theirs', 'Yours']);
      assert.deepEqual(
        (await conflicts.getByRole('definition').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim()),
        ['on 50% off 50%', 'on 10% off 90%', 'on 80% off 20%'],
      );
      await look(page, 'a conflict');
      await press(page, 'Review and save');
      await saveBar(page).getByText('Resolve the conflict first.').waitFor();
      assert.equal((await definitionIn(things, 'contested', 'Production')).defaultRule[0].size, 10);

      await press(page, `${choice}: Everyone else`);
      await conflicts.waitFor({ state: 'detached' });
      await press(page, 'Review and save');
      assert.equal(await field(page, 'Comment').inputValue(), 'For the launch');
      await press(page, 'Keep editing');
      await review(page, 'Production');
      const { trafficAllocation, defaultRule } = await definitionIn(things, 'contested', 'Production');
      assert.deepEqual([trafficAllocation, defaultRule[0].size], [70, choice === 'Keep yours' ? 80 : 10]);
      await liu.leave();
    });
  }

  visit.long('a session that ends during an edit loses nothing', async (things) => {
    const { page } = things;
    await aFlag(things, 'patient', { on: { Staging: 50 } });
    await openFlag(page, 'patient', 'Staging');
    await preset(page, 80);
    await press(page, 'Review and save');
    await field(page, 'Title').fill('Ramp');
    await page.context().clearCookies();
    await press(page, 'Save to Staging');
    const dialog = page.getByRole('alertdialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(ana.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Saved to Staging.').waitFor();
    assert.equal((await definitionIn(things, 'patient', 'Staging')).defaultRule[0].size, 80);
  });

  visit.long('a draft is kept for a user who signs out and in again, and is hidden from others', async (things) => {
    const { page, server } = things;
    await aFlag(things, 'waiting', { on: { Staging: 50 } });
    await openFlag(page, 'waiting', 'Staging');
    page.on('dialog', (dialog) => void dialog.accept());
    await preset(page, 80);
    const signIn = async (email: string) => {
      await page.request.delete(`${server.url}${accountPrefix}/session`, { headers: { origin: server.url } });
      const reply = await page.request.post(`${server.url}${accountPrefix}/session`, {
        headers: { origin: server.url },
        data: { email, password: ana.password },
      });
      assert.equal(reply.status(), 200, await reply.text());
      await openFlag(page, 'waiting', 'Staging');
    };
    const liu = await aMember(things);
    await liu.leave();
    await signIn('liu@example.org');
    assert.equal(await saveBar(page).count(), 0);
    await signIn(ana.email);
    await saveBar(page).getByText('1 unsaved change in Staging').waitFor();
  });

  visit('your own change is not announced as someone else’s, however slow the audit log is', async (things) => {
    const { page } = things;
    await aFlag(things, 'mine', { on: { Staging: 50 } });
    const saved = Promise.withResolvers<void>();
    // The response is from before the change and arrives after it.
    await page.route(
      '**/auditLogs?*objectType=definition*',
      async (route) => {
        const response = await route.fetch();
        await saved.promise;
        await route.fulfill({ response }).catch(() => {});
      },
      { times: 1 },
    );
    await openFlag(page, 'mine', 'Staging');
    await preset(page, 80);
    await review(page, 'Staging');
    saved.resolve();
    await page.getByRole('region', { name: 'Activity' }).getByText('Ana Ruiz').first().waitFor();
    assert.deepEqual(await page.getByText(/changed Everyone else/).allTextContents(), []);
    await page.getByText('Saved to Staging.').first().waitFor();
  });

  visit(
    'a draft is shared by all tabs of a browser, survives them, and is mentioned after signing out',
    async (things) => {
      const { page } = things;
      await aFlag(things, 'tabbed', { on: { Staging: 50 } });
      await openFlag(page, 'tabbed', 'Staging');
      await preset(page, 80);
      const other = await page.context().newPage();
      await openFlag(other, 'tabbed', 'Staging');
      await saveBar(other).getByText('1 unsaved change in Staging').waitFor();
      await preset(other, 25);
      await page.getByLabel('Percent on', { exact: true }).and(page.locator('[value="25"]')).waitFor();
      await press(page, 'Discard');
      await saveBar(other).waitFor({ state: 'detached' });
      await preset(other, 100);
      await saveBar(page).waitFor();
      await page.close();
      await other.reload();
      await saveBar(other).getByText('1 unsaved change in Staging').waitFor();
      // The page arrives after the answer that would send everyone else there, without the hint.
      const answered = other.waitForResponse((response) => response.url().endsWith(`${accountPrefix}/setup`));
      await other.route('**/assets/accounts-*.js', async (route) => {
        await answered;
        await route.continue();
      });
      await signOut(other);
      await other.getByText('Your unsaved changes are still in this browser: sign in to continue.').waitFor();
      await other.close();
    },
  );

  visit.long('if the stream is blocked, the page polls every 30 seconds', async (things) => {
    const { page, api, project, environments } = things;
    await blockStream(page);
    await aFlag(things, 'polled', { on: { Staging: 50 } });
    await page.clock.install();
    await openFlag(page, 'polled', 'Staging');
    const path = `/splits/ws/${project.id}/polled/environments/${environments.Staging?.id}`;
    await api('PATCH', path, [{ op: 'replace', path: '/trafficAllocation', value: 70 }]);
    await page.clock.fastForward(31_000);
    await page.getByText('changed Traffic allocation.').waitFor();
  });

  visit.long('eight tabs of a browser share one stream, and all of them show a change', async (things) => {
    const { page, api, project, environments } = things;
    await aFlag(things, 'everywhere', { on: { Staging: 50 } });
    const streams: string[] = [];
    page.context().on('request', (request) => {
      if (request.url().endsWith('/account/live')) streams.push(request.url());
    });
    const tabs = await Promise.all(Array.from({ length: 8 }, () => page.context().newPage()));
    for (const tab of tabs) await openFlag(tab, 'everywhere', 'Staging');
    const path = `/splits/ws/${project.id}/everywhere/environments/${environments.Staging?.id}`;
    await api('PATCH', path, [{ op: 'replace', path: '/trafficAllocation', value: 70 }]);
    for (const tab of tabs) await tab.getByText('changed Traffic allocation.').waitFor({ timeout: soonMs });
    assert.ok(streams.length <= 1, `${streams.length} streams`);
    for (const tab of tabs) await tab.close();
  });

  visit.long('if the flag is deleted during an edit, the page says so and offers the draft', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'doomed', { on: { Staging: 50 } });
    await openFlag(page, 'doomed', 'Staging');
    await preset(page, 80);
    await api('DELETE', `/splits/ws/${project.id}/doomed`);
    await page.getByText(/This flag was deleted/).waitFor({ timeout: soonMs });
    await page.getByRole('button', { name: 'Copy the draft for Staging' }).waitFor();
    await look(page, 'a deleted flag');
  });
});

test('a draft survives a server restart, and can be saved afterwards', async () => {
  const installation = anInstallation();
  const variables = { PORT: String(await freePort()) };
  const first = await installation.start(variables);
  const api = await apiOf(first);
  const place = { ...(await aPlace(api)), api };
  await aFlag(place, 'steady', { on: { Staging: 50 } });
  const { page, leave } = await aVisitor(browser, first.url);
  await signUp(page, first);
  await openFlag(page, 'steady', 'Staging');
  await preset(page, 80);
  await press(page, 'Review and save');
  await first.end('SIGTERM');
  await press(page, 'Save to Staging');
  await page.getByText('No connection to the server.').waitFor();
  await page.getByText('No connection. Your draft is kept.').waitFor();

  const second = await installation.start(variables);
  await page.getByText('No connection. Your draft is kept.').waitFor({ state: 'detached' });
  await press(page, 'Save to Staging');
  await page.getByText('Saved to Staging.').waitFor();
  const path = `/splits/ws/${place.project.id}/steady/environments/${place.environments.Staging?.id}`;
  const { body } = await second.call('GET', path, { as: await first.printedKey() });
  assert.equal(body.defaultRule[0].size, 80);
  await leave();
});

/** On an idle machine a change arrives within a second. Less than the polling interval of 30 seconds. */
const soonMs = 15_000;
