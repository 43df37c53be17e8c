import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import manifest from '../../package.json' with { type: 'json' };
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { ana, enterPassword, field, heading, press } from './people.ts';
import { aMember, eventually, focused, look, openFlag, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

suite('one’s own page', { concurrency: 2 }, () => {
  visit('the second factor is set up by picture or secret, and asked for from then on', async ({ page }) => {
    await page.goto('/me');
    await press(page, 'Set up');
    await field(page, 'Your password').fill('not the right password');
    await press(page, 'Continue');
    await page.getByText('Incorrect password.').waitFor();
    await look(page, 'password before the second factor');
    await field(page, 'Your password').fill(ana.password);
    await press(page, 'Continue');
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    const secret = (await page.getByText(/^([A-Z2-7]{4} )+[A-Z2-7]{4}$/).innerText()).replaceAll(' ', '');
    const codeIn = (seconds: number) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + seconds * 1000 });
    await look(page, 'second factor offered');
    await field(page, 'Six-digit code').fill(codeIn(0));
    await press(page, 'Turn on');
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    assert.equal(await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').count(), 10);
    await look(page, 'recovery codes');
    await press(page, 'I have saved them');
    await page.getByRole('button', { name: 'Turn off' }).waitFor();
    await page.context().clearCookies();
    await page.goto('/me');
    await enterPassword(page, ana);
    await field(page, 'Six-digit code').fill(codeIn(30));
    await press(page, 'Sign in');
    await heading(page, ana.name).waitFor();
  });

  visit('a flag is watched on its page, and one’s own page lists it until one stops', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout_one_page', { on: { Staging: 50 } });
    await openFlag(page, 'checkout_one_page', 'Staging');
    await press(page, 'Watch');
    await page.getByRole('button', { name: 'Watching', exact: true }).waitFor();
    await page.getByText('You watch it, but this server sends no mail.').waitFor();
    await page.goto('/p/Checkout/flags');
    await press(page, 'Watched by me');
    await page.getByText('1 flag matches').waitFor();
    await page.goto('/me');
    await page.getByLabel('Changes to flags that you watch').selectOption('daily');
    await page.getByRole('link', { name: 'checkout_one_page' }).waitFor();
    await look(page, 'watched flags');
    await press(page, 'Stop watching: checkout_one_page');
    await page.getByRole('button', { name: 'Watch again: checkout_one_page' }).waitFor();
    await eventually(page, focused, 'Watch again');
    await page.reload();
    await page.getByText('You watch no flag.').waitFor();
    assert.equal(await page.getByLabel('Changes to flags that you watch').inputValue(), 'daily');
  });

  visit.long('single keys can be switched off, in this browser', async ({ page }) => {
    await page.goto('/me');
    await page.getByText(`Burgee ${manifest.version}`, { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Single-key shortcuts' }).uncheck();
    await page.goto('/admin/users');
    await heading(page, 'Users').waitFor();
    await page.keyboard.press('n');
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.goto('/me');
    await page.getByRole('checkbox', { name: 'Single-key shortcuts' }).check();
    await page.goto('/admin/users');
    await heading(page, 'Users').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Invite people' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Shortcuts on this page' }).getByText('Invite people').waitFor();
  });

  visit.long('members find their own groups, and links of mails that wait are with the server', async (things) => {
    const { page, api } = things;
    await api('POST', '/users', { email: 'noor@example.org' });
    await page.goto('/admin/settings');
    const unsent = page.getByRole('region', { name: 'Unsent emails' });
    await unsent.getByRole('button', { name: 'Copy link for noor@example.org' }).waitFor();
    await look(page, 'server settings with unsent mails');
    await page.goto('/me');
    await field(page, 'Your name').fill('Ana Ruiz-Blanco');
    await press(page, 'Save');
    await heading(page, 'Ana Ruiz-Blanco').waitFor();
    await look(page, 'me');
    const liu = await aMember(things);
    await liu.page.goto('/me');
    await liu.page.getByText('Member', { exact: true }).waitFor();
    await liu.page.getByRole('link', { name: 'Your groups and activity' }).click();
    await heading(liu.page, 'Liu Wei').waitFor();
    await liu.page.getByRole('link', { name: 'Password, second factor, sessions' }).click();
    await liu.page.getByText('This browser', { exact: true }).waitFor();
    assert.deepEqual(liu.complaints, []);
    await liu.leave();
  });
});
