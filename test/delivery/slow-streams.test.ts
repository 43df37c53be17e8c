/** A stream whose client stops reading. In a file of its own: it counts connections. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aProject } from '../support/build.ts';
import { anSdkKey } from '../support/sdk.ts';
import { listenTo, openStream, tokenFor } from '../support/streams.ts';
import { until } from '../support/until.ts';

const api = await startApi();
const { base } = await listenTo(api);

test('a client that does not read is closed, and its neighbours get everything', async () => {
  const project = await aProject(api);
  const paths = (await Promise.all(Array.from({ length: 20 }, () => aDefinedFlag(api, project)))).map(
    ({ path }) => path,
  );
  const key = await anSdkKey(api, project);
  const neighbour = await openStream(base, key);
  const slow = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => undefined);
  after(() => slow.destroy());
  slow.write(`GET /sse?accessToken=${await tokenFor(base, key)} HTTP/1.1\r\nHost: flags.test\r\n\r\n`);
  await once(slow, 'data');
  slow.pause();
  const isConnected = () =>
    new Promise<boolean>((resolve) => api.app.server.getConnections((_, count) => resolve(count > 1)));
  // The kernel takes some megabytes before anything waits in the server.
  let number = 0;
  for (let round = 0; await isConnected(); round += 1) {
    assert.ok(round < 200, 'it is still open');
    const answers = await Promise.all(
      paths.map((path) =>
        api.patch(path, [
          {
            op: 'add',
            path: '/treatments/0/configurations',
            value: JSON.stringify(randomBytes(6_500).toString('hex')),
          },
        ]),
      ),
    );
    number = Math.max(...answers.map(({ headers }) => Number(/^"(\d+)-/.exec(String(headers.etag))?.[1])));
  }
  await until('the neighbour has the last change', () =>
    neighbour.messages().some(({ changeNumber }) => changeNumber === number),
  );
});
