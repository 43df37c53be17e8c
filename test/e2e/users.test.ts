import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { accountPrefix } from '#contract/parts.ts';
import { linkIn, startMailServer } from '../support/mail-server.ts';
import { anInstallation } from '../support/process.ts';
import { aVisitor, startBrowser } from './browser.ts';
import { ana, enterPassword, field, heading, press } from './people.ts';
import { aMember, choose, eventually, look, menuOf, row, signedInVisitsIn, signUp } from './support.ts';

const browser = await startBrowser();
const visit = signedInVisitsIn(browser);
const withClipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

const people = (page: Page) => page.getByRole('rowheader').allInnerTexts();

suite('users', { concurrency: 2 }, () => {
  visit(
    'somebody is invited, accepts by the link, is active, is deactivated and thereby signed out',
    async (things) => {
      const { page, api, browser, server } = things;
      await api('POST', '/groups', { name: 'Checkout team' });
      await page.goto('/admin/users');
      await press(page, 'Invite');
      const dialog = page.getByRole('dialog');
      await field(page, 'Email addresses').fill('liu@example.org, noor@example.org');
      await choose(page, 'Add group', 'Groups', 'Checkout team');
      await look(page, 'invite');
      await dialog.getByRole('button', { name: 'Invite 2 people' }).click();
      await page.getByRole('heading', { name: 'Invited 2 people' }).waitFor();
      await page.getByText('Give them the link').first().waitFor();
      await look(page, 'invited');
      await dialog.getByRole('button', { name: 'Copy link for liu@example.org' }).click();
      await press(page, 'Done');
      assert.equal(new URL(page.url()).search, '');
      await row(page, 'liu@example.org').getByText('Pending').waitFor();

      const liu = await aVisitor(browser, server.url);
      await liu.page.goto(String(await page.evaluate('navigator.clipboard.readText()')));
      await liu.page.getByText(/^Ana Ruiz \(ana@.*\) invited you\. /).waitFor();
      await field(liu.page, 'Your name').fill('Liu Wei');
      await field(liu.page, 'Password').fill(ana.password);
      await press(liu.page, 'Create account');
      await heading(liu.page, 'Flags').waitFor();

      await page.getByRole('link', { name: /^Active/ }).click();
      await row(page, 'Liu Wei').getByText('Active').waitFor();
      await row(page, 'Liu Wei').getByText('Checkout team').waitFor();
      assert.equal(new URL(page.url()).search, '?status=active');
      await page.getByRole('link', { name: 'Active 2' }).waitFor();

      await menuOf(page, 'Liu Wei', 'Deactivate');
      await page.getByRole('alertdialog', { name: 'Deactivate Liu Wei?' }).waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Cancel');
      await look(page, 'deactivate');
      await press(page, 'Deactivate');
      await page.getByText('Liu Wei is deactivated and signed out everywhere.').waitFor();
      await row(page, 'Liu Wei').waitFor({ state: 'detached' });
      await eventually(page, 'document.activeElement.tagName', 'H1');

      // The page is told at once.
      await liu.page.getByRole('alertdialog', { name: 'Sign in again' }).waitFor();
      await press(liu.page, 'Leave this page and sign in as someone else');
      await enterPassword(liu.page, { email: 'liu@example.org', password: ana.password });
      await liu.page.getByText('This account is deactivated; ask an administrator.').waitFor();

      await page.getByRole('link', { name: /^Deactivated/ }).click();
      await menuOf(page, 'Liu Wei', 'Activate');
      await page.getByText('Liu Wei is active and can sign in again.').waitFor();
      await enterPassword(liu.page, { email: 'liu@example.org', password: ana.password });
      await heading(liu.page, 'Flags').waitFor();
      assert.deepEqual(liu.complaints, []);
      await liu.leave();
    },
    withClipboard,
  );

  visit('each line of an invitation says what became of it, and those refused can be corrected', async (things) => {
    const { page, api } = things;
    await api('POST', '/users', { email: 'noor@example.org' });
    await page.goto('/admin/users?invite');
    await press(page, 'Create invitation');
    await page.getByText('Enter at least one email address.').waitFor();
    await field(page, 'Email addresses').fill(`new@example.org\n${ana.email}\nnoor@example.org no-address`);
    await press(page, 'Invite 4 people');
    await page.getByRole('heading', { name: 'Invited 1 of 4 people' }).waitFor();
    const line = (text: string) => page.getByRole('dialog').getByRole('listitem').filter({ hasText: text });
    await line('new@example.org').getByText('Give them the link').waitFor();
    await line(ana.email).getByText('Has an account already').waitFor();
    await line('noor@example.org').getByText('Is invited already').waitFor();
    await line('no-address').getByText('Not an email address').waitFor();
    await look(page, 'invite with refusals');
    await press(page, 'Correct these 3');
    assert.equal(await field(page, 'Email addresses').inputValue(), `${ana.email}\nnoor@example.org\nno-address`);
    await page.keyboard.press('Escape');
    await row(page, 'new@example.org').getByText('Pending').waitFor();
  });

  visit.long('an invitation is sent again with a new link, and can be withdrawn', async ({ page, api, server }) => {
    await api('POST', '/users', { email: 'liu@example.org' });
    await page.goto('/admin/users?status=pending');
    const link = async () => (await page.request.get(`${server.url}${accountPrefix}/outbox`)).json();
    const [{ path: first }] = await link();
    await menuOf(page, 'liu', 'Send again');
    await page.getByText('Invited liu@example.org again. The earlier link no longer works.').waitFor();
    const [{ path: second }] = await link();
    assert.notEqual(first, second);
    assert.equal((await page.request.get(`${server.url}${accountPrefix}${first}`)).status(), 404);
    await menuOf(page, 'liu', 'Withdraw invitation');
    await press(page, 'Withdraw invitation');
    await page.getByText('Withdrew the invitation for liu@example.org.').waitFor();
    await page.getByText('No pending invitations').waitFor();
    assert.equal((await page.request.get(`${server.url}${accountPrefix}${second}`)).status(), 404);
    await look(page, 'nobody is pending');
  });

  test('a link that was mailed is not kept here, and the page says so', async () => {
    const mails = await startMailServer();
    const server = await anInstallation().start({ SMTP_URL: mails.url, MAIL_FROM: 'burgee@example.org' });
    const { page, complaints, leave } = await aVisitor(browser, server.url);
    await signUp(page, server);
    await page.goto('/admin/users?invite');
    await field(page, 'Email addresses').fill('liu@example.org');
    await press(page, 'Send invitation');
    await page.getByText('Emailed', { exact: true }).waitFor();
    const mail = await mails.nextMail();
    assert.deepEqual(mail.recipients, ['liu@example.org']);
    await press(page, 'Done');
    assert.equal(
      await row(page, 'liu@example.org')
        .getByRole('button', { name: /^Copy link/ })
        .count(),
      0,
    );
    await page.getByRole('button', { name: 'More about liu' }).click();
    const item = page.getByRole('menuitem', { name: 'Copy invitation link' });
    await item.getByText('It was emailed and is not stored.').waitFor();
    await page.keyboard.press('Escape');
    await menuOf(page, 'liu', 'Send again');
    assert.notEqual(linkIn(await mails.nextMail()), linkIn(mail));
    assert.deepEqual(complaints, []);
    await leave();
  });

  visit('a person has a page: groups, name, second factor, and what was done', async (things) => {
    const { page, api } = things;
    await api('POST', '/groups', { name: 'Release managers' });
    const liu = await aMember(things);
    await switchSecondFactorOn(liu.page, things.server.url);
    await page.goto('/admin/users');
    await page.getByRole('link', { name: 'Liu Wei' }).click();
    await heading(page, 'Liu Wei').waitFor();
    await press(page, 'Change');
    await choose(page, 'Add group', 'Groups', 'Release managers');
    await press(page, 'Save');
    await page.getByRole('link', { name: 'Release managers' }).waitFor();

    await page.getByRole('button', { name: 'More about Liu Wei' }).click();
    await page.getByRole('menuitem', { name: 'Edit name and email' }).click();
    await field(page, 'Email').fill(ana.email);
    await press(page, 'Save');
    await page.getByText('Someone else has this address.').waitFor();
    await field(page, 'Email').fill('liu.wei@example.org');
    await field(page, 'Name').fill('Dr Liu Wei');
    await press(page, 'Save');
    await heading(page, 'Dr Liu Wei').waitFor();

    await press(page, 'Turn off');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('Turned off the second factor for Dr Liu Wei.').waitFor();

    await page.getByText('accepted the invitation').waitFor();
    await page.getByRole('link', { name: 'About this account' }).click();
    await page.getByText('Ana Ruiz changed the groups of Dr Liu Wei').waitFor();
    await page.getByText('Groups: nothing → Release managers').waitFor();
    await page.getByText('Ana Ruiz turned off the second factor for Dr Liu Wei').waitFor();
    await look(page, 'a user');
    await page.goto('/admin/users/nobody');
    await heading(page, 'No such user').waitFor();
    await liu.leave();
  });

  visit.long('the last administrator cannot be deactivated, and the page says why', async (things) => {
    const { page } = things;
    await page.goto('/admin/users');
    await row(page, ana.email).getByRole('button', { name: 'More about Ana Ruiz' }).click();
    const item = page.getByRole('menuitem', { name: 'Deactivate' });
    await item.getByText('This is the last active administrator').waitFor();
    assert.equal(await item.getAttribute('aria-disabled'), 'true');
    await item.click({ force: true });
    assert.equal(await page.getByRole('alertdialog').count(), 0);
    await look(page, 'menu of a user');
    await page.keyboard.press('Escape');
    await menuOf(page, 'Ana Ruiz', 'Change groups');
    await press(page, 'Remove Administrators');
    await press(page, 'Save');
    await page.getByText('The last active administrator cannot be deactivated or removed.').waitFor();
  });

  visit.long('many people: pages, search and filters, all in the address', async ({ page, api }) => {
    const { id } = await api('POST', '/groups', { name: 'Support' });
    for (let number = 10; number < 70; number += 1) {
      await api('POST', '/users', { email: `user-${number}@example.org`, groups: number === 42 ? [{ id }] : [] });
    }
    await page.goto('/admin/users');
    await page.getByText('50 people shown').waitFor();
    await press(page, 'Show more');
    await row(page, 'user-69@example.org').waitFor();
    assert.equal((await people(page)).length, 61);
    await page.keyboard.press('/');
    await page.keyboard.type('USER-6');
    await row(page, 'user-10@example.org').waitFor({ state: 'detached' });
    assert.equal((await people(page)).length, 10);
    assert.equal(new URL(page.url()).search, '?q=USER-6');
    await page.reload();
    await row(page, 'user-69@example.org').waitFor();
    await choose(page, 'Group', 'Group', 'Support');
    await page.getByText('Nobody matches').waitFor();
    await press(page, 'Clear filters');
    await row(page, ana.email).waitFor();
    await choose(page, 'Group', 'Group', 'Support');
    await row(page, ana.email).waitFor({ state: 'detached' });
    assert.deepEqual(await people(page), ['U\nuser-42\nuser-42@example.org']);
    await look(page, 'users, filtered');
  });

  visit.long('people who are not administrators see users, but cannot change them', async (things) => {
    const { page, complaints, leave } = await aMember(things);
    await page.goto('/admin/users');
    await row(page, ana.email).waitFor();
    await page.getByText('Only administrators can invite and edit people').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Invite' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'More about' }).count(), 0);
    await page.getByRole('link', { name: ana.name }).click();
    await heading(page, ana.name).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Deactivate' }).count(), 0);
    await page.goto('/admin/users?invite');
    await heading(page, 'Users').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.deepEqual(complaints, []);
    await leave();
  });
});

async function switchSecondFactorOn(page: Page, url: string): Promise<void> {
  const headers = { origin: url };
  const data = { password: ana.password };
  const { secret } = await (await page.request.post(`${url}${accountPrefix}/2fa`, { headers, data })).json();
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const reply = await page.request.post(`${url}${accountPrefix}/2fa/confirm`, { headers, data: { code } });
  assert.equal(reply.status(), 200, await reply.text());
}
