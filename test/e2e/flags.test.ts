import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Page } from 'playwright-core';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { aMember, blockStream, choose, eventually, look, signedInVisitsIn, type Things } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

const row = (page: Page, flag: string) => page.getByRole('row', { name: flag });
const shown = (page: Page) => page.locator('a[data-flag]').allInnerTexts();

async function someFlags(things: Things): Promise<void> {
  const everywhere = { Development: 100, Staging: 50, Production: 10 };
  await aFlag(things, 'checkout_one_page', {
    description: 'Replaces the three-step checkout.',
    tags: ['payments', 'q4'],
    status: 'Ramping',
    on: everywhere,
  });
  await aFlag(things, 'search_ranker', { tags: ['search'], on: { Development: 100 } });
  await aFlag(things, 'legacy_invoice', { tags: ['payments'], on: everywhere, killedIn: 'Production' });
}

suite('the list of flags', { concurrency: 2 }, () => {
  visit('every flag says what people get in each environment, production first', async (things) => {
    const { page } = things;
    await someFlags(things);
    await aFlag(things, 'halved', { on: { Staging: 50, Production: 40 } });
    await things.api(
      'PATCH',
      `/splits/ws/${things.project.id}/halved/environments/${things.environments.Production?.id}`,
      [{ op: 'replace', path: '/trafficAllocation', value: 50 }],
    );
    await page.goto('/p/Checkout/flags');
    await page.getByText('4 flags', { exact: true }).waitFor();
    assert.match(
      (await page.getByRole('columnheader').allInnerTexts()).join(' ').replaceAll(/\s+/g, ' '),
      /Name Tags Status Production Prod Develop\S* Staging Owner Changed/,
    );
    const cells = await row(page, 'checkout_one_page').getByRole('cell').allInnerTexts();
    assert.match(cells.join(' ').replaceAll(/\s+/g, ' '), /payments \+1.* Ramping .*on 10%/);
    const place = (flag: string, words: string) => row(page, flag).getByRole('link', { name: words, exact: true });
    await place('checkout_one_page', 'Staging: on 50%, off 50%').waitFor();
    await place('checkout_one_page', 'Development: on 100%').waitFor();
    await place('legacy_invoice', 'Production: killed, everyone gets off').waitFor();
    await row(page, 'legacy_invoice').getByText('Killed', { exact: true }).waitFor();
    await place('search_ranker', 'Staging: not defined').waitFor();
    // 40% of the half that is let in.
    await place('halved', 'Production: on 20%, off 80%').waitFor();
    await row(page, 'halved').getByText('20%').waitFor();
    // Safari has no roles for parts of a table that are flex boxes.
    assert.equal(await page.locator('table :is(thead, tbody, tr, th, td):not([role])').count(), 0);
    await look(page, 'flags');
    for (const width of [1280, 1024, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await row(page, 'checkout_one_page').getByText('10%').waitFor();
      await eventually(page, 'document.documentElement.scrollWidth', width);
      assert.equal((await row(page, 'checkout_one_page').boundingBox())?.height, width > 760 ? 44 : 102);
      await look(page, `flags at ${width}`);
    }
  });

  visit('search and filters are in the URL and are applied by the server', async (things) => {
    const { page } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags');
    await field(page, 'Search flags').fill('THREE-step');
    await page.getByText('1 flag matches').waitFor();
    assert.deepEqual(await shown(page), ['checkout_one_page']);
    assert.equal(new URL(page.url()).search, '?q=THREE-step');
    await field(page, 'Search flags').fill('check ');
    await page.waitForURL('**/flags?q=check');
    assert.equal(await field(page, 'Search flags').inputValue(), 'check ');
    await press(page, 'Clear filters');
    await page.getByText('3 flags', { exact: true }).waitFor();
    assert.equal(await field(page, 'Search flags').inputValue(), '');

    await press(page, 'Filter');
    await page.getByRole('option', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Ramping 1' }).click();
    await page.getByText('1 flag matches').waitFor();
    await press(page, 'Clear status');
    await press(page, 'Filter');
    await page.getByRole('option', { name: 'Tag' }).click();
    await page.getByRole('option', { name: 'payments 2' }).click();
    await page.getByText('2 flags match').waitFor();
    await page.getByRole('button', { name: 'Tag payments 2' }).click();
    await page.getByRole('option', { name: 'search 1' }).click();
    await page.getByText('3 flags match').waitFor();
    await page.getByRole('button', { name: 'Tag payments 2 or search 1' }).waitFor();
    await page.keyboard.press('Backspace');
    await page.getByText('2 flags match').waitFor();
    await look(page, 'filtered flags');

    await page.goto('/p/Checkout/flags?state=killed:Production&state=different');
    await page.getByText('1 flag matches').waitFor();
    assert.deepEqual(await shown(page), ['legacy_invoice']);
    await page.getByRole('button', { name: 'State Killed in Production 1 or Rules or treatments differ 0' }).waitFor();
    await page.goto('/p/Checkout/flags?tag=search&tag=q4&status=Ramping&q=check&type=user');
    await page.getByText('1 flag matches').waitFor();
    assert.deepEqual(await shown(page), ['checkout_one_page']);
    for (const nothing of ['q=nothing', 'status=Gone', 'type=gone']) {
      await page.goto(`/p/Checkout/flags?${nothing}`);
      await page.getByText('No flags match').waitFor();
    }
    await look(page, 'no flag matches');
  });

  visit.long('the list is sorted by its heads, the last changed first', async (things) => {
    const { page, api, project } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags');
    await page.getByText('3 flags', { exact: true }).waitFor();
    const sorted = async (expected: readonly string[]) =>
      eventually(
        page,
        "[...document.querySelectorAll('a[data-flag]')].map((one) => one.innerText).join()",
        expected.join(),
      );
    await sorted(['legacy_invoice', 'search_ranker', 'checkout_one_page']);
    const head = (name: string) => page.getByRole('columnheader', { name });
    assert.equal(await head('Changed').getAttribute('aria-sort'), 'descending');
    await head('Name').getByRole('button').click();
    await sorted(['checkout_one_page', 'legacy_invoice', 'search_ranker']);
    assert.equal(await head('Name').getAttribute('aria-sort'), 'ascending');
    assert.equal(new URL(page.url()).search, '?sort=name');
    await head('Name').getByRole('button').click();
    await sorted(['search_ranker', 'legacy_invoice', 'checkout_one_page']);
    // Killed counts as nothing, and not defined as less.
    await head('Production').getByRole('button').click();
    await sorted(['checkout_one_page', 'legacy_invoice', 'search_ranker']);
    await head('Changed').getByRole('button').click();
    assert.equal(new URL(page.url()).search, '');
    await api('PATCH', `/splits/ws/${project.id}/checkout_one_page`, [
      { op: 'replace', path: '/description', value: 'New' },
    ]);
    await page.reload();
    await sorted(['checkout_one_page', 'legacy_invoice', 'search_ranker']);
  });

  visit.long('columns are chosen, and stay chosen', async (things) => {
    const { page } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags');
    await press(page, 'Columns');
    const panel = page.getByRole('dialog', { name: 'Columns' });
    await panel.getByRole('checkbox', { name: 'Tags' }).uncheck();
    await panel.getByRole('checkbox', { name: 'Development' }).uncheck();
    await panel.getByRole('checkbox', { name: 'Created' }).check();
    assert.ok(await panel.getByRole('checkbox', { name: /^Production/ }).isDisabled());
    await look(page, 'columns');
    await page.reload();
    await page.getByText('3 flags', { exact: true }).waitFor();
    assert.match(
      (await page.getByRole('columnheader').allInnerTexts()).join(' ').replaceAll(/\s+/g, ' '),
      /Name Status Production Prod Staging Owner Created Changed/,
    );
  });

  visit('rows are gone through and opened by keyboard', async (things) => {
    const { page } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags');
    await page.getByText('3 flags', { exact: true }).waitFor();
    const focused = () => page.evaluate('document.activeElement.innerText');
    for (const [key, flag] of [
      ['j', 'legacy_invoice'],
      ['j', 'search_ranker'],
      ['j', 'checkout_one_page'],
      ['j', 'checkout_one_page'],
      ['k', 'search_ranker'],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await focused(), flag);
    }
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('jx');
    assert.equal(await field(page, 'Search flags').inputValue(), 'jx');
    await field(page, 'Search flags').fill('');
    await page.getByText('3 flags', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/flags/legacy_invoice/Staging');
    await page.goBack();
    await row(page, 'checkout_one_page').getByTitle('Production: on 10%, off 90%').click();
    await page.waitForURL('**/flags/checkout_one_page/Production');
  });

  visit('several flags are given a status or a tag, or deleted, at once', async (things) => {
    const { page, api, project } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags');
    await page.getByRole('checkbox', { name: 'Select checkout_one_page' }).check();
    await page.getByRole('checkbox', { name: 'Select search_ranker' }).check();
    await press(page, 'Set status');
    await page.getByRole('combobox', { name: 'Rollout status' }).selectOption('100% Released');
    await look(page, 'status of several');
    await page.getByRole('dialog').getByRole('button', { name: 'Set status' }).click();
    await page.getByText('Set the status of 2 flags.').waitFor();
    await row(page, 'search_ranker').getByText('100% Released').waitFor();

    await page.getByRole('checkbox', { name: 'Select search_ranker' }).check();
    await press(page, 'Add tag');
    await page.getByRole('textbox', { name: 'Tag' }).fill('done');
    await page.keyboard.press('Enter');
    await row(page, 'search_ranker').getByTitle('search, done').waitFor();
    await page.getByRole('checkbox', { name: 'Select search_ranker' }).check();
    await press(page, 'Select all 3');
    await page.getByText('3 selected').waitFor();
    await press(page, 'Remove tag');
    await page.getByRole('textbox', { name: 'Tag' }).fill('search');
    await page.keyboard.press('Enter');
    await row(page, 'search_ranker').getByTitle('done', { exact: true }).waitFor();

    for (const name of ['checkout_one_page', 'legacy_invoice']) {
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    }
    await press(page, 'Delete');
    const dialog = page.getByRole('alertdialog', { name: 'Delete 2 flags?' });
    await dialog.getByText('legacy_invoice').waitFor();
    await look(page, 'delete several');
    await dialog.getByRole('button', { name: 'Delete 2 flags' }).click();
    await dialog.getByText('Type delete 2 flags', { exact: true }).waitFor();
    await dialog.getByLabel('Type delete 2 flags to confirm').fill('delete 2 flags');
    await dialog.getByRole('button', { name: 'Delete 2 flags' }).click();
    await page.getByText('Deleted 2 flags.').waitFor();
    await page.getByText('1 flag', { exact: true }).waitFor();
    const { totalCount } = await api('GET', `/splits/ws/${project.id}`);
    assert.equal(totalCount, 1);
  });

  visit('all flags of a query are killed or copied at once, and what fails is listed', async (things) => {
    const { page, api, project, environments } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags?tag=payments');
    await page.getByText('2 flags match').waitFor();
    await page.getByRole('checkbox', { name: 'Select all 2 flags' }).check();
    await page.getByText('2 selected').waitFor();
    await press(page, 'Kill in');
    const kill = page.getByRole('alertdialog');
    await kill.getByText('1 of 2 flags can be killed in Production.').waitFor();
    await look(page, 'kill several');
    await kill.getByRole('combobox', { name: 'Environment' }).selectOption('Staging');
    await kill.getByText('2 of 2 flags can be killed in Staging.').waitFor();
    await kill.getByRole('button', { name: 'Kill 2 flags' }).click();
    await page.getByText('Killed 2 flags in Staging.').waitFor();
    const inStaging = (flag: string) => `/splits/ws/${project.id}/${flag}/environments/${environments.Staging?.id}`;
    assert.equal((await api('GET', inStaging('legacy_invoice'))).killed, true);

    await page.getByRole('checkbox', { name: 'Select all 2 flags' }).check();
    await press(page, 'Copy to');
    const copy = page.getByRole('dialog', { name: 'Copy 2 flags to an environment' });
    await copy.getByRole('combobox', { name: 'From' }).selectOption('Development');
    await copy.getByRole('combobox', { name: 'To' }).selectOption('Staging');
    await copy.getByText('Replaces 2 definitions in Staging.').waitFor();
    await look(page, 'copy several');
    // Somebody deletes one of them meanwhile.
    await api('DELETE', `/splits/ws/${project.id}/legacy_invoice`);
    await copy.getByRole('button', { name: 'Copy 2 definitions' }).click();
    const failed = page.getByRole('dialog', { name: '1 flag was not changed' });
    await failed.getByText('legacy_invoice', { exact: true }).waitFor();
    await look(page, 'one failed');
    await failed.getByRole('button', { name: 'Close' }).first().click();
    const { killed, defaultRule } = await api('GET', inStaging('checkout_one_page'));
    assert.deepEqual([killed, defaultRule[0].size], [true, 100]);
  });

  visit.long('a long list is loaded where one looks, and the focus stays', async (things) => {
    const { page, api, project } = things;
    for (let index = 0; index < 160; index += 1) {
      await api('POST', `/splits/ws/${project.id}/trafficTypes/user`, { name: `flag_${index}` });
    }
    await page.goto('/p/Checkout/flags?sort=created');
    await page.getByText('160 flags').waitFor();
    assert.ok((await shown(page)).length < 60);
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '161');
    await page.getByRole('link', { name: 'flag_1', exact: true }).focus();
    // The next page is read before its rows are in sight.
    const next = page.waitForRequest(/[?&]offset=50\b/);
    await page.evaluate('scrollTo(0, 700)');
    await next;
    assert.ok(!(await shown(page)).includes('flag_50'));
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('link', { name: 'flag_159', exact: true }).waitFor();
    assert.equal(await page.evaluate('document.activeElement.innerText'), 'flag_1');
    assert.equal(await row(page, 'flag_159').getAttribute('aria-rowindex'), '161');
    await page.keyboard.press('j');
    assert.equal(await page.evaluate('document.activeElement.innerText'), 'flag_2');
    await page.getByRole('navigation', { name: 'Main' }).getByText('Flags').waitFor();
  });

  visit.long('the list shows which flags have a draft', async (things) => {
    const { page, environments } = things;
    const flag = await aFlag(things, 'checkout', { on: { Staging: 50 } });
    await page.goto('/me');
    const { id } = await (await page.request.get('/internal/account/session')).json().then(({ user }) => user);
    const key = `draft:${id}:${flag.id}:${environments.Staging?.id}`;
    await page.evaluate(`localStorage.setItem(${JSON.stringify(key)}, '{}')`);
    await page.goto('/p/Checkout/flags');
    const words = /You have an unsaved draft here/;
    await row(page, 'checkout').getByTitle(words).waitFor();
    assert.equal(await page.getByTitle(words).count(), 1);
  });

  visit('an empty project says how to begin', async ({ page, project, server }) => {
    await page.goto('/p/Checkout/flags');
    await page.getByText('No flags yet').waitFor();
    const line = await page.locator('code').innerText();
    assert.ok(line.includes(`${server.url}/internal/api/v2/splits/ws/${project.id}/trafficTypes/user`), line);
    await look(page, 'no flags yet');
  });

  visit.long('errors are shown where they happened, with a retry', async (things) => {
    const { page, complaints } = things;
    await someFlags(things);
    const body = { code: 500, message: 'Internal error', details: '', transactionId: 'abc123' };
    await page.route('**/splits/ws/*?expand*', (route) => route.fulfill({ status: 500, json: body }));
    await page.goto('/p/Checkout/flags');
    await page.getByText('Server error.').waitFor();
    await page.getByText('abc123').waitFor();
    await look(page, 'failed');
    await page.unroute('**/splits/ws/*?expand*');
    await press(page, 'Try again');
    await page.getByText('3 flags', { exact: true }).waitFor();
    // The browser itself writes the 500 to the console; it was asked for.
    (complaints as string[]).length = 0;
  });

  visit.long('somebody who sees the same list learns of what others do', async (things) => {
    const { page } = things;
    await someFlags(things);
    const member = await aMember(things);
    await member.page.goto('/p/Checkout/flags?tag=q4');
    await member.page.getByText('1 flag matches').waitFor();
    await page.goto('/p/Checkout/flags/checkout_one_page/details');
    await press(page, 'Remove q4');
    await press(page, 'Save');
    await page.getByText('Saved.', { exact: true }).waitFor();
    await member.page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await member.page.getByText('No flags match').waitFor({ timeout: 40_000 });
    assert.deepEqual(member.complaints, []);
    await member.leave();
  });
});

suite('creating a flag', { concurrency: 2 }, () => {
  visit('a name is enough, and leads to the flag in the first environment', async (things) => {
    const { page, api, project } = things;
    await page.goto('/p/Checkout/flags');
    await heading(page, 'Flags').waitFor();
    await page.keyboard.press('n');
    await page.waitForURL('**/flags/new');
    await eventually(page, 'document.activeElement.name', 'name');
    await page.keyboard.type('3wrong');
    await page.getByText('Start with a letter.').waitFor();
    await press(page, 'Create flag');
    assert.equal(await field(page, 'Name').getAttribute('aria-invalid'), 'true');
    await look(page, 'new flag with a mistake');
    await field(page, 'Name').fill('set');
    await page.getByText('name must not be set: that word is reserved.').waitFor();
    await field(page, 'Name').fill('checkout_one_page');
    await field(page, 'Description').fill('One page.');
    await field(page, 'Traffic type').selectOption('account');
    await page.getByText('More', { exact: true }).click();
    await press(page, 'Add tag');
    await page.getByRole('combobox', { name: 'Tags' }).fill('payments');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await press(page, 'Create flag');
    await page.waitForURL('**/flags/checkout_one_page/Staging');
    const flag = await api('GET', `/splits/ws/${project.id}/checkout_one_page`);
    assert.equal(flag.description, 'One page.');
    assert.equal(flag.trafficType.name, 'account');
    assert.deepEqual(flag.tags, [{ name: 'payments' }]);
  });

  visit.long('a name that exists is shown the way to', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout');
    await page.goto('/p/Checkout/flags/new');
    await field(page, 'Name').fill('checkout');
    await page.keyboard.press('Enter');
    await page.getByText('checkout exists.').waitFor();
    await page.getByRole('link', { name: 'Open it' }).click();
    await page.waitForURL('**/flags/checkout/Staging');
  });

  visit.long('Escape leaves everything as it was, with the focus where it was', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout');
    await page.goto('/p/Checkout/flags?q=check');
    await page.getByText('1 flag matches').waitFor();
    await page.getByRole('link', { name: 'New flag' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New flag' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/p/Checkout/flags?q=check');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'New flag');
  });
});

suite('the details of a flag', { concurrency: 2 }, () => {
  visit('description, tags and status are changed together', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'checkout', { tags: ['old'], on: { Staging: 50 } });
    await page.goto('/p/Checkout/flags/checkout/details');
    await look(page, 'details');
    await page.getByRole('button', { name: 'Save' }).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
    await field(page, 'Description').fill('New words.');
    await press(page, 'Remove old');
    await press(page, 'Add tag');
    await page.getByRole('combobox', { name: 'Tags' }).fill('payments');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Rollout status' }).selectOption('Ramping');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await press(page, 'Save');
    assert.match((await sent).headers()['if-match'] ?? '', /^"/);
    assert.deepEqual(
      (await sent).postDataJSON().map(({ path }: { path: string }) => path),
      ['/description', '/tags', '/rolloutStatus/id'],
    );
    await page.getByText('Saved.', { exact: true }).waitFor();
    const flag = await api('GET', `/splits/ws/${project.id}/checkout`);
    assert.deepEqual(
      [flag.description, flag.tags, flag.rolloutStatus.name],
      ['New words.', [{ name: 'payments' }], 'Ramping'],
    );
  });

  visit('several people and groups own a flag, set in its details or for many flags', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'checkout', { on: { Staging: 50 } });
    await aFlag(things, 'search', { on: { Staging: 50 } });
    await api('POST', '/groups', { name: 'Payments team' });
    const ownersOf = async (flag: string) =>
      (await api('GET', `/splits/ws/${project.id}/${flag}`)).owners.map(({ type }: { type: string }) => type);
    await page.goto('/p/Checkout/flags/checkout/details');
    await choose(page, 'Add owner', 'Owners', 'Ana');
    await choose(page, 'Add owner', 'Owners', 'Payments team');
    await look(page, 'owners');
    await press(page, 'Save');
    await page.getByText('Saved.', { exact: true }).waitFor();
    assert.deepEqual(await ownersOf('checkout'), ['user', 'group']);
    await page.getByText(/^Owners Ana.*, Payments team$/).waitFor();

    await page.goto('/p/Checkout/flags');
    for (const flag of ['checkout', 'search']) await row(page, flag).getByRole('checkbox').check();
    await press(page, 'Set owners');
    await press(page, 'Add owners');
    await page.getByText('Add an owner.').waitFor();
    await choose(page, 'Add owner', 'Owners', 'Payments team');
    await look(page, 'owners of many');
    await press(page, 'Add owners');
    await page.getByText('Set the owners of 2 flags.').waitFor();
    assert.deepEqual([await ownersOf('checkout'), await ownersOf('search')], [['user', 'group'], ['group']]);
  });

  visit.long('changes that someone else makes meanwhile are not lost', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'checkout', { tags: ['old'] });
    const path = `/splits/ws/${project.id}/checkout`;
    // So that saving meets the other change.
    await blockStream(page);
    await page.goto('/p/Checkout/flags/checkout/details');
    await field(page, 'Description').fill('Mine');
    await api('PATCH', path, [
      { op: 'replace', path: '/description', value: 'Theirs' },
      { op: 'add', path: '/tags/-', value: 'new' },
    ]);
    await press(page, 'Save');
    await page.getByText('Someone else changed this flag. Your changes are kept; save again.').waitFor();
    await page.getByText('Someone else changed the description to: Theirs. Saving keeps yours.').waitFor();
    await page.getByRole('button', { name: 'Remove new' }).waitFor();
    await look(page, 'changed elsewhere');
    await press(page, 'Save');
    await page.getByText('Saved.', { exact: true }).waitFor();
    const flag = await api('GET', path);
    assert.deepEqual([flag.description, flag.tags], ['Mine', [{ name: 'old' }, { name: 'new' }]]);
  });

  visit.long('a project that asks for title and comment gets them', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'checkout');
    await api('PATCH', `/workspaces/${project.id}`, [
      { op: 'replace', path: '/requiresTitleAndComments', value: true },
    ]);
    await page.goto('/p/Checkout/flags/checkout/details');
    await field(page, 'Description').fill('New words.');
    await press(page, 'Save');
    await page.getByText('This project requires a title.').waitFor();
    await field(page, 'Title').fill('Say it better');
    await field(page, 'Comment').fill('Asked for by support');
    await press(page, 'Save');
    await page.getByText('Saved.', { exact: true }).waitFor();
    const { data } = await api('GET', '/auditLogs?objectType=flag&limit=1');
    assert.deepEqual([data[0].title, data[0].comment], ['Say it better', 'Asked for by support']);
  });

  visit.long('a project that begins to ask while a dialog is open says so, and shows the fields', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'checkout');
    await page.goto('/p/Checkout/flags/checkout/details');
    await press(page, 'Delete flag');
    await api('PATCH', `/workspaces/${project.id}`, [
      { op: 'replace', path: '/requiresTitleAndComments', value: true },
    ]);
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Delete flag' }).click();
    // The server says so, or the page itself if it has asked for the project meanwhile.
    await dialog
      .getByText(/^This project requires/)
      .first()
      .waitFor();
    await dialog.getByLabel('Comment').fill('Nobody uses it');
    await dialog.getByRole('button', { name: 'Delete flag' }).click();
    await page.getByText('Deleted checkout.').waitFor();
  });

  visit('deleting names what will go, and wants the name typed where it is in production', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'checkout', { on: { Staging: 50, Production: 10 } });
    await page.goto('/p/Checkout/flags/checkout/details');
    await press(page, 'Delete flag');
    const dialog = page.getByRole('alertdialog', { name: 'Delete checkout?' });
    assert.match((await dialog.innerText()).replaceAll(/\s+/g, ' '), /checkout Staging Production Prod/);
    await look(page, 'delete a flag');
    await dialog.getByRole('button', { name: 'Delete flag' }).click();
    await dialog.getByText('Type checkout', { exact: true }).waitFor();
    await dialog.getByLabel('Type checkout to confirm').fill('checkout');
    await page.keyboard.press('Enter');
    await page.getByText('Deleted checkout.').waitFor();
    await page.getByText('No flags yet').waitFor();
    assert.equal((await api('GET', `/splits/ws/${project.id}`)).totalCount, 0);
  });

  visit.long('the page of a flag that someone deletes says who did it', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'checkout');
    await page.goto('/p/Checkout/flags/checkout/details');
    await heading(page, 'checkout').waitFor();
    await api('DELETE', `/splits/ws/${project.id}/checkout`);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await page.getByText('This flag was deleted').waitFor();
    await page.getByText('By First admin key, just now.').waitFor();
    await look(page, 'deleted meanwhile');
  });

  visit.long(
    'a flag that is defined nowhere is deleted without typing its name, and the focus is on Cancel',
    async (things) => {
      const { page } = things;
      await aFlag(things, 'checkout');
      await page.goto('/p/Checkout/flags/checkout/details');
      await press(page, 'Delete flag');
      await page.getByText('Defined nowhere').waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Cancel');
      await page.keyboard.press('Enter');
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Delete flag');
      await page.keyboard.press('Enter');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete flag' }).click();
      await page.getByText('No flags yet').waitFor();
    },
  );
});
