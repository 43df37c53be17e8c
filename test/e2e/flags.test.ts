import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Page } from 'playwright-core';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { aMember, eventually, look, signedInVisitsIn, type Things } from './support.ts';

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
  visit('every flag says what people get in each environment', async (things) => {
    const { page } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags');
    await page.getByText('3 flags', { exact: true }).waitFor();
    const cells = await row(page, 'checkout_one_page').getByRole('cell').allInnerTexts();
    const words = cells.join(' ').replaceAll(/\s+/g, ' ');
    assert.match(words, /Ramping .*on 50%, off 50% .*on 100% .*on 10%, off 90%/);
    await row(page, 'legacy_invoice').getByText('Killed').waitFor();
    assert.equal(await row(page, 'search_ranker').getByText('Not defined').count(), 2);
    await look(page, 'flags');
  });

  visit('what is searched and filtered stands in the address, and the server answers it', async (things) => {
    const { page } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags');
    await field(page, 'Search names').fill('OUT');
    await page.getByText('1 flag matches').waitFor();
    assert.deepEqual(await shown(page), ['checkout_one_page']);
    assert.equal(new URL(page.url()).search, '?q=OUT');
    await field(page, 'Search names').fill('check ');
    await page.waitForURL('**/flags?q=check');
    assert.equal(await field(page, 'Search names').inputValue(), 'check ');
    await press(page, 'Clear filters');
    await page.getByText('3 flags', { exact: true }).waitFor();
    assert.equal(await field(page, 'Search names').inputValue(), '');

    await press(page, 'Status');
    await page.getByRole('option', { name: 'Ramping' }).click();
    await page.getByText('1 flag matches').waitFor();
    await press(page, 'Clear status');
    await press(page, 'Tag');
    await page.getByRole('option', { name: 'payments' }).click();
    await page.getByText('2 flags match').waitFor();
    await page.getByRole('option', { name: 'search' }).click();
    await page.getByText('3 flags match').waitFor();
    await page.keyboard.press('Backspace');
    await page.getByText('2 flags match').waitFor();
    await look(page, 'filtered flags');

    await page.goto('/p/Checkout/flags?tag=search&tag=q4&status=Ramping&q=check');
    await page.getByText('1 flag matches').waitFor();
    assert.deepEqual(await shown(page), ['checkout_one_page']);
    await page.goto('/p/Checkout/flags?q=nothing');
    await page.getByText('No flags match').waitFor();
    await look(page, 'no flag matches');
  });

  visit('rows are gone through and opened by keyboard', async (things) => {
    const { page } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags');
    await page.getByText('3 flags', { exact: true }).waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    for (const [key, flag] of [
      ['j', 'checkout_one_page'],
      ['j', 'search_ranker'],
      ['j', 'legacy_invoice'],
      ['j', 'legacy_invoice'],
      ['k', 'search_ranker'],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await focused(), flag);
    }
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('jx');
    assert.equal(await field(page, 'Search names').inputValue(), 'jx');
    await field(page, 'Search names').fill('');
    await page.getByText('3 flags', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/flags/checkout_one_page/Staging');
    await page.goBack();
    await row(page, 'checkout_one_page').getByTitle('on 10%, off 90%').click();
    await page.waitForURL('**/flags/checkout_one_page/Production');
  });

  visit('several flags are given a status or a tag, or deleted, at once', async (things) => {
    const { page, api, project } = things;
    await someFlags(things);
    await page.goto('/p/Checkout/flags');
    await page.getByRole('checkbox', { name: 'Select checkout_one_page' }).check();
    await page.getByRole('checkbox', { name: 'Select search_ranker' }).check();
    await press(page, 'Set status');
    await field(page, 'Rollout status').selectOption('100% Released');
    await look(page, 'status of several');
    await page.getByRole('dialog').getByRole('button', { name: 'Set status' }).click();
    await page.getByText('Set the status of 2 flags.').waitFor();
    await row(page, 'search_ranker').getByText('100% Released').waitFor();

    await page.getByRole('checkbox', { name: 'Select search_ranker' }).check();
    await press(page, 'Add tag');
    await page.getByRole('textbox', { name: 'Tag' }).fill('done');
    await page.keyboard.press('Enter');
    await row(page, 'search_ranker').getByText('done').waitFor();

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

  visit('a long list comes in pages, and stays quick', async (things) => {
    const { page, api, project } = things;
    for (let index = 0; index < 120; index += 1) {
      await api('POST', `/splits/ws/${project.id}/trafficTypes/user`, { name: `flag_${index}` });
    }
    await page.goto('/p/Checkout/flags');
    await page.getByText('120 flags').waitFor();
    assert.equal((await shown(page)).length, 50);
    await press(page, 'Show 50 more');
    await page.getByText('100 of 120').waitFor();
    await press(page, 'Show 20 more');
    await eventually(page, "document.querySelectorAll('a[data-flag]').length", 120);
    assert.equal(await page.getByRole('button', { name: /^Show/ }).count(), 0);
  });

  visit('where somebody has a draft, the list says so', async (things) => {
    const { page, environments } = things;
    const flag = await aFlag(things, 'checkout', { on: { Staging: 50 } });
    await page.goto('/me');
    const { id } = await (await page.request.get('/internal/account/session')).json().then(({ user }) => user);
    const key = `draft:${id}:${flag.id}:${environments.Staging?.id}`;
    await page.evaluate(`sessionStorage.setItem(${JSON.stringify(key)}, '{}')`);
    await page.goto('/p/Checkout/flags');
    await row(page, 'checkout').getByText('Unsaved draft').waitFor({ state: 'attached' });
    assert.equal(await page.getByText('Unsaved draft').count(), 1);
  });

  visit('an empty project says how to begin', async ({ page, project, server }) => {
    await page.goto('/p/Checkout/flags');
    await page.getByText('No flags yet').waitFor();
    const line = await page.locator('code').innerText();
    assert.ok(line.includes(`${server.url}/internal/api/v2/splits/ws/${project.id}/trafficTypes/user`), line);
    await look(page, 'no flags yet');
  });

  visit('what fails is said where it failed, and tried again', async (things) => {
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

  visit('somebody who sees the same list learns of what others do', async (things) => {
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

  visit('a name that exists is shown the way to', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout');
    await page.goto('/p/Checkout/flags/new');
    await field(page, 'Name').fill('checkout');
    await page.keyboard.press('Enter');
    await page.getByText('checkout exists.').waitFor();
    await page.getByRole('link', { name: 'Open it' }).click();
    await page.waitForURL('**/flags/checkout/Staging');
  });

  visit('Escape leaves everything as it was, with the focus where it was', async (things) => {
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
    await field(page, 'Rollout status').selectOption('Ramping');
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

  visit('what somebody else changes meanwhile is not lost', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'checkout', { tags: ['old'] });
    const path = `/splits/ws/${project.id}/checkout`;
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

  visit('a project that asks for title and comment gets them', async (things) => {
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

  visit('a project that begins to ask while a dialog is open says so, and shows the fields', async (things) => {
    const { page, api, project } = things;
    await aFlag(things, 'checkout');
    await page.goto('/p/Checkout/flags/checkout/details');
    await press(page, 'Delete flag');
    await api('PATCH', `/workspaces/${project.id}`, [
      { op: 'replace', path: '/requiresTitleAndComments', value: true },
    ]);
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Delete flag' }).click();
    await dialog.getByText('This project requires a title and a comment.').first().waitFor();
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

  visit('who looks at a flag that somebody deletes is told by whom', async (things) => {
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

  visit('what is defined nowhere goes without typing, and Cancel is where the focus is', async (things) => {
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
  });
});
