/** The pages to review before a release: brings the page into the state of each picture. */
import type { Page } from 'playwright-core';
import { onePage } from '../../src/demo/one-page.ts';
import { field, heading, press } from '../../test/e2e/people.ts';
import { choose, openFlag, step } from '../../test/e2e/support.ts';

export interface Picture {
  readonly number: number;
  readonly name: string;
  readonly themes: readonly ('light' | 'dark')[];
  readonly isOnPhone?: boolean;
  /** `fresh`: of a server that was just started, without signing in. */
  readonly server?: 'fresh' | 'started';
  /** Brings the page to where the picture is taken. */
  show(page: Page): Promise<void>;
}

const both = ['light', 'dark'] as const;

export const pictures: readonly Picture[] = [
  { number: 1, name: 'flag-draft', themes: ['light'], show: draftInStaging },
  { number: 2, name: 'flag-draft', themes: ['dark'], show: draftInStaging },
  { number: 3, name: 'review', themes: both, show: reviewInProduction },
  {
    number: 4,
    name: 'flag-killed',
    themes: both,
    show: (page) => openFlag(page, 'inventory_reservation_on_basket', 'Production'),
  },
  { number: 5, name: 'flag-not-defined', themes: both, show: (page) => openFlag(page, onePage, 'Partner sandbox') },
  { number: 6, name: 'flags', themes: both, show: flagsWithDrafts },
  {
    number: 7,
    name: 'compare',
    themes: both,
    show: async (page) => {
      await page.goto(`/p/Checkout/flags/${onePage}/compare?a=Staging&b=Production`);
      await page.getByText(/\d differences/).waitFor();
    },
  },
  {
    number: 8,
    name: 'activity',
    themes: both,
    show: async (page) => {
      await page.goto('/p/Checkout/activity');
      await page.getByText('All stores in the north').waitFor();
    },
  },
  { number: 9, name: 'key-created', themes: both, show: createKey },
  { number: 10, name: 'users', themes: both, show: users },
  { number: 10, name: 'users-invited', themes: both, show: inviteTwo },
  { number: 11, name: 'getting-started', themes: both, server: 'started', show: gettingStarted },
  { number: 11, name: 'setup', themes: both, server: 'fresh', show: (page) => heading(page, /./).waitFor() },
  { number: 12, name: 'phone-flag-draft', themes: both, isOnPhone: true, show: draftInStaging },
  { number: 13, name: 'access', themes: both, show: draftOfAccess },
  {
    number: 13,
    name: 'access-picker',
    themes: ['light'],
    show: async (page) => {
      await draftOfAccess(page);
      await press(page, 'Add to Can edit');
      await page.getByRole('option', { name: 'Sofia Lindqvist' }).waitFor();
    },
  },
];

async function draftInStaging(page: Page): Promise<void> {
  await openFlag(page, onePage, 'Staging');
  await step(page, 'Everyone else').getByRole('button', { name: '80', exact: true }).click();
  await page.getByText('1 unsaved change in Staging').waitFor();
  await tryKeyThatMoves(page);
}

/** Which keys move depends on the flag's seed, which differs each time. */
async function tryKeyThatMoves(page: Page): Promise<void> {
  const panel = page.getByRole('region', { name: 'Who sees what' });
  for (let number = 4712; (await panel.getByText('after saving').count()) === 0; number += 1) {
    await panel.getByLabel('user key').fill(`user-${number}`);
    await panel.getByText(/^Everyone else, bucket/).waitFor();
  }
  await panel.getByLabel('user key').blur();
}

/** Individual targets, a new rule, and a ramp. */
async function reviewInProduction(page: Page): Promise<void> {
  await page.goto(`/p/Checkout/flags/${onePage}/Production/json`);
  const area = page.getByRole('textbox', { name: 'Definition in Production as JSON' });
  const definition = JSON.parse(await area.inputValue());
  definition.treatments[0].keys.push('liu.wei', 'noor.haddad');
  definition.rules.push({
    buckets: [{ treatment: 'on', size: 100 }],
    condition: { combiner: 'AND', matchers: [{ type: 'IN_LIST_STRING', attribute: 'country', strings: ['SE', 'PL'] }] },
  });
  definition.defaultRule = [
    { treatment: 'on', size: 25 },
    { treatment: 'off', size: 75 },
  ];
  await area.fill(JSON.stringify(definition, null, 2));
  await page.getByRole('link', { name: 'Review and save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save 3 changes to Production?' });
  await dialog.getByLabel('Title').fill('Ramp, a quarter');
  await dialog
    .getByLabel('Comment')
    .fill('A week at ten per cent, and nothing to see. Sweden and Poland get all of it.');
}

async function flagsWithDrafts(page: Page): Promise<void> {
  for (const [flag, environment] of [
    ['carrier_pickup_points', 'Staging'],
    ['currency_switcher', 'Production'],
  ] as const) {
    await openFlag(page, flag, environment);
    await step(page, 'Everyone else').getByRole('button', { name: '25', exact: true }).click();
    await page.getByText(`1 unsaved change in ${environment}`).waitFor();
  }
  await page.goto('/p/Checkout/flags');
  await page.getByRole('row').nth(20).waitFor();
}

async function createKey(page: Page): Promise<void> {
  await page.goto('/admin/api-keys?new');
  await field(page, 'Name').fill('ci-deploy');
  await page.getByLabel('Flag editor').check();
  await press(page, 'Create key');
  await page.getByRole('alertdialog', { name: 'Key for ci-deploy' }).waitFor();
}

async function users(page: Page): Promise<void> {
  await page.goto('/admin/users');
  await page.getByText('Jonas Weber').waitFor();
}

async function inviteTwo(page: Page): Promise<void> {
  await users(page);
  await press(page, 'Invite');
  await field(page, 'Email addresses').fill('hanna@example.org, bruno@example.org');
  await page.getByRole('button', { name: 'Invite 2 people' }).click();
  await page.getByRole('heading', { name: 'Invited 2 people' }).waitFor();
}

/** Read-only unless listed, with the release group on call for production. Nothing is saved. */
async function draftOfAccess(page: Page): Promise<void> {
  await page.goto('/p/Checkout/settings/access');
  await page.getByRole('radiogroup', { name: 'Can edit' }).getByLabel('Only these groups, people and API keys').check();
  await choose(page, 'Add to Can edit', 'Can edit', 'Checkout');
  await choose(page, 'Add to Can kill and restore in Production', 'Can kill and restore in Production', 'Release');
  await page.getByText(/unsaved changes to access/).waitFor();
}

async function gettingStarted(page: Page): Promise<void> {
  await page.goto('/welcome');
  await page.getByText(/^Done: .* is defined in/).waitFor();
}
