import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { heading, press } from './people.ts';
import { blockStream, eventually, look, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

const row = (page: Page, flag: string) => page.getByRole('row', { name: flag });

visit(
  'flags that look finished can be archived, unarchived and kept, and are deleted only after a confirmation',
  async (things) => {
    const { page, api, project } = things;
    for (const name of ['lost_segment', 'old_segment', 'third_segment']) {
      await aFlag(things, name, { on: { Production: 50 } });
      const definition = `/splits/ws/${project.id}/${name}/environments/${things.environments.Production?.id}`;
      await api('PATCH', definition, [{ op: 'add', path: '/treatments/0/segments', value: ['gone'] }]);
    }
    const references = [{ flag: 'lost_segment', path: 'src/cart.ts', line: 12, excerpt: "isOn('lost_segment')" }];
    const urlPattern = 'https://code.example/{path}#L{line}';
    await api('PUT', `/code-references/ws/${project.id}`, {
      repository: 'acme/shop',
      branch: 'main',
      urlPattern,
      references,
    });
    await blockStream(page);
    await page.goto('/p/Checkout/flags');
    await page.getByRole('link', { name: 'Cleanup' }).click();
    await heading(page, 'Cleanup').waitFor();
    await row(page, 'old_segment').getByText('Several treatments').waitFor();
    await row(page, 'lost_segment').getByText('Names the segment gone, which does not exist').waitFor();
    await row(page, 'lost_segment').getByText('Code names it once').waitFor();
    await look(page, 'cleanup');
    await page.setViewportSize({ width: 390, height: 800 });
    await eventually(page, 'document.documentElement.scrollWidth', 390);
    await look(page, 'cleanup at 390');
    await page.setViewportSize({ width: 1440, height: 900 });

    await press(page, 'More for old_segment');
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await row(page, 'old_segment').waitFor({ state: 'detached' });
    await eventually(page, 'document.activeElement.tagName', 'H1');
    await press(page, 'Undo');
    await row(page, 'old_segment').waitFor();

    await page.getByRole('checkbox', { name: 'Select old_segment' }).check();
    await page.getByRole('checkbox', { name: 'Select third_segment' }).check();
    await page.getByRole('region', { name: 'Selected flags' }).getByRole('button', { name: 'Keep' }).click();
    await look(page, 'keeping flags');
    await page.getByRole('dialog').getByRole('button', { name: 'Keep', exact: true }).click();
    await row(page, 'old_segment').waitFor({ state: 'detached' });
    await press(page, 'Show 2 kept flags');
    await row(page, 'old_segment')
      .getByText(/Kept by ana@example.org until/)
      .waitFor();

    await press(page, 'More for lost_segment');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('Code still names this flag.').waitFor();
    await look(page, 'deleting a flag that code names');
    await press(page, 'Cancel');

    await press(page, 'Limits: 30 and 90 days');
    await page.getByLabel('Age in days').fill('0');
    await press(page, 'Save limits');
    await page.getByText('Enter 1 to 3650 days.').waitFor();
    await page.getByLabel('Age in days').fill('400');
    await press(page, 'Save limits');
    await page.getByRole('button', { name: 'Limits: 30 and 400 days' }).waitFor();

    await page.goto('/p/Checkout/flags/lost_segment/details');
    const place = page.getByRole('link', { name: 'src/cart.ts:12' });
    assert.equal(await place.getAttribute('href'), 'https://code.example/src/cart.ts#L12');
    await look(page, 'code references');
  },
);
