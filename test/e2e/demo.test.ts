/** `burgee demo`, as someone who has never seen Burgee uses it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { temporaryFolder } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { fromSources } from '../support/process.ts';
import { aVisitor, startBrowser } from './browser.ts';
import { press } from './people.ts';
import { step } from './support.ts';

const browser = await startBrowser();
const { PATH, NODE_COMPILE_CACHE = '' } = process.env;

function startDemo(port: number, folder: string): ChildProcess {
  const demo = spawn(process.execPath, [fromSources.main, 'demo', '--no-open'], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: String(port), TMPDIR: folder },
  });
  after(() => demo.kill('SIGKILL'));
  return demo;
}

async function textOf(stream: ChildProcess['stdout'], until: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of stream ?? []) {
    text += chunk;
    if (until.test(text)) break;
  }
  return text;
}

test('the demo signs in, and a flag saved in Burgee moves customers of the shop; it leaves nothing behind', async () => {
  const folder = temporaryFolder();
  const demo = startDemo(await freePort(), folder);
  const said = await textOf(demo.stdout, /deletes its data/);
  const [shopUrl = '', signInUrl = ''] = said.match(/http:\S+/g) ?? [];
  const { page, complaints } = await aVisitor(browser, shopUrl);
  await page.goto(shopUrl);
  await page.getByText('Connected.').waitFor();
  assert.equal(await page.getByRole('list', { name: 'Customers', exact: true }).getByRole('listitem').count(), 24);

  const flag = await page.context().newPage();
  await flag.goto(signInUrl);
  await step(flag, 'Everyone else').getByRole('button', { name: '100', exact: true }).click();
  await press(flag, 'Review and save');
  await flag.getByRole('dialog').getByRole('button', { name: /^Save/ }).click();
  await page.getByText(/\d+ from off to on/).waitFor();
  await page.getByText('24 One page').waitFor();
  // The shop has another origin than Burgee.
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.startsWith('request to ')),
    [],
  );

  const stranger = await fetch(new URL('/sign-in/guess', shopUrl), { redirect: 'manual' });
  assert.equal(stranger.status, 404);
  demo.kill('SIGINT');
  await once(demo, 'exit');
  assert.deepEqual(readdirSync(folder), []);
});

test('a demo whose port is in use says so at once, and leaves nothing behind', async () => {
  const folder = temporaryFolder();
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  after(() => other.close());
  const demo = startDemo(port, folder);
  const said = await textOf(demo.stderr, /\n/);
  assert.match(said, new RegExp(`^Port ${port} on 127.0.0.1 is in use`));
  if (demo.exitCode === null) await once(demo, 'exit');
  assert.equal(demo.exitCode, 1);
  assert.ok(!existsSync(folder) || readdirSync(folder).length === 0);
});
