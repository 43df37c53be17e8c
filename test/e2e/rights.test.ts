/** What people see of a project whose lists do not let them do everything. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { accountPrefix } from '#contract/parts.ts';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser, type Visitor } from './browser.ts';
import { field, heading, press } from './people.ts';
import {
  aMember,
  blockStream,
  definitionIn,
  look,
  openFlag,
  row,
  saveBar,
  signedInVisitsIn,
  step,
  type Things,
} from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

const setAccess = ({ api, project }: Things, access: unknown) => api('PUT', `/workspaces/${project.id}/access`, access);

/** Liu, and how lists name him. His pages are told nothing, so that they meet refusals. */
async function liuIn(things: Things): Promise<Visitor & { readonly grantee: { id: string; type: 'user' } }> {
  const liu = await aMember(things);
  await blockStream(liu.page);
  const session = await (await liu.page.request.get(`${things.server.url}${accountPrefix}/session`)).json();
  return { ...liu, grantee: { id: session.user.id, type: 'user' } };
}

async function leave({ complaints, ...visitor }: Visitor): Promise<void> {
  assert.deepEqual(complaints, []);
  await visitor.leave();
}

const onlyPayments = async ({ api }: Things) => ({
  restricted: true,
  grantees: [{ id: (await api('POST', '/groups', { name: 'Payments' })).id, type: 'group' }],
});

const ask = 'Ask an administrator, for example Ana Ruiz.';
const cannotEdit = `Only Payments can edit Checkout. ${ask}`;

/** The control is there, takes the focus, says why it does nothing, and does nothing. */
async function refused(page: Page, control: Locator, why: string): Promise<void> {
  await control.waitFor();
  await control.and(page.locator('[aria-disabled="true"]')).waitFor();
  const described = (await control.getAttribute('aria-describedby')) ?? '';
  assert.equal(await page.locator(`[id="${described}"]`).textContent(), why);
  await control.focus();
  await page.locator(`[id="${described}"]`).waitFor();
  const address = page.url();
  await page.keyboard.press('Enter');
  assert.equal(page.url(), address);
  assert.equal(await page.getByRole('dialog').count(), 0);
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

suite('rights', { concurrency: 2 }, () => {
  visit('people with read access see everything, and each disabled control says why', async (things) => {
    await aFlag(things, 'checkout_one_page', { on: { Staging: 50, Production: 20 }, tags: ['q4'] });
    const { page, grantee: _, ...liu } = await liuIn(things);
    await setAccess(things, { edit: await onlyPayments(things) });

    await page.goto('/p/Checkout/flags');
    await row(page, 'checkout_one_page').getByText('q4').waitFor();
    await refused(page, button(page, 'New flag'), cannotEdit);
    await look(page, 'flags of a reader');
    await page.getByLabel('Select checkout_one_page').focus();
    await page.keyboard.press('Space');
    await page.getByRole('region', { name: 'Selected flags' }).getByRole('paragraph').getByText(cannotEdit).waitFor();
    await look(page, 'selection of a reader');
    for (const name of ['Set status', 'Add tag', 'Delete']) await refused(page, button(page, name), cannotEdit);
    await button(page, 'Clear selection').click();
    await heading(page, 'Flags').click();
    await page.keyboard.press('n');
    await page.getByRole('alert').getByText(cannotEdit).waitFor();
    await page.goto('/p/Checkout/flags/new');
    const dialog = page.getByRole('dialog', { name: 'New flag' });
    await dialog.getByText(cannotEdit).first().waitFor();
    assert.ok(await field(page, 'Name').isDisabled());
    const [reason, name] = await Promise.all([
      dialog.getByText(cannotEdit).first().boundingBox(),
      field(page, 'Name').boundingBox(),
    ]);
    assert.ok(reason && name && reason.y < name.y, 'the reason comes first');
    assert.equal(await button(page, 'Create flag').getAttribute('aria-disabled'), 'true');
    await look(page, 'new flag of a reader');

    await openFlag(page, 'checkout_one_page', 'Production');
    await page.getByRole('status').getByText(cannotEdit).waitFor();
    for (const name of ['Copy to', 'Edit individual targets', 'Edit everyone else', 'Add rule', 'on: edit, remove']) {
      await refused(page, button(page, name), cannotEdit);
    }
    await refused(page, button(page, 'Kill in Production'), `Only Payments can kill and restore in Production. ${ask}`);
    await refused(page, page.getByRole('button', { name: /Pre-Production/ }), cannotEdit);
    await button(page, 'More about checkout_one_page').click();
    await page.getByRole('menuitem', { name: 'Remove from Production' }).getByText(cannotEdit).waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('slider').count(), 0);
    await page.getByLabel('user key').fill('omar');
    await page.getByText(/^Everyone else, bucket/).waitFor();
    await look(page, 'flag of a reader');
    await openFlag(page, 'checkout_one_page', 'Development');
    await refused(page, page.getByRole('button', { name: /^Start at 50\/50/ }), cannotEdit);
    await look(page, 'undefined flag of a reader');

    await page.goto('/p/Checkout/flags/checkout_one_page/Production/json');
    await page.getByRole('status').filter({ hasText: cannotEdit }).waitFor();
    const json = page.getByLabel('Definition in Production as JSON');
    assert.equal(await json.getAttribute('aria-readonly'), 'true');
    assert.match(await json.innerText(), /"size": 20/);
    await page.goto('/p/Checkout/flags/checkout_one_page/details');
    await refused(page, button(page, 'Save'), cannotEdit);
    await refused(page, button(page, 'Delete flag'), cannotEdit);
    assert.equal(await field(page, 'Description').getAttribute('readonly'), '');
    await look(page, 'details of a reader');
    await page.goto('/p/Checkout/flags/checkout_one_page/compare?a=Staging&b=Production');
    await refused(page, button(page, 'Copy Everyone else to Production'), cannotEdit);

    // They can still propose a change to those who may make it.
    await openFlag(page, 'checkout_one_page', 'Production');
    await press(page, 'Propose a change');
    await page.getByText('What you change here is proposed to them.').waitFor();
    await step(page, 'Everyone else').getByRole('button', { name: '50', exact: true }).click();
    // Proposing goes on where the draft is, also as JSON and after a reload.
    await page.goto('/p/Checkout/flags/checkout_one_page/Production/json');
    await page.getByText('What you change here is proposed to them.').waitFor();
    assert.equal(await json.getAttribute('aria-readonly'), null);
    await page.getByRole('link', { name: 'Review and propose' }).click();
    const proposing = page.getByRole('dialog', { name: 'Propose 1 change to Production?' });
    assert.equal(await proposing.getByRole('button', { name: /^(Save|Schedule)/ }).count(), 0);
    await proposing.getByLabel('Title').fill('Half of everyone');
    await look(page, 'proposal of a reader');
    await proposing.getByRole('button', { name: 'Propose to Production' }).click();
    await heading(page, 'Half of everyone').waitFor();
    await page.getByText('You cannot apply it').waitFor();
    assert.equal((await definitionIn(things, 'checkout_one_page', 'Production')).defaultRule[0].size, 20);
    await openFlag(things.page, 'checkout_one_page', 'Production');
    await things.page.getByRole('region', { name: 'Proposed' }).getByText('Proposed by Liu Wei').waitFor();
    await leave({ page, ...liu });
  });

  visit.long('people on call can kill and restore in production, and nothing else', async (things) => {
    const { environments } = things;
    await aFlag(things, 'payment_retry', { on: { Staging: 50, Production: 20 } });
    const { page, grantee, ...liu } = await liuIn(things);
    await setAccess(things, {
      edit: await onlyPayments(things),
      environments: [{ id: environments.Production?.id, killers: [grantee] }],
    });
    await openFlag(page, 'payment_retry', 'Production');
    await page.getByRole('status').getByText(`${cannotEdit} You can kill and restore it here.`).waitFor();
    await refused(page, button(page, 'Edit individual targets'), cannotEdit);
    await press(page, 'Kill in Production');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Kill in Production' }).click();
    await page.getByText('Killed in Production. Everyone gets off.').waitFor();
    assert.equal((await definitionIn(things, 'payment_retry', 'Production')).killed, true);
    await look(page, 'killed by whoever is on call');
    await page.getByRole('status').getByRole('button', { name: 'Restore' }).first().click();
    await press(page, 'Restore in Production');
    await page.getByText('Restored in Production.').waitFor();
    assert.equal((await definitionIn(things, 'payment_retry', 'Production')).killed, false);
    await openFlag(page, 'payment_retry', 'Staging');
    await refused(page, button(page, 'Kill in Staging'), `Only Payments can kill and restore in Staging. ${ask}`);
    await leave({ page, ...liu });
  });

  visit.long('a project that closes to someone who is in it says so, and leaves the navigation', async (things) => {
    const { api, project } = things;
    await aFlag(things, 'checkout_one_page', { on: { Production: 20 } });
    await api('POST', '/workspaces', { name: 'Search' });
    const administrators = (await api('GET', '/groups')).objects[0];
    const { page, grantee: _, ...liu } = await liuIn(things);
    const gone = page.getByText('You can no longer see Checkout');
    const ask = 'It is not open to you, it was deleted, or the name is wrong. Ask an administrator: Ana Ruiz.';
    const isLeft = async () => {
      await gone.waitFor();
      await page.getByText(ask).waitFor();
      assert.equal(await page.getByText(project.id).count(), 0);
      assert.equal(await button(page, 'Try again').count(), 0);
      assert.equal(await page.getByText('New flag').count(), 0);
      const navigation = page.getByRole('complementary', { name: 'Navigation' });
      assert.equal(await navigation.getByRole('link', { name: 'Flags' }).count(), 0);
      await navigation.getByRole('button', { name: /Choose one/ }).waitFor();
    };
    const [close, open] = [true, false].map((restricted) => () => {
      const grantees = restricted ? [{ id: administrators.id, type: 'group' }] : [];
      return setAccess(things, { view: { restricted, grantees } });
    });
    await page.goto('/p/Checkout/flags');
    await row(page, 'checkout_one_page').waitFor();
    await close?.();
    await page.getByRole('searchbox').first().fill('one');
    await isLeft();
    await look(page, 'closed project');
    await page.getByRole('button', { name: /Choose one/ }).click();
    await page.getByRole('option', { name: 'Search' }).waitFor();
    assert.equal(await page.getByRole('option', { name: 'Checkout' }).count(), 0);
    await page.keyboard.press('Escape');

    await open?.();
    await openFlag(page, 'checkout_one_page', 'Production');
    // Only the click reads anything afterwards, and the log itself answers with an empty list.
    await page.waitForLoadState('networkidle');
    await close?.();
    await page.getByRole('link', { name: 'Activity', exact: true }).first().click();
    await isLeft();

    await open?.();
    await openFlag(page, 'checkout_one_page', 'Production');
    await close?.();
    // Coming back to the tab reads the page again.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await isLeft();
    await leave({ page, ...liu });
  });

  visit.long('a right that goes while the page is open leads to the reason, and the draft stays', async (things) => {
    const { environments } = things;
    await aFlag(things, 'new_search', { on: { Staging: 50 } });
    const { page, grantee: _, ...liu } = await liuIn(things);
    await openFlag(page, 'new_search', 'Staging');
    await step(page, 'Everyone else').getByRole('button', { name: '80', exact: true }).click();
    await press(page, 'Review and save');
    await field(page, 'Title').fill('More of it');
    await setAccess(things, { environments: [{ id: environments.Staging?.id, editors: await onlyPayments(things) }] });
    await press(page, 'Save to Staging');
    const why = `Only Payments can edit definitions in Staging. ${ask}`;
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').getByText(why).waitFor();
    assert.equal(await field(page, 'Title').inputValue(), 'More of it');
    await dialog.getByRole('button', { name: 'Save to Staging' }).and(page.locator('[aria-disabled]')).waitFor();
    await press(page, 'Keep editing');
    await refused(page, saveBar(page).getByRole('button', { name: 'Review and save' }), why);
    await look(page, 'draft without the right');
    await page.reload();
    await saveBar(page).getByText('1 unsaved change in Staging').waitFor();
    await step(page, 'Everyone else').getByText('80%').first().waitFor();
    assert.equal((await definitionIn(things, 'new_search', 'Staging')).defaultRule[0].size, 50);
    await setAccess(things, { environments: [{ id: environments.Staging?.id, editors: { restricted: false } }] });
    await page.reload();
    await press(page, 'Review and save');
    await press(page, 'Save to Staging');
    await page.getByText('Saved to Staging.').waitFor();
    await leave({ page, ...liu });
  });

  visit.long("edits to a flag's details stay when the right to save them is lost", async (things) => {
    await aFlag(things, 'old_name', { description: 'old' });
    const { page, grantee: _, ...liu } = await liuIn(things);
    await page.goto('/p/Checkout/flags/old_name/details');
    await field(page, 'Description').fill('what I typed');
    await setAccess(things, { edit: await onlyPayments(things) });
    await press(page, 'Save');
    await page.getByRole('alert').getByText(cannotEdit).waitFor();
    assert.equal(await field(page, 'Description').inputValue(), 'what I typed');
    await leave({ page, ...liu });
  });

  visit.long('owners edit their own flags where the project lets them', async (things) => {
    const { project, server } = things;
    await aFlag(things, 'of_nobody', { on: { Staging: 50 } });
    const { page, grantee: _, ...liu } = await liuIn(things);
    const path = `${server.url}/internal/api/v2/splits/ws/${project.id}/trafficTypes/user`;
    const made = await page.request.post(path, { data: { name: 'of_liu' }, headers: { origin: server.url } });
    assert.equal(made.status(), 200, await made.text());
    await setAccess(things, { edit: await onlyPayments(things), ownersEdit: true });
    const why = `Only Payments can edit Checkout. Owners can edit their own flags. ${ask}`;
    await openFlag(page, 'of_nobody', 'Staging');
    await refused(page, button(page, 'Edit everyone else'), why);
    await openFlag(page, 'of_liu', 'Staging');
    await page.getByRole('button', { name: /^Start at 50\/50/ }).click();
    await press(page, 'Review and save');
    await press(page, 'Save to Staging');
    await page.getByText('Saved to Staging.').waitFor();
    assert.equal(await page.getByText(why).count(), 0);
    await leave({ page, ...liu });
  });

  visit.long('people land in a project that they may view, or are told whom to ask', async (things) => {
    const { api } = things;
    const { page, grantee, ...liu } = await liuIn(things);
    const mobile = await api('POST', '/workspaces', { name: 'Mobile' });
    const { objects } = await api('GET', '/groups');
    const administrators = { id: objects[0].id, type: 'group' };
    const closed = { view: { restricted: true, grantees: [administrators] } };
    await page.goto('/');
    await page.getByRole('main').getByRole('link', { name: 'Checkout' }).click();
    await page.waitForURL('**/p/Checkout/flags');
    await setAccess(things, closed);
    await page.goto('/');
    await page.waitForURL('**/p/Mobile/flags');
    await heading(page, 'Flags').waitFor();
    await page.goto('/p/Checkout/flags');
    await heading(page, 'No such project').waitFor();
    await api('PUT', `/workspaces/${mobile.id}/access`, closed);
    await page.goto('/');
    await heading(page, 'No project yet').waitFor();
    await page.getByText('You cannot view any project yet').waitFor();
    await page.getByText('Ask an administrator: Ana Ruiz.').waitFor();
    await look(page, 'no project');
    await setAccess(things, { view: { restricted: true, grantees: [administrators, grantee] } });
    await page.reload();
    await page.waitForURL('**/p/Checkout/flags');
    await leave({ page, ...liu });
  });
});
