import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { accountPrefix } from '#contract/parts.ts';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { ana, enterPassword, field, heading, press } from './people.ts';
import { aMember, eventually, focused, look, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

suite('what is around every page', { concurrency: 2 }, () => {
  visit('the navigation leads everywhere, and each page takes the focus with its title', async ({ page }) => {
    await page.goto('/');
    await heading(page, 'Flags').waitFor();
    await eventually(
      page,
      `(([rail]) => rail.scrollWidth - rail.clientWidth)(document.querySelectorAll('[data-rail]'))`,
      0,
    );
    for (const [link, title] of [
      ['Segments', 'Segments'],
      ['Environments', 'Environments'],
      ['Project settings', /settings$/i],
      ['Users', 'Users'],
      ['Groups', 'Groups'],
      ['API keys', 'API keys'],
      ['Flags', 'Flags'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: link, exact: true }).click();
      await heading(page, title).waitFor();
      await eventually(page, 'document.activeElement.tagName', 'H1');
      assert.match(await page.title(), new RegExp(`${title instanceof RegExp ? '' : title}.* · Burgee$`));
    }
    await page.goBack();
    await heading(page, 'API keys').waitFor();
  });

  visit('people who come for the first time are welcomed, and choose among several projects', async (things) => {
    await things.api('POST', '/workspaces', { name: 'Mobile apps' });
    const { page, complaints, leave } = await aMember(things);
    await page.goto('/');
    await heading(page, 'Welcome, Liu Wei').waitFor();
    await look(page, 'choosing the first project');
    await page.getByRole('main').getByRole('link', { name: 'Mobile apps' }).click();
    await heading(page, 'Flags').waitFor();
    await page.goto('/');
    await page.waitForURL('**/p/Mobile%20apps/flags');
    assert.deepEqual(complaints, []);
    await leave();
  });

  visit.long('the project is switched where it stands, and is remembered', async ({ page, api }) => {
    await api('POST', '/workspaces', { name: 'Mobile apps' });
    await page.goto('/p/Checkout/flags');
    await page.getByRole('button', { name: 'Project Checkout' }).click();
    await page.getByRole('combobox', { name: 'Project' }).fill('mob');
    await page.getByRole('option', { name: 'Mobile apps' }).waitFor();
    await page.getByRole('option', { name: 'Checkout' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.waitForURL('**/p/Mobile%20apps/flags');
    await page.getByText('No flags yet').waitFor();
    await page.goto('/');
    await page.waitForURL('**/p/Mobile%20apps/flags');
  });

  visit.long('ids in an address lead to the address with names', async (things) => {
    const { page, project } = things;
    const flag = await aFlag(things, 'checkout_one_page');
    await page.goto(`/p/${project.id}/flags/${flag.id}/details?from=mail`);
    await page.waitForURL('**/p/Checkout/flags/checkout_one_page/details?from=mail');
    await heading(page, 'checkout_one_page').waitFor();
  });

  visit('missing pages and objects are reported, with links to continue', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout_one_page');
    await page.goto('/p/Nowhere/flags');
    await heading(page, 'No such project').waitFor();
    await page.getByRole('link', { name: 'Checkout' }).click();
    await heading(page, 'Flags').waitFor();
    await page.goto('/p/Checkout/flags/chec');
    await heading(page, 'No such flag').waitFor();
    await page.getByRole('link', { name: 'checkout_one_page' }).click();
    await page.waitForURL('**/flags/checkout_one_page/Staging');
    await page.goto('/nothing/here');
    await heading(page, 'Page not found').waitFor();
    await look(page, 'not found');
    await page.getByRole('main').getByRole('button', { name: 'Search or jump to' }).click();
    await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor();
  });

  visit(
    'on narrow screens the navigation opens from a button and closes when one has gone somewhere',
    async ({ page }) => {
      await page.setViewportSize({ width: 390, height: 800 });
      await page.goto('/p/Checkout/flags');
      const side = page.getByRole('complementary', { name: 'Navigation' });
      await side.waitFor({ state: 'hidden' });
      await press(page, 'Navigation');
      await side.getByRole('link', { name: 'Users' }).click();
      await heading(page, 'Users').waitFor();
      await side.waitFor({ state: 'hidden' });
      await press(page, 'Navigation');
      await page.keyboard.press('Escape');
      await side.waitFor({ state: 'hidden' });
      assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Navigation');
    },
  );

  visit('the home of a project counts what needs attention, and each number leads to its list', async (things) => {
    const { page, api, project, environments } = things;
    await aFlag(things, 'home_killed', { on: { Staging: 50, Production: 50 } });
    await aFlag(things, 'home_same');
    const killed = `/splits/ws/${project.id}/home_killed/environments/${environments.Production?.id}/kill`;
    await api('PUT', killed, { comment: 'broken' });
    await page.goto('/p/Checkout');
    await heading(page, 'Checkout').waitFor();
    const tile = (name: string) =>
      page.getByRole('list', { name: 'What needs attention' }).getByRole('link', { name: new RegExp(`^${name}`) });
    await tile('Killed 1 1 in Production').waitFor();
    await page.getByRole('heading', { name: '1 flag differs between Staging and Production' }).waitFor();
    await page.getByRole('img', { name: /^Changes per day: .* in 30 days, .* 1 kill$/ }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'killed home_killed' }).first().waitFor();
    await look(page, 'the home of a project');
    await tile('Killed').click();
    await page.waitForURL('**/p/Checkout/flags?state=killed');
    await heading(page, 'Flags').waitFor();
    await page.getByRole('link', { name: 'home_killed' }).waitFor();
    await page.getByRole('link', { name: 'home_same' }).waitFor({ state: 'detached' });
  });

  visit.long('people who may not administer do not see the administration', async (things) => {
    const member = await aMember(things);
    const { page, complaints, leave } = member;
    await page.goto('/');
    await heading(page, 'Flags').waitFor();
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    assert.deepEqual(await links.allInnerTexts(), [
      'Home',
      'Flags',
      'Segments',
      'Changesets',
      'Drift',
      'Cleanup',
      'SDKs',
      'Activity',
      'Environments',
      'Project settings',
      'Users',
      'Groups',
    ]);
    assert.deepEqual(complaints, []);
    await leave();
  });

  visit('the first thing that Tab reaches skips the navigation', async ({ page }) => {
    await page.goto('/p/Checkout/flags');
    await heading(page, 'Flags').waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'main');
  });

  visit.long('the menu at the name is used by keyboard, and gives the focus back', async ({ page }) => {
    await page.goto('/me');
    await heading(page, ana.name).waitFor();
    await page.getByRole('button', { name: ana.name }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'You' }).waitFor();
    await eventually(page, focused, 'You');
    await page.keyboard.press('End');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Sign out');
    await page.keyboard.press('s');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Shortcuts');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate('document.activeElement.textContent'), `AR${ana.name}`);
    await page.keyboard.press('Enter');
    await eventually(page, focused, 'You');
    await page.keyboard.press('s');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Shortcuts on this page' }).waitFor();
    await look(page, 'shortcuts');
  });

  visit('a session that ends in the middle of work is renewed, and the work continues', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout_one_page');
    await page.goto('/p/Checkout/flags/checkout_one_page/details');
    await field(page, 'Description').fill('Typed before the session ended');
    await page.context().clearCookies();
    await press(page, 'Save');
    const dialog = page.getByRole('alertdialog', { name: 'Sign in again' });
    await dialog.waitFor();
    await look(page, 'signed out');
    assert.equal(await page.evaluate('document.activeElement.name'), 'password');
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Password', { exact: true }).fill('wrong');
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.getByText('Email or password is incorrect.').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(ana.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    assert.equal(await field(page, 'Description').inputValue(), 'Typed before the session ended');
    const flag = await things.api('GET', `/splits/ws/${things.project.id}/checkout_one_page`);
    assert.equal(flag.description, 'Typed before the session ended');
  });

  visit.long('the second factor is asked for, too, when the session is begun again', async (things) => {
    const { page, server } = things;
    await aFlag(things, 'checkout');
    const origin = { origin: server.url };
    const offered = await page.request.post(`${server.url}${accountPrefix}/2fa`, {
      headers: origin,
      data: { password: ana.password },
    });
    const { secret } = await offered.json();
    const codeIn = (seconds: number) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + seconds * 1000 });
    await page.request.post(`${server.url}${accountPrefix}/2fa/confirm`, {
      headers: origin,
      data: { code: codeIn(0) },
    });
    await page.goto('/p/Checkout/flags');
    await heading(page, 'Flags').waitFor();
    await page.context().clearCookies();
    await field(page, 'Search flags').fill('other');
    const dialog = page.getByRole('alertdialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(ana.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.getByLabel('Six-digit code').fill(codeIn(30));
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('0 flags match').waitFor();
  });

  visit.long('people can choose to go to the sign-in page', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout');
    await page.goto('/p/Checkout/flags');
    await heading(page, 'Flags').waitFor();
    await page.context().clearCookies();
    await field(page, 'Search flags').fill('other');
    await press(page, 'Leave this page and sign in as someone else');
    await heading(page, 'Sign in').waitFor();
    await enterPassword(page, ana);
    await heading(page, 'Flags').waitFor();
  });
});
