import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite } from 'node:test';
import type { Page } from 'playwright-core';
import { prefix } from '#contract/parts.ts';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { heading, press } from './people.ts';
import {
  aMember,
  blockStream,
  choose,
  eventually,
  look,
  row,
  saveBar,
  signedInVisitsIn,
  type Things,
} from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

/** The list that a button adds to has the same name. */
const add = (page: Page, list: string, who: string) => choose(page, `Add to ${list}`, list, who);
const only = (page: Page, list: string) =>
  page.getByRole('radiogroup', { name: list }).getByLabel('Only these groups, people and API keys');
const cell = (page: Page, person: string, environment: string) =>
  page.getByRole('button', { name: `${person} in ${environment}: ` });
const reasons = (page: Page) => page.getByRole('tooltip');

async function openAccess(page: Page): Promise<void> {
  await page.goto('/p/Checkout/settings/access');
  await heading(page, 'Access').waitFor();
  await page.getByText(/^Showing/).waitFor();
}

async function save(page: Page): Promise<void> {
  await press(page, 'Save access');
  await page.getByText('Saved access.').first().waitFor();
  await saveBar(page).waitFor({ state: 'detached' });
}

/** Somebody who is invited into the groups, and has not accepted. */
async function invited({ api }: Things, email: string, groups: readonly string[]): Promise<void> {
  await api('POST', '/users', { email, groups: groups.map((id) => ({ id, type: 'group' })) });
}

const lists = ({ api, project }: Things) => api('GET', `/workspaces/${project.id}/access`);
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

suite('access', { concurrency: 2 }, () => {
  visit('a project is read-only unless listed, and whoever is on call can kill in production', async (things) => {
    const { page, api, project, environments, server } = things;
    const team = await api('POST', '/groups', { name: 'Checkout team' });
    const onCall = await api('POST', '/groups', { name: 'On call' });
    await invited(things, 'omar@example.org', [team.id]);
    await invited(things, 'priya@example.org', [onCall.id]);
    await aFlag(things, 'checkout_one_page', { on: { Production: 50, Staging: 50 } });
    const liu = await aMember(things);
    const { data } = await api('GET', '/users?status=ACTIVE');
    await api('PATCH', `/users/${data.at(-1).id}`, [
      { op: 'add', path: '/groups/-', value: { id: onCall.id, type: 'group' } },
    ]);

    await page.goto('/p/Checkout/settings');
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await page.getByText('Showing 4 of 4 people').waitFor();
    await look(page, 'open access');
    const searchAt = "document.querySelector('[type=search]').getBoundingClientRect().left";
    const before = await page.evaluate(searchAt);
    await only(page, 'Can edit').check();
    await page.getByText('3 people can no longer edit or kill and restore in any environment.').waitFor();
    await eventually(page, searchAt, before);
    const mark = (list: string) => page.getByRole('heading', { level: 2, name: list }).getByText('Unsaved');
    await mark('Can edit').waitFor();
    assert.equal(await mark('Can view').count(), 0);
    await add(page, 'Can edit', 'Checkout team');
    await press(page, 'Limit who can edit definitions in Production');
    await page
      .getByRole('row', { name: /^Production/ })
      .getByText('Only administrators')
      .waitFor();
    await add(page, 'Can kill and restore in Production', 'On call');
    await saveBar(page).getByText('3 unsaved changes to access').waitFor();
    await press(page, 'Changes only 3');
    await page.getByText('Showing 3 of 3 people').waitFor();
    await cell(page, 'Liu Wei', 'Production').hover();
    await reasons(page).getByText('Cannot edit, after saving').waitFor();
    await reasons(page).getByText('Only Checkout team can edit Checkout.').waitFor();
    await reasons(page).getByText('Through the group On call.').waitFor();
    await look(page, 'edited access');
    await save(page);

    const saved = await lists(things);
    assert.deepEqual([saved.view.restricted, saved.edit.restricted], [false, true]);
    assert.deepEqual(names(saved.edit.grantees), ['Checkout team']);
    const production = saved.environments.find(({ name }: { name: string }) => name === 'Production');
    assert.deepEqual(
      [production.editors, names(production.killers)],
      [{ restricted: true, grantees: [] }, ['On call']],
    );

    const call = (method: string, path: string, body: unknown) =>
      liu.page.request.fetch(`${server.url}${prefix}/splits/ws/${project.id}/checkout_one_page${path}`, {
        method,
        data: body,
        headers: { origin: server.url },
      });
    const [at, staging] = [environments.Production?.id, environments.Staging?.id];
    const patch = [{ op: 'replace', path: '/defaultTreatment', value: 'on' }];
    assert.equal((await call('PATCH', `/environments/${at}`, patch)).status(), 403);
    assert.equal((await call('PUT', `/environments/${staging}/kill`, {})).status(), 403);
    assert.equal((await call('PUT', `/environments/${at}/kill`, {})).status(), 200);

    await openAccess(liu.page);
    await liu.page.getByText('Only administrators can change access. Ask an administrator: Ana Ruiz.').waitFor();
    assert.ok(await only(liu.page, 'Can edit').isDisabled());
    assert.ok(await only(liu.page, 'Can view').isDisabled());
    assert.ok(await liu.page.getByRole('button', { name: 'Add to Can edit' }).first().isDisabled());
    assert.equal(await liu.page.getByRole('button', { name: /^Remove/ }).count(), 0);
    await cell(liu.page, 'Liu Wei', 'Production').hover();
    await reasons(liu.page).getByText('Can kill and restore', { exact: true }).waitFor();
    await look(liu.page, 'access of a member');
    assert.deepEqual(liu.complaints, []);
    await liu.leave();

    await page.goto('/p/Checkout/environments');
    await row(page, 'Production').getByRole('link', { name: 'Everyone who can edit here and On call' }).waitFor();
    await row(page, 'Staging').getByText('Everyone who can edit the project').waitFor();
    await look(page, 'environments with access');
    await row(page, 'Production').getByRole('link', { name: 'Only administrators' }).click();
    await heading(page, 'Access').waitFor();

    await page.goto(`/admin/users/${data.at(-1).id}`);
    await page.getByText('Read-only, can kill and restore in Production').waitFor();
    await page.getByText('Only Checkout team can edit Checkout.').first().waitFor();
    await page.getByText('Through the group On call.').waitFor();
    const parts = page.getByRole('region', { name: 'Access' }).getByRole('heading', { level: 3 });
    assert.deepEqual(await parts.allTextContents(), ['Project ', 'Staging ', 'Development ', 'Production Prod']);
    await look(page, "a person's access");
  });

  visit('a project is open to everybody, or only to the groups and people listed', async (things) => {
    const { page, api } = things;
    const { id } = await api('POST', '/groups', { name: 'Checkout team' });
    const liu = await aMember(things);
    await liu.page.goto('/p/Checkout/flags');
    await heading(liu.page, 'Flags').waitFor();

    await openAccess(page);
    await only(page, 'Can view').check();
    await saveBar(page).getByText('Liu Wei can no longer view the project.').waitFor();
    await cell(page, 'Ana Ruiz', 'Staging').hover();
    await reasons(page).getByText('Administrators have every right.').first().waitFor();
    await add(page, 'Can view', 'Checkout team');
    await save(page);
    assert.deepEqual(names((await lists(things)).view.grantees), ['Administrators', 'Checkout team']);
    assert.equal(await page.getByRole('button', { name: 'Remove Administrators' }).count(), 0);
    await page.getByText('No access').first().waitFor();
    await liu.page.goto('/p/Checkout/flags');
    await heading(liu.page, 'No such project').waitFor();

    const { data } = await api('GET', '/users');
    await api('PATCH', `/users/${data[1].id}`, [{ op: 'add', path: '/groups/-', value: { id, type: 'group' } }]);
    await liu.page.goto('/p/Checkout/flags');
    await heading(liu.page, 'Flags').waitFor();

    await press(page, 'Remove Checkout team');
    await page.getByRole('radiogroup', { name: 'Can view' }).getByLabel('Everyone with an account').check();
    await press(page, 'Discard');
    await page.getByRole('button', { name: 'Remove Checkout team' }).waitFor();
    assert.deepEqual(liu.complaints, []);
    await liu.leave();
  });

  visit.long('activity names who was added to and removed from each list', async (things) => {
    const { page, api, project, environments } = things;
    const [team, onCall] = [
      await api('POST', '/groups', { name: 'Checkout team' }),
      await api('POST', '/groups', { name: 'On call' }),
    ];
    const grantee = ({ id }: { id: string }) => ({ id, type: 'group' });
    const set = (body: unknown) => api('PUT', `/workspaces/${project.id}/access`, body);
    const at = environments.Production?.id;
    await set({ edit: { restricted: true, grantees: [grantee(team)] } });
    await set({ edit: { grantees: [grantee(onCall)] }, ownersEdit: true });
    await set({ environments: [{ id: at, editors: { restricted: true, grantees: [grantee(team)] } }] });
    await set({ environments: [{ id: at, killers: [grantee(team), grantee(onCall)] }] });
    await page.goto('/p/Checkout/activity');
    const entry = (text: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: text }).last();
    await entry('changed access to the project Checkout')
      .getByText('Can edit: everyone who can view → only Checkout team')
      .waitFor();
    await page.getByText('Can edit: added On call; removed Checkout team').waitFor();
    await page.getByText('Owners can edit their flags: no → yes').waitFor();
    await entry('changed access to the environment Production')
      .getByText('Can edit definitions: everyone who can edit the project → only Checkout team')
      .waitFor();
    await page.getByText('Can kill and restore besides editors: added Checkout team and On call').waitFor();
    assert.equal(await page.getByText('nobody').count(), 0);
    await look(page, 'activity of access');
  });

  visit.long('deleting a group, an invitation or a key says which lists it is on, and who is left', async (things) => {
    const { page, api, project, environments } = things;
    const team = await api('POST', '/groups', { name: 'Checkout team' });
    const administrators = (await api('GET', '/groups')).objects[0];
    const guest = await api('POST', '/users', { email: 'omar@example.org' });
    const key = await api('POST', '/apiKeys', {
      name: 'Deploy',
      apiKeyType: 'admin',
      roles: ['API_FEATURE_FLAG_EDITOR'],
    });
    const [aTeam, aGuest, aKey] = [
      { id: team.id, type: 'group' },
      { id: guest.id, type: 'user' },
      { id: key.id, type: 'api_key' },
    ];
    await api('PUT', `/workspaces/${project.id}/access`, {
      view: { restricted: true, grantees: [{ id: administrators.id, type: 'group' }, aTeam] },
      edit: { restricted: true, grantees: [aTeam, aGuest] },
      environments: [{ id: environments.Production?.id, killers: [aGuest, aKey] }],
    });
    await page.goto(`/admin/groups/${team.id}`);
    const card = page.getByRole('region', { name: 'Access' });
    await card.getByText('Can view Checkout').waitFor();
    await card.getByText('Can edit Checkout').waitFor();
    await look(page, 'access of a group');
    await press(page, 'Delete group');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Removed from 2 access lists').waitFor();
    await dialog.getByText('Nobody else is listed: then only administrators can see this project.').waitFor();
    assert.equal(await dialog.getByText('can edit this project').count(), 0, 'omar is left');
    await look(page, 'deleting a listed group');
    await dialog.getByRole('button', { name: 'Delete group' }).click();
    await page.getByText('Deleted Checkout team.').waitFor();

    await page.goto(`/admin/users/${guest.id}`);
    await press(page, 'Withdraw');
    await dialog.getByText('Nobody else is listed: then only administrators can edit this project.').waitFor();
    await dialog.getByText('Can kill and restore in Production of Checkout').waitFor();
    await dialog.getByRole('button', { name: 'Withdraw invitation' }).click();
    await page.getByText('Withdrew the invitation for omar@example.org.').waitFor();

    await page.goto('/admin/api-keys');
    await page.getByRole('button', { name: 'Revoke Deploy' }).click();
    await dialog.getByText('Can kill and restore in Production of Checkout').waitFor();
    await dialog.getByText('then only those who can edit there can kill and restore').waitFor();
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('Revoked Deploy.').waitFor();

    await page.goto('/p/Checkout/activity');
    await page.getByText('Can view: removed Checkout team').waitFor();
    await page.getByText('Can kill and restore besides editors: removed API key Deploy').waitFor();
  });

  visit.long('changes by someone else are loaded, and own edits are kept', async (things) => {
    const { page, api, project, environments } = things;
    const team = await api('POST', '/groups', { name: 'Checkout team' });
    await api('POST', '/groups', { name: 'On call' });
    // So that saving meets the other change.
    await blockStream(page);
    await openAccess(page);
    await add(page, 'Can kill and restore in Production', 'On call');
    const theirs = { restricted: true, grantees: [{ id: team.id, type: 'group' }] };
    await api('PUT', `/workspaces/${project.id}/access`, {
      edit: theirs,
      environments: [{ id: environments.Production?.id, editors: theirs }],
    });
    await press(page, 'Save access');
    await page.getByRole('alert').getByText('Someone else changed access meanwhile.').waitFor();
    await look(page, 'access changed meanwhile');
    assert.deepEqual(
      (await lists(things)).environments.flatMap(({ killers }: { killers: [] }) => killers),
      [],
    );
    await press(page, 'Load their changes');
    await page.getByRole('button', { name: 'Remove Checkout team' }).first().waitFor();
    await page.getByRole('button', { name: 'Remove On call' }).waitFor();
    await saveBar(page).getByText('1 unsaved change to access').waitFor();
    await save(page);
    const saved = await lists(things);
    const production = saved.environments.find(({ name }: { name: string }) => name === 'Production');
    assert.deepEqual(names(saved.edit.grantees), ['Checkout team']);
    assert.deepEqual([names(production.editors.grantees), names(production.killers)], [['Checkout team'], ['On call']]);
  });

  visit.long('the matrix is read by keyboard, and a draft survives going to another page', async (things) => {
    const { page } = things;
    await invited(things, 'omar@example.org', []);
    await openAccess(page);
    await page.getByLabel('Owners of a flag can edit it in every environment').focus();
    await page.keyboard.press('Space');
    await saveBar(page).getByText('Owners can then edit their flags in every environment.').waitFor();
    await page.getByRole('link', { name: 'Environments' }).click();
    await heading(page, 'Environments').waitFor();
    await page.goBack();
    await saveBar(page).waitFor();
    assert.ok(await page.getByLabel('Owners of a flag can edit it in every environment').isChecked());

    await cell(page, 'Ana Ruiz', 'Staging').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await reasons(page).getByText('omar in Development').waitFor();
    await page.keyboard.press('Escape');
    await reasons(page).waitFor({ state: 'detached' });
    await eventually(page, "document.activeElement.getAttribute('aria-label').split(':')[0]", 'omar in Development');

    const search = page.getByRole('searchbox', { name: 'Search people' });
    await search.fill('nobody');
    await page.getByText('Nobody matches.').waitFor();
    await search.fill('OMAR@');
    await page.getByText('Showing 1 of 1 person').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved access.').first().waitFor();
    assert.equal((await lists(things)).ownersEdit, true);

    const downloading = page.waitForEvent('download');
    await press(page, 'Download as CSV');
    const file = await downloading;
    assert.equal(file.suggestedFilename(), 'access-Checkout.csv');
    const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
    assert.equal(lines.length, 1 + 2 * 3 + 1);
    assert.ok(lines[1]?.startsWith('"Ana Ruiz","ana@example.org","Administrators","Staging","yes",'));
  });

  visit.long(
    'on a phone, tapping a cell shows the reason, and tapping elsewhere closes it',
    async ({ page }) => {
      await openAccess(page);
      await cell(page, 'Ana Ruiz', 'Production').tap();
      await reasons(page).getByText('Ana Ruiz in Production').waitFor();
      await eventually(
        page,
        "document.querySelector('[role=tooltip]').getBoundingClientRect().right <= innerWidth",
        true,
      );
      await heading(page, 'Access').tap();
      await reasons(page).waitFor({ state: 'detached' });
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
});
