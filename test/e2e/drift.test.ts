import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { look, row, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

suite('drift', () => {
  visit('the matrix shows what differs, filters and sorts it, and leads to the comparison', async (things) => {
    const { page, api, project, environments } = things;
    await aFlag(things, 'alike', { on: { Staging: 50, Production: 50 } });
    await aFlag(things, 'ramping', { on: { Staging: 100, Production: 25 } });
    await aFlag(things, 'stopped', { on: { Staging: 40, Production: 40 } });
    await aFlag(things, 'waiting', { on: { Staging: 10 } });
    await api('PUT', `/splits/ws/${project.id}/stopped/environments/${environments.Production?.id}/kill`);
    await page.goto('/p/Checkout/flags');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Drift', exact: true }).click();
    await heading(page, 'Drift').waitFor();
    await page.getByText('3 of 4 flags differ').waitFor();
    const names = () => page.getByRole('rowheader').allInnerTexts();
    assert.deepEqual(await names(), ['stopped', 'waiting', 'ramping']);
    await row(page, 'stopped').getByText('Killed in Production').waitFor();
    await row(page, 'waiting').getByText('Not in Production').waitFor();
    await row(page, 'ramping').getByLabel('Staging: at least 75% of keys get another treatment').waitFor();
    await page.getByLabel('Select waiting', { exact: true }).check();
    await page.getByLabel('Select ramping', { exact: true }).check();
    await look(page, 'drift');
    // Both are promoted together.
    await press(page, 'Promote to Production…');
    await page.getByRole('dialog', { name: 'Promote 2 flags to Production' }).waitFor();
    await press(page, 'Create changeset');
    await heading(page, 'Promote 2 flags from Staging to Production').waitFor();
    await page.getByText('Applied together or not at all').waitFor();
    await page.getByText('75% of the user keys that reach this step move from off to on.').waitFor();
    await page.goBack();
    await heading(page, 'Drift').waitFor();
    await press(page, 'Flag');
    await page.getByRole('row').nth(1).getByRole('link', { name: 'ramping' }).waitFor();
    await page.getByRole('tab', { name: 'Share 1' }).click();
    await page.getByText('1 of 4 flags differs').waitFor();
    assert.deepEqual(await names(), ['ramping']);
    await field(page, 'Compare').selectOption('All environments');
    await page.getByRole('tab', { name: 'All' }).click();
    await page.getByText('4 of 4 flags differ').waitFor();
    await field(page, 'Search flags').fill('amp');
    await page.getByText('1 of 1 flag differs').waitFor();
    await row(page, 'ramping').getByRole('link', { name: 'ramping' }).click();
    await page.waitForURL('**/flags/ramping/compare?*');
    await page.getByText('1 difference', { exact: true }).waitFor();
  });

  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    visit.long(
      `with many flags, only the matrix scrolls, ${viewport.width} wide`,
      async (things) => {
        const { page } = things;
        for (let index = 0; index < 51; index += 1) await aFlag(things, `flag_${index}`, { on: { Staging: 40 } });
        await page.goto('/p/Checkout/drift');
        await page.getByText('51 of 51 flags differ').waitFor();
        const edgeOf = async (name: 'columnheader' | 'button', word: string) =>
          await page.getByRole(name, { name: word }).first().boundingBox();
        const cell = await edgeOf('columnheader', 'Staging');
        assert.ok(cell && cell.x + cell.width <= viewport.width, 'the compared environment is in sight');
        const more = await edgeOf('button', 'Show more');
        assert.ok(more);
        const end = more.y + more.height;
        const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
        assert.ok(height - end < 40, `${height} high, although all ends at ${end}`);
        if (viewport.width > 1000) assert.equal(height, viewport.height);
      },
      { viewport },
    );
  }
});
