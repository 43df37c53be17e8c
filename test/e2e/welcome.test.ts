import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { aFlag, definitionWith } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { field, heading } from './people.ts';
import { aMember, definitionIn, focused, look, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());
const packages = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Runs the code of the page as a reader would: in a folder that has the SDK. */
function runSnippet(code: string): ChildProcess {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-application-'));
  symlinkSync(packages, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'app.mjs'), code);
  const application = spawn(process.execPath, ['app.mjs'], { cwd: folder, stdio: 'ignore' });
  after(() => {
    application.kill();
    rmSync(folder, { recursive: true });
  });
  return application;
}

const stepsOf = (page: Page) => (title: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) });

suite('getting started', { concurrency: 2 }, () => {
  visit(
    'it continues with the newest flag of the reader, or else the first of the team, whatever others create',
    async (things) => {
      const { page } = things;
      await aFlag(things, 'theirs', { on: { Staging: 50 } });
      await page.goto('/welcome');
      const done = stepsOf(page)('Create a flag in Checkout').getByText(/^Done/);
      await done.waitFor();
      assert.equal(await done.innerText(), 'Done by your team: theirs');
      await aFlag(things, 'another', { on: { Staging: 50 } });
      await page.goto('/welcome');
      await done.waitFor();
      assert.equal(await done.innerText(), 'Done by your team: theirs');
      await page.goto('/p/Checkout/flags/new');
      await field(page, 'Name').fill('mine');
      await page.keyboard.press('Enter');
      await heading(page, 'mine').waitFor();
      for (let index = 0; index < 50; index += 1) await aFlag(things, `later_${index}`);
      await page.goto('/welcome');
      await done.and(page.getByText('Done: mine')).waitFor();
    },
  );

  visit(
    'an application that runs the page’s own code connects, and follows a change that is made on the page',
    async (things) => {
      const { page, server, api, project, environments } = things;
      await page.goto('/welcome');
      await heading(page, 'Getting started').waitFor();
      const step = stepsOf(page);
      await step('Create a flag in Checkout').getByRole('link', { name: 'Create a flag' }).click();
      await field(page, 'Name').fill('checkout');
      await page.keyboard.press('Enter');
      // Creating it leads back here.
      await step('Create a flag in Checkout').getByText('Done: checkout').waitFor();
      assert.equal(await page.getByText('Waiting').count(), 0, 'there is nothing to wait for yet');
      const place = `/splits/ws/${project.id}/checkout/environments/${environments.Staging?.id}`;
      await api('POST', place, definitionWith(0));
      await step('Define it in Staging').getByText('Done: everyone gets off').waitFor();

      const connect = step('Connect your application');
      await connect.getByText('Waiting for your application…').waitFor();
      assert.ok((await connect.locator('pre').innerText()).includes("'YOUR_SDK_KEY'"));
      await connect.getByRole('button', { name: 'Create a server-side key' }).click();
      await connect.getByText('Created just now. Shown once.').waitFor();
      await look(page, 'getting started, waiting');
      // The keyboard chooses an SDK, and the code follows.
      await connect.getByRole('radio', { name: 'Node' }).focus();
      await page.keyboard.press('ArrowRight');
      await connect.getByRole('button', { name: 'Create a client-side key' }).waitFor();
      await page.keyboard.press('ArrowLeft');
      await connect.getByText('Created just now. Shown once.').waitFor();

      await connect.getByRole('button', { name: 'Copy code' }).click();
      const code = String(await page.evaluate('navigator.clipboard.readText()'));
      const [, key = ''] = /authorizationKey: '(burgee_[^']+)'/.exec(code) ?? [];
      assert.ok(code.includes(`const burgee = '${server.url}';`), code);
      const stored = (await api('GET', '/apiKeys?limit=200')).objects.find(
        ({ lastFour }: { lastFour: string }) => lastFour === key.slice(-4),
      );
      assert.equal(stored.apiKeyType, 'server_side');

      runSnippet(code);
      await connect.getByText(/^Connected: nodejs 11\.11\.2, ready in [\d,]+ ms$/).waitFor();
      for (const point of ['Key accepted', 'Rules fetched', 'SDK ready', 'Streaming'])
        await connect.getByText(point).waitFor();
      await connect.getByText(/^1 flag, \d+ (K?B), \d+ ms$/).waitFor();
      await connect.getByText(/^open since \d\d:\d\d:\d\d$/).waitFor();
      await connect.getByText('off for user-4717').waitFor();

      const live = step('Change it live');
      await live.getByText(/^Your application answered off/).waitFor();
      await look(page, 'getting started, connected');
      await live.getByRole('button', { name: 'on', exact: true }).focus();
      await page.keyboard.press('Enter');
      await live.getByText(/^Your application answered on/).waitFor();
      await live.getByText('from your click to the new answer').waitFor();
      await live.getByText(/^Done: your application followed [\d.]+ m?s after your click$/).waitFor();
      await live.getByRole('row', { name: /first answer after the change/ }).waitFor();
      const { defaultRule } = await definitionIn(things, 'checkout', 'Staging');
      assert.deepEqual(defaultRule, [{ treatment: 'on', size: 100 }]);
      await look(page, 'getting started, followed');
      await page.getByRole('link', { name: 'Open checkout' }).waitFor();
      // Whoever returns later sees that it is still connected.
      await page.reload();
      await connect.getByText(/^Connected: nodejs 11\.11\.2/).waitFor();
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  );

  visit.long('a request with a wrong key is noticed while the page waits', async (things) => {
    const { page, server } = things;
    await aFlag(things, 'checkout', { on: { Staging: 50 } });
    await page.goto('/welcome');
    await page.getByText('Done: rolled out by percentage').waitFor();
    await page.getByText('Waiting for your application…').waitFor();
    const headers = { authorization: 'Bearer sdk-key-that-was-copied-in-part-9fKc', splitsdkversion: 'nodejs-11.11.2' };
    assert.equal((await fetch(`${server.url}/api/splitChanges?s=1.3&since=-1`, { headers })).status, 401);
    await page.getByText('A request came with another key, ending in …9fKc').waitFor();
    await look(page, 'getting started, refused');
  });

  visit.long('another environment has its own flag, key and answers', async (things) => {
    const { page } = things;
    await aFlag(things, 'checkout', { on: { Staging: 0, Production: 100 } });
    await page.goto('/welcome?sdk=browser');
    await page.getByText('Client-side, Staging only.').waitFor();
    await page.getByRole('button', { name: 'Use another environment' }).click();
    await page.getByRole('menuitemradio', { name: 'Production' }).click();
    await page.getByText('Done: everyone gets on').waitFor();
    await page.getByText('Client-side, Production only.').waitFor();
    assert.match(page.url(), /env=Production/);
    assert.equal(await page.evaluate(focused), 'Use another environment');
  });

  visit.long('members are told whom to ask for a key, and are not asked to invite', async (things) => {
    await aFlag(things, 'checkout', { on: { Staging: 0 } });
    const { page, complaints, leave } = await aMember(things);
    await page.goto('/welcome');
    await page.getByText('Only administrators can create keys. Ask an administrator: Ana Ruiz.').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Create a/ }).count(), 0);
    assert.equal(await page.getByRole('heading', { name: 'Invite your team' }).count(), 0);
    assert.deepEqual(complaints, []);
    await leave();
  });
});
