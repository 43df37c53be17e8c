import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { WaitingMail } from '#domain/accounts.ts';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { ana, enterPassword, field, goToMe, heading, mailedLink, press, setUp, setupLink, signOut } from './people.ts';
import { look, openFlag, signedInVisitsIn, step, visitsIn } from './support.ts';

const browser = await startBrowser();
const visit = visitsIn(browser);
const signedInVisit = signedInVisitsIn(browser);

suite('how pages look', { concurrency: 2 }, () => {
  visit('the theme follows the system until somebody chooses one, and again when they say so', async ({ page }) => {
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.goto('/sign-in');
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.notEqual(await ground(), light);
    const choose = async (theme: string) => {
      await press(page, 'Theme');
      await page.getByRole('menuitemradio', { name: theme }).click();
    };
    await choose('Light');
    assert.equal(await ground(), light);
    await page.reload();
    await heading(page, 'Sign in').waitFor();
    assert.equal(await ground(), light);
    await page.emulateMedia({ colorScheme: 'light' });
    await choose('Dark');
    assert.notEqual(await ground(), light);
    await press(page, 'Theme');
    await page.getByRole('menuitemradio', { name: 'Dark', checked: true }).waitFor();
    await look(page, 'choosing a theme');
    await page.getByRole('menuitemradio', { name: 'As the system' }).click();
    assert.equal(await ground(), light);
    await page.reload();
    await heading(page, 'Sign in').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.notEqual(await ground(), light);
  });

  signedInVisit('contrast themes mark what is current, chosen and selected', async (things) => {
    const { page } = things;
    await aFlag(things, 'contrast', { on: { Staging: 50 } });
    await page.emulateMedia({ forcedColors: 'active' });
    const unmarked = async (chosen: string): Promise<unknown> => {
      await page.locator(chosen).first().waitFor();
      return page.evaluate(
        `[...document.querySelectorAll('${chosen}')].filter((one) => getComputedStyle(one).outlineStyle !== 'solid')
          .map((one) => one.outerHTML.slice(0, 120))`,
      );
    };
    await openFlag(page, 'contrast', 'Staging');
    await step(page, 'Everyone else').waitFor();
    assert.deepEqual(await unmarked('[aria-current=page]'), []);
    assert.deepEqual(await unmarked('[aria-pressed=true]'), []);
    assert.notDeepEqual(await unmarked('[aria-pressed=false]'), []);
    await page.goto('/p/Checkout/flags');
    await page.getByRole('checkbox', { name: /contrast/ }).check();
    assert.deepEqual(await unmarked('tr[aria-selected=true]'), []);
    const notDefined = 'main [class*=none_]';
    await page.locator(notDefined).first().waitFor();
    assert.equal(
      await page.evaluate(`getComputedStyle(document.querySelector('${notDefined}')).borderTopStyle`),
      'dashed',
    );
  });

  signedInVisit('a long flag name keeps its copy button at its last word and the tools beside it', async (things) => {
    const { page } = things;
    const name = 'recommendations_on_the_basket_page_by_the_second_model_for_returning_customers_in_europe';
    await aFlag(things, name, {});
    await page.setViewportSize({ width: 1280, height: 800 });
    await openFlag(page, name, 'Development');
    const place = async (what: ReturnType<typeof page.locator>) => {
      const box = await what.boundingBox();
      assert.ok(box);
      return box;
    };
    const title = await place(heading(page, name));
    const copy = await place(page.getByRole('button', { name: 'Copy flag name' }));
    const menu = await place(page.getByRole('button', { name: `More about ${name}` }));
    assert.ok(title.height > 50, 'the name takes two lines');
    assert.ok(copy.y + copy.height <= title.y + title.height + 4, 'the button is on the last of them');
    assert.ok(menu.x > title.x + title.width && menu.y < title.y + title.height, 'the tools are at the right');
  });

  signedInVisit('collapsed rules take no more room than they need', async (things) => {
    const { page, api, project, environments } = things;
    await aFlag(things, 'many', { on: { Staging: 50 } });
    const rules = Array.from({ length: 24 }, (_, index) => ({
      buckets: [{ treatment: 'on', size: 100 }],
      condition: { combiner: 'AND', matchers: [{ type: 'IN_LIST_STRING', attribute: 'plan', strings: [`p${index}`] }] },
    }));
    const path = `/splits/ws/${project.id}/many/environments/${environments.Staging?.id}`;
    await api('PATCH', path, [{ op: 'replace', path: '/rules', value: rules }]);
    await openFlag(page, 'many', 'Staging');
    await page.getByRole('button', { name: 'Expand rules' }).waitFor();
    const heights = `[...document.querySelectorAll('[data-step^="rule "]')].map((rule) => rule.offsetHeight)`;
    assert.deepEqual(await page.evaluate(heights), Array(24).fill(46));
  });

  visit('pages before there is an administrator can be seen and read by everybody', async ({ page, server }) => {
    await page.goto('/');
    await heading(page, /no administrator/).waitFor();
    await look(page, 'nobody is set up');
    await page.goto(await setupLink(server));
    await press(page, 'Create administrator');
    await page.getByText('Enter your name.').waitFor();
    await look(page, 'set-up with mistakes');
  });

  visit('pages for signing in can be seen and read by everybody', async ({ page, server }) => {
    await setUp(page, server);
    await page.goto(await setupLink(server));
    await heading(page, /already set up/).waitFor();
    await look(page, 'set up already');
    await page.goto('/');
    await signOut(page);
    await enterPassword(page, { ...ana, password: 'wrong' });
    await page.getByText('Email or password is incorrect.').waitFor();
    await look(page, 'sign in, wrong password');
    await page.goto('/nowhere/at/all');
    await heading(page, 'Page not found').waitFor();
    await look(page, 'not found');
  });

  visit('pages that links open can be seen and read by everybody', async ({ page, server }) => {
    await setUp(page, server);
    await server.call('POST', '/users', { as: await server.printedKey(), body: { email: 'liu@example.org' } });
    await page.goto(await mailedLink(server, 'invitation', 'liu@example.org'));
    await field(page, 'Password').fill('short');
    await look(page, 'invitation');
    await page.goto('/invitations/unknown');
    await heading(page, 'This invitation no longer works').waitFor();
    await look(page, 'dead invitation');
    await page.goto('/forgot');
    await field(page, 'Email').fill(ana.email);
    await look(page, 'forgot');
    await press(page, 'Send link');
    await heading(page, 'Check your email').waitFor();
    await look(page, 'forgot, asked');
    await page.goto(await mailedLink(server, 'password-reset', ana.email));
    await field(page, 'New password').fill(ana.password);
    await look(page, 'reset');
    await page.goto('/reset/unknown');
    await heading(page, 'This link no longer works').waitFor();
    await look(page, 'dead reset');
  });

  visit('the page of who is signed in can be seen and read by everybody', async ({ page, server }) => {
    await setUp(page, server);
    await goToMe(page);
    await look(page, 'home');
    await press(page, 'Set up');
    await press(page, 'Change password');
    await field(page, 'New password').fill('password1234');
    await look(page, 'home with open forms');
  });

  visit.long('mails that wait can be seen and read by everybody, whatever became of them', async ({ page, server }) => {
    // Days of failing, without the days.
    await page.route('**/internal/account/outbox', (route) => route.fulfill({ json: waitingMails(Date.now()) }));
    await setUp(page, server);
    await goToMe(page);
    await page.getByText('Waiting · expires in 2 hours').waitFor();
    await page.getByText(/^Tried 3 times: connect ECONNREFUSED .* · expires tomorrow$/).waitFor();
    await page.getByText(/^Given up: 550 .* · expired 2 days ago$/).waitFor();
    await look(page, 'home with mails that wait');
  });
});

function waitingMails(now: number): WaitingMail[] {
  const hour = 3_600_000;
  const mail = {
    kind: 'invitation',
    path: '/invitations/some-token',
    createdAt: now - 24 * hour,
    attempts: 3,
  } as const;
  const refusal = '550 5.1.1 The email account that you tried to reach does not exist';
  return [
    { ...mail, id: '1', email: 'liu@example.org', kind: 'password-reset', attempts: 0, expiresAt: now + 2 * hour },
    {
      ...mail,
      id: '2',
      email: 'a.person.with.quite.a.long.address@subsidiary.example.org',
      expiresAt: now + 30 * hour,
      lastError: 'connect ECONNREFUSED 10.0.0.25:587',
    },
    { ...mail, id: '3', email: 'noor@example.org', expiresAt: now - 49 * hour, lastError: refusal, givenUpAt: now },
  ];
}
