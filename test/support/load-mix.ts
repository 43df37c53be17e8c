/** Typical client traffic: one project with some flags, read, changed and listed. */
import { prefix } from '#contract/parts.ts';
import { aDefinition, aProject } from './build.ts';
import type { Asked } from './load.ts';
import type { Client } from './nodes.ts';

export interface Mix {
  /** Of ten requests six read one thing, two read a page, and two change something. */
  readonly all: readonly Asked[];
  /** What is long to read: pages, and a file that no buffer on the way holds as a whole. */
  readonly long: readonly Asked[];
  /** Changes with bodies that can be sent in many pieces. */
  readonly changes: readonly Asked[];
}

const flagCount = 100;
const name = (flag: number) => `flag-of-the-load-${flag % flagCount}`;

export async function aMix(client: Client): Promise<Mix> {
  const project = await aProject(client);
  const flags = `/splits/ws/${project.id}`;
  const definition = (flag: number) => `${flags}/${name(flag)}/environments/${project.staging.id}`;
  for (let flag = 0; flag < flagCount; flag += 1) {
    await client.post(`${flags}/trafficTypes/user`, { name: name(flag) });
    await client.post(definition(flag), aDefinition());
  }
  const get = (path: string): Asked => ({ method: 'GET', path: prefix + path });
  const patch = (flag: number, text: string): Asked => ({
    method: 'PATCH',
    path: prefix + definition(flag),
    body: [{ op: 'add', path: '/treatments/0/description', value: `${text} {n}` }],
  });
  const create: Asked = {
    method: 'POST',
    path: `${prefix}${flags}/trafficTypes/user`,
    body: { name: 'made-{n}', description: 'Made under load' },
  };
  const pages = [
    get(`${flags}?limit=50`),
    get('/auditLogs?limit=50'),
    get(`${flags}?limit=50&offset=50`),
    get(`${flags}?limit=20&expand=environments`),
  ];
  const page = (turn: number) => pages[turn % pages.length] as Asked;
  const ten = (flag: number): Asked[] => [
    get(definition(flag)),
    page(flag),
    get(`${flags}/${name(flag + 10)}`),
    patch(flag + 20, 'as of'),
    get(definition(flag + 30)),
    get(`${flags}/${name(flag + 40)}`),
    page(flag + 1),
    get(definition(flag + 50)),
    flag % 2 === 0 ? create : patch(flag + 60, 'as of'),
    get(`${flags}/${name(flag + 70)}`),
  ];
  return {
    all: Array.from({ length: flagCount }, (_, flag) => ten(flag)).flat(),
    long: [page(0), { method: 'GET', path: '/docs/js/scalar.js' }, page(1)],
    changes: Array.from({ length: flagCount }, (_, flag) => patch(flag, 'said slowly, in many words, '.repeat(20))),
  };
}
