/** Flag sets and attributes: their pages in the project settings, and flag sets of definitions. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { field, heading, press } from './people.ts';
import { aMember, definitionIn, look, openFlag, row, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

suite('flag sets and attributes', { concurrency: 2 }, () => {
  visit('flag sets are made, chosen for definitions, named everywhere, and deleted', async (things) => {
    const { page } = things;
    await aFlag(things, 'basket', { on: { Staging: 10, Production: 10 } });
    await page.goto('/p/Checkout/settings');
    await page.getByRole('navigation', { name: 'Project settings' }).getByRole('link', { name: 'Flag sets' }).click();
    await page.getByText('No flag sets yet').waitFor();
    await press(page, 'New flag set');
    await field(page, 'Name').fill('Mobile App');
    await press(page, 'Create flag set');
    await page.getByText('Only lower-case letters, digits and _.').waitFor();
    await field(page, 'Name').fill('mobile_app');
    await field(page, 'Description').fill('What the apps ask for');
    await press(page, 'Create flag set');
    await page.getByText('Created mobile_app.').waitFor();
    await row(page, 'mobile_app').getByText('No flags').waitFor();

    await openFlag(page, 'basket', 'Staging');
    await press(page, 'Add to flag set');
    await page.getByRole('option', { name: 'mobile_app What the apps ask for' }).click();
    await page.getByRole('combobox', { name: 'Flag sets' }).fill('web');
    await page.getByRole('option', { name: 'Create flag set web' }).click();
    await page.getByText('Created web.').waitFor();
    await page.keyboard.press('Escape');
    await press(page, 'Remove web');
    await press(page, 'Review and save');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'Flag sets' }).getByText('mobile_app').waitFor();
    await look(page, 'review of flag sets');
    await press(page, 'Save to Staging');
    await page.getByText('Saved to Staging.').first().waitFor();
    assert.equal((await definitionIn(things, 'basket', 'Staging')).flagSets.length, 1);
    await page.goto('/p/Checkout/flags/basket/compare?a=Staging&b=Production');
    await row(page, 'Flag sets').getByText('mobile_app').waitFor();

    await page.goto('/p/Checkout/settings/flag-sets');
    await page.getByRole('link', { name: 'basket in Staging' }).waitFor();
    await look(page, 'flag sets');
    await press(page, 'Delete mobile_app');
    await page.getByText('1 definition leaves it in the same change: basket, in Staging.').waitFor();
    await press(page, 'Delete flag set');
    await page.getByText('Deleted mobile_app.').waitFor();
    assert.equal((await definitionIn(things, 'basket', 'Staging')).flagSets, undefined);
    // A deleted one is still named.
    await page.goto('/p/Checkout/flags/basket/activity');
    await page.getByRole('region', { name: 'Flag sets' }).first().getByText('mobile_app').waitFor();
  });

  visit('attributes are made, edited, imported, searched and deleted', async (things) => {
    const { page, api, project } = things;
    await page.goto('/p/Checkout/settings/attributes');
    await page.getByText('No attributes of user yet').waitFor();
    await press(page, 'New attribute');
    await press(page, 'Create attribute');
    await page.getByText('Enter a name.').waitFor();
    await field(page, 'Name').fill('country');
    await field(page, 'Display name').fill('Country of residence');
    await field(page, 'Type').selectOption({ label: 'Text' });
    await field(page, 'Suggested values').fill('DE, FR\nUS');
    await look(page, 'new attribute');
    await press(page, 'Create attribute');
    await row(page, 'country').getByText('DE, FR and US').waitFor();
    await press(page, 'Edit country');
    await field(page, 'Suggested values').fill('DE');
    await press(page, 'Save');
    await page.getByText('Saved country.').waitFor();

    const choose = (text: string) =>
      field(page, 'File').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await press(page, 'Import CSV');
    await choose('plan,Plan,,string,"free,pro"\n2nd,,,string');
    await press(page, 'Import');
    await page.getByText(/row 2: id/).waitFor();
    await look(page, 'import with errors');
    await choose('id,name,description,type,values\nplan,Plan,,string,"free,pro"\nage,,,number');
    await press(page, 'Import');
    await page.getByText('Imported 2 attributes.').waitFor();
    await row(page, 'plan').getByText('free and pro').waitFor();
    await row(page, 'age').getByText('Number').waitFor();
    await look(page, 'attributes');
    await page.getByRole('searchbox', { name: 'Search attributes' }).fill('residence');
    await row(page, 'plan').waitFor({ state: 'detached' });
    await press(page, 'Delete country');
    await press(page, 'Delete attribute');
    await page.getByText('Deleted country.').waitFor();
    const left = await api('GET', `/schema/ws/${project.id}/trafficTypes/user`);
    assert.deepEqual(
      left.map(({ id, suggestedValues }: { id: string; suggestedValues: string[] }) => [id, suggestedValues.length]),
      [
        ['age', 0],
        ['plan', 2],
      ],
    );

    const { page: theirs, complaints, leave } = await aMember(things);
    await theirs.goto('/p/Checkout/settings/attributes');
    await row(theirs, 'plan').waitFor();
    await theirs.getByRole('button', { name: 'New attribute' }).and(theirs.locator('[aria-disabled="true"]')).waitFor();
    assert.deepEqual(complaints, []);
    await leave();
    await heading(page, 'Attributes').waitFor();
  });
});
