/** The official SDKs in a real browser, on a page of another origin, and behind OpenFeature. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OpenFeature, type Provider } from '@openfeature/js-sdk';
import { SplitFactory } from '@splitsoftware/splitio';
import type { Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { aDefinedFlag, aProject, aSegment } from '../support/build.ts';
import { startNode } from '../support/nodes.ts';
import { anInstallation } from '../support/process.ts';
import { until } from '../support/until.ts';
import { launchBrowser, timeoutMs } from './browser.ts';

const client = await startNode(anInstallation());
const base = client.node.url;
const browser = await launchBrowser();
after(() => browser.close());

const flipTo = (treatment: string) => [{ op: 'replace', path: '/defaultRule', value: [{ treatment, size: 100 }] }];

async function aWorld(apiKeyType: string) {
  const project = await aProject(client);
  const { flag, path } = await aDefinedFlag(client, project);
  const { body } = await client.post('/apiKeys', {
    name: 'application',
    apiKeyType,
    workspace: { id: project.id },
    environments: [{ id: project.staging.id }],
  });
  return { project, flag, path, key: body.key as string };
}

/** The address of a page that runs `sdks-page.tsx`. */
async function servePage(): Promise<string> {
  const input = fileURLToPath(new URL('sdks-page.tsx', import.meta.url));
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, rolldownOptions: { input, output: { codeSplitting: false } } },
  });
  const { code } = (made as Rolldown.RolldownOutput).output[0];
  const html = '<!doctype html><title>Application</title><body><script type="module" src="/page.js"></script>';
  const server = createServer(({ url }, response) => {
    const isScript = url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? code : html);
  });
  after(() => server.closeAllConnections());
  after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const origin = await servePage();

async function visit(query: Record<string, string>): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(timeoutMs);
  await page.goto(`${origin}?${new URLSearchParams(query)}`);
  return page;
}

async function shows(page: Page, treatment: string): Promise<void> {
  for (const sdk of ['browser', 'react']) await page.getByText(`${sdk}: ${treatment}`, { exact: true }).waitFor();
}

test('pages of another origin have changes of flags and memberships at once', async () => {
  const { project, flag, path, key } = await aWorld('client_side');
  const { name } = await aSegment(client, project, [project.staging]);
  const keysPath = `/segments/${project.staging.id}/${name}`;
  const page = await visit({ base, authorizationKey: key, flag: flag.name, key: 'ana' });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await shows(page, 'off');
  assert.equal((await client.patch(path, flipTo('on'))).status, 200);
  await shows(page, 'on');
  assert.equal((await client.ask('PUT', `${path}/kill`)).status, 200);
  await shows(page, 'off');
  assert.equal((await client.ask('PUT', `${path}/restore`)).status, 200);
  await shows(page, 'on');
  const bySegment = [...flipTo('off'), { op: 'add', path: '/treatments/0/segments', value: [name] }];
  assert.equal((await client.patch(path, bySegment)).status, 200);
  await shows(page, 'off');
  const body = { keys: ['ana'] };
  assert.equal((await client.ask('PUT', `${keysPath}/uploadKeys`, { body })).status, 200);
  await shows(page, 'on');
  assert.equal((await client.ask('PUT', `${keysPath}/removeKeys`, { body })).status, 200);
  await shows(page, 'off');
  assert.deepEqual(complaints, []);
  await page.close();
});

type MakeProvider = new (options: { readonly splitClient: SplitIO.IClient }) => Provider;

/** The package has TypeScript alone, which Node does not run there: applications bundle it. */
async function bundledProvider(): Promise<MakeProvider> {
  const { resolve } = createRequire(import.meta.url);
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    ssr: { noExternal: true },
    build: { write: false, ssr: resolve('@splitsoftware/openfeature-js-split-provider') },
  });
  const { code } = (made as Rolldown.RolldownOutput).output[0];
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).OpenFeatureSplitProvider;
}

test('OpenFeature with the provider for Split', async () => {
  const [{ flag, path, key }, OpenFeatureSplitProvider] = [await aWorld('server_side'), await bundledProvider()];
  const splitClient = SplitFactory({
    core: { authorizationKey: key },
    urls: { sdk: `${base}/api`, events: `${base}/api`, auth: `${base}/api`, streaming: base, telemetry: `${base}/api` },
    scheduler: { featuresRefreshRate: 3_600 },
  }).client();
  after(() => splitClient.destroy());
  // The provider waits for the event of readiness, so it must not be later than that.
  OpenFeature.setProvider(new OpenFeatureSplitProvider({ splitClient }));
  const features = OpenFeature.getClient();
  const value = () => features.getBooleanValue(flag.name, true, { targetingKey: 'ana' });
  assert.equal(await value(), false);
  assert.equal((await client.patch(path, flipTo('on'))).status, 200);
  await until('the flag is on', value);
});
