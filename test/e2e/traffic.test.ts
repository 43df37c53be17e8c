/** What SDKs evaluated, on the page of a flag and in the list. */
import assert from 'node:assert/strict';
import { aFlag } from '../../src/demo/team.ts';
import { until } from '../support/until.ts';
import { startBrowser } from './browser.ts';
import { press } from './people.ts';
import { look, openFlag, signedInVisitsIn, type Things } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

/** Sends what an application evaluated in Production. */
async function reporting({ api, server, project, environments }: Things) {
  const { key } = await api('POST', '/apiKeys', {
    name: 'shop',
    apiKeyType: 'server_side',
    roles: [],
    workspace: { id: project.id, type: 'workspace' },
    environments: [{ id: environments.Production?.id, type: 'environment' }],
  });
  return async (flag: string, impressions: readonly object[]) => {
    const reply = await fetch(`${server.url}/api/testImpressions/bulk`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        splitsdkversion: 'nodejs-11.11.2',
        splitsdkmachinename: 'shop-7',
      },
      body: JSON.stringify([{ f: flag, i: impressions }]),
    });
    assert.equal(reply.status, 200);
  };
}

visit('a flag shows what was really served, beside the definition, and the last impressions', async (things) => {
  const { page, api, project, environments } = things;
  await aFlag(things, 'seen', { on: { Production: 50 } });
  await openFlag(page, 'seen', 'Production');
  const card = page.getByRole('region', { name: 'Evaluations in Production' });
  await card.getByText('No SDK is connected to Production').waitFor();
  await card.getByRole('link', { name: 'Connect an application' }).waitFor();

  const report = await reporting(things);
  const served = (treatment: string, length: number) =>
    Array.from({ length }, (_, at) => ({ k: `${treatment}-${at}`, t: treatment, m: Date.now(), r: 'default rule' }));
  await press(page, 'Recent impressions');
  const live = card.getByRole('region', { name: 'Recent impressions' });
  await live.getByText('No impressions yet.').waitFor();
  await report('seen', [...served('on', 30), ...served('off', 70)]);
  await live.getByRole('cell', { name: 'nodejs 11.11.2 on shop-7' }).first().waitFor();
  await live.getByLabel('Key').fill('on-2');
  await live.getByLabel('Treatment').selectOption('on');
  await live.getByRole('status').getByText('of 100 impressions').waitFor({ state: 'attached' });
  await live.getByLabel('Rule').selectOption('Everyone else');
  assert.equal(await live.getByRole('row', { name: /on-2/ }).count(), (await live.getByRole('row').count()) - 1);
  await live.getByRole('button', { name: 'Pause' }).click();

  // Counts are written every five seconds.
  const path = `/splits/ws/${project.id}/seen/environments/${environments.Production?.id}`;
  await until('all are counted', async () => (await api('GET', `${path}/traffic`)).evaluations === 100);
  await page.reload();
  await card.getByText('Last evaluated just now').waitFor();
  const all = card.getByRole('row', { name: /^All evaluations/ });
  await all.getByText('on 30%').waitFor();
  // The flag was defined within this hour.
  await card
    .getByText(/^The definition changed in this period\. Evaluations from \d\d:00 on will be compared/)
    .waitFor();
  assert.equal(await card.getByText('Differs from the definition').count(), 0);
  await card.getByRole('row', { name: /^Everyone else/ }).waitFor();
  await card.getByText('Evaluated by nodejs 11.11.2 on shop-7.').waitFor();
  const timeline = page.getByRole('region', { name: 'Rollout in Production' });
  await timeline.getByRole('button', { name: '24 h' }).click();
  const plot = timeline.getByRole('slider', { name: 'Evaluations per hour' });
  await plot.focus();
  await page.keyboard.press('Home');
  assert.match((await plot.getAttribute('aria-valuetext')) ?? '', /: 0 evaluations$/);
  await page.keyboard.press('End');
  const words = (await plot.getAttribute('aria-valuetext')) ?? '';
  assert.match(words, /: 100 evaluations, on 30%, off 70%\. Defined by /);
  await timeline.getByText(words).waitFor();
  await press(page, 'Recent impressions');
  await live.getByRole('button', { name: 'Pause' }).waitFor();
  await look(page, 'evaluations of a flag');
  await timeline.getByRole('button', { name: 'Table' }).click();
  await timeline.getByRole('row', { name: /100 30 \(30%\) 70 \(70%\)/ }).waitFor();
  await look(page, 'evaluations as a table');
});

visit('the list shows evaluations once SDKs report, and sorts and filters by them', async (things) => {
  const { page, api, project } = things;
  await aFlag(things, 'busy', { on: { Production: 50 } });
  await aFlag(things, 'forgotten', { on: { Production: 50 } });
  await page.goto('/p/Checkout/flags');
  await page.getByText('2 flags', { exact: true }).waitFor();
  const head = page.getByRole('columnheader', { name: 'Evaluations' });
  assert.equal(await head.count(), 0);
  const report = await reporting(things);
  await report(
    'busy',
    Array.from({ length: 1_200 }, (_, at) => ({ k: `key-${at}`, t: 'on', m: Date.now(), r: 'default rule' })),
  );
  await until('it is counted', async () => (await api('GET', `/traffic/ws/${project.id}`)).traffic.length === 1);
  const asked: URL[] = [];
  page.on('request', (request) => {
    // The page before may have asked for the same.
    if (request.isNavigationRequest()) asked.length = 0;
    else if (request.url().includes('/traffic/ws/')) asked.push(new URL(request.url()));
  });
  await page.reload();
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  await row('busy').getByRole('img', { name: 'Evaluations in 24 hours: Production 1,200' }).waitFor();
  await row('forgotten').getByRole('img', { name: 'Never evaluated' }).waitFor();
  // All rows in one request, which comes again when something changes.
  assert.deepEqual([...new Set(asked.map((url) => url.searchParams.getAll('flagId').length))], [2]);
  await look(page, 'evaluations in the list');
  await head.getByRole('button').click();
  await page.waitForURL(/sort=-traffic/);
  const shown = () => page.locator('a[data-flag]').allInnerTexts();
  await until('the busy one is first', async () => (await shown()).join() === 'busy,forgotten');
  await head.getByRole('button').click();
  await until('the forgotten one is first', async () => (await shown()).join() === 'forgotten,busy');
  await press(page, 'Filter');
  await page.getByRole('option', { name: 'Evaluations' }).click();
  await page.getByRole('option', { name: /^Never in Production/ }).click();
  await page.getByText('1 flag matches').waitFor();
  assert.deepEqual(await shown(), ['forgotten']);
  await page.goto('/p/Checkout/flags?traffic=quiet-30d');
  await page.getByText('No flags match').waitFor();
  await page.getByRole('link', { name: 'connect an SDK' }).waitFor();
});
