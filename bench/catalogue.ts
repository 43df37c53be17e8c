/** Something to ask for: flags that are defined in several environments. */
import { prefix } from '#contract/parts.ts';
import type { Asked } from './load.ts';
import { adminKey } from './servers.ts';

const flags = 40;
const environments = 8;

const definitionPath = (flag: number, environment: number) =>
  `${prefix}/splits/ws/Default/flag-${flag % flags}/environments/environment-${environment % environments}`;

const definition = {
  treatments: [{ name: 'on', keys: Array.from({ length: 10 }, (_, number) => `customer-${number}`) }, { name: 'off' }],
  defaultTreatment: 'off',
  rules: [
    {
      condition: {
        combiner: 'AND',
        matchers: [{ type: 'IN_LIST_STRING', attribute: 'plan', strings: ['team', 'enterprise'] }],
      },
      buckets: [
        { treatment: 'on', size: 20 },
        { treatment: 'off', size: 80 },
      ],
    },
  ],
  defaultRule: [{ treatment: 'off', size: 100 }],
};

export async function fillCatalogue(port: number): Promise<void> {
  for (let environment = 0; environment < environments; environment += 1) {
    await post(port, `${prefix}/environments/ws/Default`, { name: `environment-${environment}` });
  }
  await Promise.all(Array.from({ length: flags }, (_, flag) => defineEverywhere(port, flag)));
}

async function defineEverywhere(port: number, flag: number): Promise<void> {
  await post(port, `${prefix}/splits/ws/Default/trafficTypes/user`, { name: `flag-${flag}` });
  for (let environment = 0; environment < environments; environment += 1) {
    await post(port, definitionPath(flag, environment), definition);
  }
}

async function post(port: number, path: string, body: unknown): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`POST ${path} was answered with ${reply.status}: ${await reply.text()}`);
  await reply.text();
}

/** Another flag each time. */
export const getDefinition = (client: number, turn: number): Asked => ({
  method: 'GET',
  path: definitionPath(client + turn, 0),
});

/** Each client changes a flag of its own; `environment`: where. */
export const patchDefinition =
  (environmentOf: (client: number) => number) =>
  (client: number, turn: number): Asked => ({
    method: 'PATCH',
    path: definitionPath(client, environmentOf(client)),
    body: [{ op: 'add', path: '/treatments/0/description', value: `as of turn ${turn}` }],
  });
