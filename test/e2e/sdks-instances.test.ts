import { suite } from 'node:test';
import { SplitFactory } from '@splitsoftware/splitio';
import { aFlag } from '../../src/demo/team.ts';
import { startBrowser } from './browser.ts';
import { look, signedInVisitsIn } from './support.ts';

const visit = signedInVisitsIn(await startBrowser());

suite('connected SDKs', () => {
  visit('a change is seen to arrive at a real SDK; who is behind is named; events are counted', async (things) => {
    const { page, api, server, project, environments } = things;
    const { Staging: staging = { id: '' } } = environments;
    await page.goto('/p/Checkout/sdks/Staging');
    await page.getByText('No SDK is connected to Staging').waitFor();
    await look(page, 'no SDK');

    const name = 'currency_switcher';
    await aFlag(things, name, { on: { Staging: 10 } });
    const { key } = await api('POST', '/apiKeys', {
      name: 'application',
      apiKeyType: 'server_side',
      workspace: { id: project.id },
      environments: [{ id: staging.id }],
    });
    const base = `${server.url}/api`;
    const factory = SplitFactory({
      core: { authorizationKey: key },
      urls: { sdk: base, events: base, auth: base, streaming: server.url, telemetry: base },
    });
    const client = factory.client();
    await client.ready();
    const poll = (machine: string, since: number) =>
      fetch(`${base}/splitChanges?s=1.1&since=${since}`, {
        headers: {
          authorization: `Bearer ${key}`,
          splitsdkversion: 'java-4.11.0',
          splitsdkmachinename: machine,
        },
      });
    await poll('pos-gateway-01', -1);
    await page.getByText('All 2 hold the last change').waitFor();
    const definition = `/splits/ws/${project.id}/${name}/environments/${staging.id}`;
    await page.getByText('Streaming', { exact: true }).waitFor();
    await api('PATCH', definition, [{ op: 'replace', path: '/trafficAllocation', value: 40 }]);
    await page.getByText('1 of 2 hold the last change').waitFor();
    await page.getByText('slowest so far').waitFor();
    await page.getByRole('list', { name: 'Behind' }).getByText('pos-gateway-01').waitFor();
    await page
      .getByText(/Flags that use large segments or rule-based segments answer control/)
      .first()
      .waitFor();
    await look(page, 'an SDK is behind');
    await poll('pos-gateway-01', 5);
    await page.getByText('All 2 hold the last change').waitFor();

    client.track('user-1', 'user', 'checkout.paid', 20);
    client.track('user-2', 'user', 'checkout.paid', 10);
    await client.destroy();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Events' }).click();
    await page.getByText('No events yet').or(page.getByText('checkout.paid')).first().waitFor();
    // Counts are written every five seconds, and the page asks every half minute.
    for (let seen = false; !seen; ) {
      const { eventTypes } = await api('GET', `/environments/ws/${project.id}/${staging.id}/events`);
      seen = eventTypes.length > 0;
      if (!seen) await page.waitForTimeout(200);
    }
    await page.reload();
    await page.getByText('checkout.paid').waitFor();
    await page.getByRole('cell', { name: '30', exact: true }).waitFor();
    await look(page, 'events');
  });
});
