import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { anInstallation } from '../support/process.ts';
import { aVisitor, startBrowser } from './browser.ts';
import {
  ana,
  enterPassword,
  field,
  firstPage,
  goToMe,
  heading,
  mailedLink,
  press,
  setUp,
  setupLink,
  signOut,
} from './people.ts';
import { eventually, isShort, look, visitsIn } from './support.ts';

const browser = await startBrowser();
const visit = visitsIn(browser);

suite('accounts of people', { concurrency: 2 }, () => {
  visit('the first administrator is set up by the printed link, once', async ({ page, server }) => {
    await page.goto('/');
    await heading(page, 'Burgee has no administrator yet').waitFor();
    await page.getByText('burgee setup-link', { exact: true }).waitFor();
    await page.getByText('npm run burgee -- setup-link').waitFor();
    await page.goto('/setup');
    await heading(page, 'Set up Burgee').waitFor();
    await page.getByText('burgee setup-link', { exact: true }).waitFor();
    await page.getByText('npm run burgee -- setup-link').waitFor();

    await page.goto('/setup?token=guessed');
    await heading(page, 'This link no longer works').waitFor();

    await setUp(page, server);
    assert.equal(new URL(page.url()).pathname, '/welcome');
    await goToMe(page);
    await page.getByText('Administrator', { exact: true }).waitFor();
    await page.goto(await setupLink(server));
    await heading(page, 'This server is already set up').waitFor();
  });

  visit('signing in needs the right password, and leads to the page that was wanted', async ({ page, server }) => {
    await setUp(page, server);
    await signOut(page);
    await page.goto('/me?from=a-link');
    await heading(page, 'Sign in').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('next'), '/me?from=a-link');

    await enterPassword(page, { ...ana, password: 'wrong' });
    await page.getByText('Email or password is incorrect.').waitFor();
    assert.equal(await page.evaluate('document.activeElement.name'), 'password');
    await enterPassword(page, ana);
    await heading(page, ana.name).waitFor();
    assert.equal(page.url(), `${server.url}/me?from=a-link`);
  });

  visit('nobody is sent to another site after signing in', async ({ page, server }) => {
    await setUp(page, server);
    for (const next of ['https://evil.example/', '//evil.example/', '/\\evil.example/', 'javascript:alert(1)']) {
      await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
      await firstPage(page).waitFor();
      assert.equal(page.url(), `${server.url}/p/Default/flags`);
    }
  });

  visit.long('too many tries are slowed down, and the page says until when', async ({ page }) => {
    await page.goto('/sign-in');
    const refused = page.getByText(/^Too many attempts\. Try again in 5 minutes, at \d\d:\d\d\.$/);
    for (let tries = 0; tries <= 10; tries += 1) {
      const answered = page.waitForResponse('**/internal/account/session');
      await enterPassword(page, { email: 'somebody@example.org', password: 'a guess' });
      await answered;
    }
    await refused.waitFor();
  });

  visit.long('errors are shown at their fields, and the first one gets the focus', async ({ page, server }) => {
    await page.goto(await setupLink(server));
    await field(page, 'Email').fill('ana@');
    await field(page, 'Password').fill('ana');
    await page.getByText('The password must have at least 12 characters.').waitFor();
    await field(page, 'Password').press('Enter');
    await page.getByText('Enter your name.').waitFor();
    await page.getByText('Not a valid email address.').waitFor();
    assert.equal(await page.evaluate('document.activeElement.name'), 'name');
    assert.equal(await field(page, 'Your name').getAttribute('aria-invalid'), 'true');
    await page.keyboard.type('Ana');
    await page.getByText('Enter your name.').waitFor({ state: 'hidden' });
    await field(page, 'Password').fill('ana.ana.ana.ana');
    await page.getByText('The password is one that attackers try first; choose another.').waitFor();
    await field(page, 'Password').fill(ana.password);
    await page.getByText('Strong enough.').waitFor();
  });

  visit.long('the second factor is switched on, asked for, and switched off', async ({ page, server }) => {
    await setUp(page, server);
    await goToMe(page);
    await press(page, 'Set up');
    await field(page, 'Your password').fill(ana.password);
    await press(page, 'Continue');
    const secret = (
      await page
        .locator('code')
        .filter({ hasText: /^[A-Z2-7 ]{39}$/ })
        .innerText()
    ).replaceAll(' ', '');
    const codeIn = (seconds: number) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + seconds * 1000 });
    await eventually(page, "document.querySelector('img[alt^=QR]').naturalWidth > 0", true);

    await field(page, 'Six-digit code').fill('12345');
    await press(page, 'Turn on');
    await page.getByText('Enter the six digits from your app.').waitFor();
    await field(page, 'Six-digit code').fill(codeIn(0));
    await press(page, 'Turn on');
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts();
    assert.equal(codes.length, 10);
    const saving = page.waitForEvent('download');
    await press(page, 'Download recovery codes');
    assert.equal((await saving).suggestedFilename(), 'burgee-recovery-codes.txt');
    await press(page, 'I have saved them');

    await signOut(page);
    await enterPassword(page, ana);
    await heading(page, 'Enter your code').waitFor();
    assert.equal(await page.evaluate('document.activeElement.autocomplete'), 'one-time-code');
    // The code of this half minute is used up by switching on; the server takes the next one early.
    const code = codeIn(30);
    await field(page, 'Six-digit code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
    await press(page, 'Sign in');
    await firstPage(page).waitFor();

    await signOut(page);
    await enterPassword(page, ana);
    await press(page, 'Use a recovery code');
    await field(page, 'Recovery code').fill('aaaaa-aaaaa');
    await press(page, 'Sign in');
    await page.getByText('Incorrect or already used code.').waitFor();
    await field(page, 'Recovery code').fill(codes[3] ?? '');
    await press(page, 'Sign in');
    await firstPage(page).waitFor();

    await goToMe(page);
    await press(page, 'Turn off');
    await field(page, 'Your password').fill('wrong');
    await press(page, 'Turn off the second factor');
    await page.getByText('Incorrect password.').waitFor();
    await field(page, 'Your password').fill(ana.password);
    await press(page, 'Turn off the second factor');
    await page.getByRole('button', { name: 'Set up', exact: true }).waitFor();
  });

  visit(
    'who is invited creates an account with the link of the mail, until it is deactivated',
    async ({ page, server }) => {
      const email = 'liu.wei@example.org';
      const as = await server.printedKey();
      const invited = await server.call('POST', '/users', { as, body: { email } });
      assert.equal(invited.status, 200);
      const link = await mailedLink(server, 'invitation', email);
      await page.goto(link);
      assert.equal(await field(page, 'Email').inputValue(), email);
      assert.equal(await field(page, 'Your name').inputValue(), 'liu.wei');
      await field(page, 'Your name').fill('Liu Wei');
      await field(page, 'Password').fill(ana.password);
      await press(page, 'Create account');
      await firstPage(page).waitFor();
      await goToMe(page);
      await heading(page, 'Liu Wei').waitFor();
      await page.getByText('Member', { exact: true }).waitFor();
      await page.goto(link);
      await heading(page, 'This invitation no longer works').waitFor();

      const body = { ...invited.body, name: 'Liu Wei', status: 'DEACTIVATED' };
      assert.equal((await server.call('PUT', `/users/${invited.body.id}`, { as, body })).status, 200);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await enterPassword(page, { email, password: ana.password });
      await page.getByText('This account is deactivated; ask an administrator.').waitFor();
    },
  );

  visit('a forgotten password is replaced by the link of a mail', async ({ page, server }) => {
    await setUp(page, server);
    await signOut(page);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await heading(page, 'Reset your password').waitFor();
    assert.equal(await page.title(), 'Reset your password · Burgee');
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
    await field(page, 'Email').fill('nobody@example.org');
    await press(page, 'Send link');
    await page.getByText('If nobody@example.org has an account here').waitFor();
    await page.goto('/forgot');
    await field(page, 'Email').fill(ana.email);
    await press(page, 'Send link');
    await page.getByText(`If ${ana.email} has an account here`).waitFor();

    const link = await mailedLink(server, 'password-reset', ana.email);
    const password = 'a lantern over wet slate';
    await page.goto(link);
    assert.equal(await field(page, 'Email').inputValue(), ana.email);
    await field(page, 'New password').fill('ana.ruiz.ana.ruiz');
    await page.getByText('The password is one that attackers try first; choose another.').waitFor();
    await field(page, 'New password').fill(password);
    await press(page, 'Set password');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading(page, 'Sign in').waitFor();
    await page.goBack();
    await heading(page, 'This link no longer works').waitFor();
    await page.goForward();
    await enterPassword(page, ana);
    await page.getByText('Email or password is incorrect.').waitFor();
    await enterPassword(page, { ...ana, password });
    await firstPage(page).waitFor();

    await page.goto(link);
    await heading(page, 'This link no longer works').waitFor();
  });

  visit.long(
    'an administrator hands over the link of an invitation that could not be mailed',
    async ({ page, server }) => {
      const email = 'liu.wei@example.org';
      await setUp(page, server);
      await page.goto('/admin/settings');
      const card = page.getByRole('region', { name: 'Unsent emails' });
      await card.getByText('No unsent emails.').waitFor();
      await server.call('POST', '/users', { as: await server.printedKey(), body: { email } });
      await page.reload();
      assert.match(
        await card.getByRole('listitem').innerText(),
        /^liu\.wei@example\.org\s+Invitation\s+Waiting · expires in 7 days\s+Copy link$/,
      );
      await press(page, `Copy link for ${email}`);
      await card.getByText('Copied').first().waitFor();
      const link = String(await page.evaluate('navigator.clipboard.readText()'));
      assert.equal(link, server.url + new URL(await mailedLink(server, 'invitation', email)).pathname);

      const invited = await aVisitor(browser, server.url);
      await invited.page.goto(link);
      await field(invited.page, 'Password').fill(ana.password);
      await press(invited.page, 'Create account');
      await firstPage(invited.page).waitFor();
      assert.deepEqual(invited.complaints, []);
      await invited.leave();

      await page.reload();
      await card.getByText('No unsent emails.').waitFor();
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  );

  visit.long('a password is changed and other sessions are ended', async ({ page, server }) => {
    await setUp(page, server);
    const elsewhere = await aVisitor(browser, server.url);
    await elsewhere.page.goto('/sign-in');
    await enterPassword(elsewhere.page, ana);
    await firstPage(elsewhere.page).waitFor();
    await goToMe(elsewhere.page);

    await goToMe(page);
    await page.getByRole('button', { name: /^End the .* session from/ }).click();
    await page.getByRole('button', { name: /^End the .* session from/ }).waitFor({ state: 'detached' });
    // The page is told at once.
    await elsewhere.page.getByRole('alertdialog', { name: 'Sign in again' }).waitFor();
    assert.deepEqual(elsewhere.complaints, []);
    await elsewhere.leave();

    await press(page, 'Change password');
    await field(page, 'Current password').fill('wrong');
    await field(page, 'New password').fill('a lantern over wet slate');
    await press(page, 'Change password');
    await page.getByText('Incorrect password.').waitFor();
    await field(page, 'Current password').fill(ana.password);
    await press(page, 'Change password');
    await page.getByText('Password changed. You are signed out everywhere else.').waitFor();
    await page.reload();
    await heading(page, ana.name).waitFor();
  });

  visit(
    'everything can be done by keyboard',
    async ({ page, server }) => {
      await page.goto(await setupLink(server));
      await heading(page, 'Set up Burgee').waitFor();
      await field(page, 'Your name').waitFor();
      for (const text of [ana.name, ana.email, ana.password]) {
        await page.keyboard.press('Tab');
        await page.keyboard.type(text);
      }
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Show');
      await page.keyboard.press('Enter');
      assert.equal(await field(page, 'Password').getAttribute('type'), 'text');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await heading(page, 'Getting started').waitFor();
    },
    { reducedMotion: 'no-preference' },
  );

  test('a server that does not answer is said to be so, and asked again', async () => {
    const server = await anInstallation().start();
    // What this visitor has to complain about is the point here: the requests fail.
    const { page, leave } = await aVisitor(browser, server.url);
    await page.route('**/internal/account/**', (route) => route.abort());
    await page.goto('/');
    await heading(page, 'Burgee is not responding').waitFor();
    await page.unroute('**/internal/account/**');
    await heading(page, 'Burgee has no administrator yet').waitFor();
    await leave();
  });

  test('the page that shows the API shows it, under a policy that lets it talk to nobody else', async () => {
    const server = await anInstallation().start();
    const { page, complaints, leave } = await aVisitor(browser, server.url);
    await page.goto('/docs/');
    await page.getByRole('heading', { name: 'Burgee Admin API' }).first().waitFor();
    await page.getByText('Rollout statuses').first().waitFor();
    // Drawn after the rest.
    await page.getByRole('button', { name: 'Copy', exact: true }).first().waitFor({ state: 'attached' });
    // The whole API on one page: looking at it takes a minute.
    if (!isShort) await look(page, 'the API');
    // A library in it tries whether it may make code of text, and does without.
    assert.deepEqual(complaints, ['error: refused by the policy: script-src eval']);
    await leave();
  });

  test('pages come with a strict policy; programs get the errors that they understand', async () => {
    const server = await anInstallation().start();
    const get = (path: string, accept: string) =>
      fetch(server.url + path, { headers: { accept, 'accept-encoding': 'br' } });

    const page = await get('/reset/some-token', 'text/html,application/xhtml+xml');
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.equal(
      page.headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(page.headers.get('cache-control'), 'no-cache');
    assert.equal(page.headers.get('cross-origin-opener-policy'), 'same-origin');

    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? '';
    const asset = await get(script, '*/*');
    assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(asset.headers.get('content-encoding'), 'br');
    assert.equal(asset.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(asset.headers.get('cross-origin-resource-policy'), 'same-origin');

    const html = 'text/html';
    for (const [path, accept] of [
      ['/nothing', '*/*'],
      ['/internal/nothing', html],
      ['/docs/nothing', html],
      ['/health/nothing', html],
      ['/assets/nothing.js', html],
      ['/.stamp', '*/*'],
    ] as const) {
      const answer = await get(path, accept);
      assert.equal(answer.status, 404, path);
      assert.deepEqual(
        Object.keys((await answer.json()) as object),
        ['code', 'message', 'details', 'transactionId'],
        path,
      );
    }
  });
});
