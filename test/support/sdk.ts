/** Applications that use Burgee through an official SDK, unmodified, over a real socket. */
import type { IncomingMessage } from 'node:http';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SplitFactory } from '@splitsoftware/splitio';
import type { Api } from './app.ts';

interface Place {
  readonly id: string;
  readonly staging: { readonly id: string };
}

/** The text of a new key for the project's staging environment. */
export const anSdkKey = (api: Pick<Api, 'key'>, project: Place, type: 'server_side' | 'client_side' = 'server_side') =>
  api.key({
    name: 'application',
    type,
    roles: [],
    scope: { kind: 'environment', projectId: project.id, environmentIds: [project.staging.id] },
  });

/** The address of the test's server, which listens from now on. */
export async function listening({ app }: Pick<Api, 'app'>): Promise<string> {
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Drops the first poll with the key, as a restart does. `specs` are those that its polls ask for, in order. */
export function dropFirstPoll({ app: { server } }: Pick<Api, 'app'>, key: string) {
  const specs: (string | null)[] = [];
  const drop = ({ url = '', headers, socket }: IncomingMessage) => {
    if (headers.authorization !== `Bearer ${key}` || !url.startsWith('/api/splitChanges')) return;
    if (specs.length === 0) socket.destroy();
    specs.push(new URL(url, 'http://127.0.0.1').searchParams.get('s'));
  };
  server.prependListener('request', drop);
  return { specs, stop: () => server.off('request', drop) };
}

export interface Sdk {
  readonly client: SplitIO.IClient;
  readonly manager: SplitIO.IManager;
  stop(): Promise<void>;
}

/** How often the SDK polls. */
const refreshSeconds = 0.05;

/** A server-side SDK that polls, ready; it is stopped after the test. */
export async function aPollingSdk(url: string, key: string, sync: SplitIO.INodeSettings['sync'] = {}): Promise<Sdk> {
  const factory = SplitFactory({
    core: { authorizationKey: key },
    urls: { sdk: `${url}/api`, events: `${url}/api`, auth: `${url}/api`, streaming: url, telemetry: `${url}/api` },
    streamingEnabled: false,
    scheduler: { featuresRefreshRate: refreshSeconds, segmentsRefreshRate: refreshSeconds },
    sync,
  });
  const client = factory.client();
  const stop = () => client.destroy();
  after(stop);
  await client.ready();
  return { client, manager: factory.manager(), stop };
}

/** Waits until the SDK gives this treatment. */
export async function treated(
  { client }: Sdk,
  [key, flag, treatment]: readonly [key: string, flag: string, treatment: string],
  attributes?: SplitIO.Attributes,
): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const found = client.getTreatment(key, flag, attributes);
    if (found === treatment) return;
    if (Date.now() > deadline) throw new Error(`${key} gets ${found} from ${flag}, not ${treatment}`);
    await pause(10);
  }
}
