import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { startBrowser } from './browser.ts';
import { heading } from './people.ts';
import { aFlag, aMember, look, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

suite('getting started', { concurrency: 2 }, () => {
  visit('each step ticks itself from what is there', async (things) => {
    const { page, api, project } = things;
    await page.goto('/welcome');
    await heading(page, 'Getting started').waitFor();
    const step = (title: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) });
    await step('Create a flag in Checkout').getByRole('link', { name: 'Create a flag' }).waitFor();
    await look(page, 'getting started');
    await aFlag(things, 'checkout');
    await step('Create a flag in Checkout').getByText('Done: checkout').waitFor();
    const link = step('Define it in Staging').getByRole('link', { name: 'Open the flag' });
    assert.equal(await link.getAttribute('href'), '/p/Checkout/flags/checkout/Staging');
    await api('POST', `/splits/ws/${project.id}/checkout/environments/${things.environments.Staging?.id}`, {
      treatments: [{ name: 'on' }, { name: 'off' }],
      defaultTreatment: 'off',
      defaultRule: [{ treatment: 'off', size: 100 }],
    });
    await step('Define it in Staging').getByText('Done: checkout is defined in Staging').waitFor();
    await page.getByText('You cannot connect an application yet: this release does not serve SDKs.').waitFor();
    const script = step('Create an API key for scripts');
    await script.getByRole('link', { name: 'Create a key' }).waitFor();
    await api('POST', '/apiKeys', { name: 'ci', apiKeyType: 'admin', roles: ['API_FEATURE_FLAG_VIEWER'] });
    await script.getByText('Done: ci').waitFor();
    await step('Invite someone').getByRole('link', { name: 'Invite' }).waitFor();
    await look(page, 'getting started, half done');
  });

  visit(
    'a line to paste reads the definition, once there is one',
    async (things) => {
      const { page, server } = things;
      await page.goto('/welcome');
      await page.getByRole('heading', { name: 'Create a flag' }).waitFor();
      assert.equal(await page.getByRole('heading', { name: 'Read the definition from a script' }).count(), 0);
      await aFlag(things, 'checkout', { on: { Staging: 50 } });
      await page.goto('/welcome');
      await page.getByText('Done: checkout is defined in Staging').waitFor();
      await page.getByRole('button', { name: 'Copy the command' }).click();
      const line = String(await page.evaluate('navigator.clipboard.readText()'));
      const [, url = ''] = /^curl -s (\S+) \\\n {2}-H "Authorization: Bearer \$BURGEE_KEY"$/.exec(line) ?? [];
      assert.ok(url.startsWith(server.url), line);
      const reply = await fetch(url, { headers: { authorization: `Bearer ${await server.printedKey()}` } });
      assert.equal(((await reply.json()) as { name: string }).name, 'checkout');
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  );

  visit('who cannot make keys or invite is not asked to', async (things) => {
    const { page, complaints, leave } = await aMember(things);
    await page.goto('/welcome');
    await page.getByText('You cannot connect an application yet').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Create an API key' }).count(), 0);
    assert.equal(await page.getByRole('heading', { name: 'Invite someone' }).count(), 0);
    assert.deepEqual(complaints, []);
    await leave();
  });
});
