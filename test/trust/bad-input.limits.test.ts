/** At every limit: exactly the maximum is accepted, one more is refused; foreign markers are refused. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { prefix } from '#contract/parts.ts';
import { aHostileInstallation } from '../support/hostile-installation.ts';
import { requireRefusal } from '../support/hostile-requests.ts';
import { report } from '../support/trust.ts';

const installation = await aHostileInstallation();
after(() => installation.sender.close());
const { project, flag } = installation.things;
const headers = { authorization: `Bearer ${installation.adminKey}` };
const send = (method: string, path: string, body?: unknown) =>
  installation.sender.send(method, prefix + path, {
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });

type Made = (text: string) => [method: string, path: string, body: unknown];
const limits: [what: string, max: number, make: Made][] = [
  ['name of a project', 255, (name) => ['POST', '/workspaces', { name }]],
  ['name of an environment', 20, (name) => ['POST', `/environments/ws/${project}`, { name }]],
  ['name of a traffic type', 100, (name) => ['POST', `/trafficTypes/ws/${project}`, { name }]],
  ['name of a flag', 255, (name) => ['POST', `/splits/ws/${project}/trafficTypes/user`, { name }]],
  ['name of a group', 255, (name) => ['POST', '/groups', { name }]],
  ['name of a key', 100, (name) => ['POST', '/apiKeys', { name, apiKeyType: 'admin' }]],
  ['description of a flag', 2_000, (text) => ['PUT', `/splits/ws/${project}/${flag}/updateDescription`, text]],
  ['tag', 255, (text) => ['POST', `/tags/ws/${project}/object/${flag}/objecttype/Split`, [text]]],
  ['title of a change', 2_000, (text) => ['PATCH', `/splits/ws/${project}/${flag}?title=${text}`, []]],
  ['email', 254, (text) => ['POST', '/users', { email: `${text.slice(0, 60)}@${domainOf(text.length - 61)}` }]],
];

/** A domain of this length, in parts of at most 60 characters. */
const domainOf = (length: number): string =>
  `${'d'.repeat(59)}.`
    .repeat(5)
    .slice(0, length - 3)
    .replace(/\.$/, 'd')
    .concat('.co');

for (const [what, max, make] of limits) {
  test(`${what}: ${max} characters are taken, ${max + 1} are refused and nothing is written`, async () => {
    const taken = await send(...make('a'.repeat(max)));
    assert.equal(taken.status, 200, taken.text);
    const written = await installation.fingerprint();
    requireRefusal(await send(...make('a'.repeat(max + 1))));
    assert.equal(await installation.fingerprint(), written);
  });
}

test('a limit that is too large is lowered, one below 1 or in words is refused', async () => {
  for (const path of ['/workspaces', '/groups', '/users', '/auditLogs', '/apiKeys', `/splits/ws/${project}`]) {
    const { status, text } = await send('GET', `${path}?limit=1000000000000`);
    assert.equal(status, 200, text);
    assert.ok(JSON.parse(text).limit <= 200);
    for (const limit of ['0', '-1', 'many', '1.5', '']) requireRefusal(await send('GET', `${path}?limit=${limit}`));
  }
});

test('a marker of another list, cut, lengthened or changed in any character is refused', async () => {
  const { nextMarker } = JSON.parse((await send('GET', '/auditLogs?limit=1')).text) as { nextMarker: string };
  assert.equal((await send('GET', `/auditLogs?after=${nextMarker}`)).status, 200);
  requireRefusal(await send('GET', `/users?after=${nextMarker}`));
  const changed = [...nextMarker].map(
    (letter, index) => `${nextMarker.slice(0, index)}${letter === 'A' ? 'B' : 'A'}${nextMarker.slice(index + 1)}`,
  );
  const tampered = [
    ...changed,
    nextMarker.slice(1),
    nextMarker.slice(0, -1),
    `${nextMarker}A`,
    `${nextMarker}%3D`,
    `%20${nextMarker}`,
  ];
  for (const marker of tampered) requireRefusal(await send('GET', `/auditLogs?after=${marker}`));
  requireRefusal(await send('GET', `/auditLogs?after=${nextMarker}&before=${nextMarker}`));
  report(`bad input, tampered markers: ${tampered.length + 2} requests, all refused`);
  installation.requireQuietLog();
});
