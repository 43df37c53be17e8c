/** The requests to Burgee, over a catalogue. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { prefix } from '#contract/parts.ts';
import { environmentName, environmentNames, flagName, projectName, tagOfSome, wordInNames } from './catalogue.ts';
import type { Asked } from './load.ts';
import type { Server } from './servers.ts';

/** More answers than any cache of a processor holds, few enough to be sent to the process of the load. */
const maxDifferent = 1_000;

/** Numbers of flags, spread over the catalogue. */
const spread = (flags: number, count = maxDifferent): number[] =>
  Array.from({ length: Math.min(flags, count) }, (_, index) => Math.floor((index * flags) / Math.min(flags, count)));

const flags = `${prefix}/splits/ws/${projectName}`;
const definitionPath = (flag: number, environment: string = environmentName) =>
  `${flags}/${flagName(flag)}/environments/${environment}`;

export const getDefinitions = (count: number): Asked[] =>
  spread(count).map((flag) => ({ method: 'GET', path: definitionPath(flag) }));

export const getFlags = (count: number): Asked[] =>
  spread(count).map((flag) => ({ method: 'GET', path: `${flags}/${flagName(flag)}` }));

export const getUsers = (ids: readonly string[]): Asked[] =>
  ids.map((id) => ({ method: 'GET', path: `${prefix}/users/${id}` }));

/** The same, each with a different URL, so that no response comes from the cache. */
export const uncached = (requests: readonly Asked[]): Asked[] =>
  requests.map((asked) => ({ ...asked, path: `${asked.path}${asked.path.includes('?') ? '&' : '?'}uncached={n}` }));

export const createFlag: Asked = {
  method: 'POST',
  path: `${flags}/trafficTypes/user`,
  body: { name: 'made-{n}', description: 'Made to be measured' },
};

/** One for each of `clients`, on flags of their own. */
export const patchDefinitions = (count: number, clients: number): Asked[] =>
  spread(count, clients).map((flag) => patchOf(definitionPath(flag)));

/** The same, in all environments. */
export const patchDefinitionsEverywhere = (count: number, clients: number): Asked[] =>
  spread(count, clients).map((flag, client) =>
    patchOf(definitionPath(flag, environmentNames[client % environmentNames.length])),
  );

const patchOf = (path: string): Asked => ({
  method: 'PATCH',
  path,
  body: [{ op: 'add', path: '/treatments/0/description', value: 'as of {n}' }],
});

/** Adds a key of its own each time, all to one definition. */
export const addKey: Asked = {
  method: 'PATCH',
  path: definitionPath(0),
  body: [{ op: 'add', path: '/treatments/0/keys/-', value: 'key-{n}' }],
};

export const pages = {
  flags: get(`${flags}?limit=50`),
  flagsByName: get(`${flags}?limit=50&name=${wordInNames}`),
  flagsByTag: get(`${flags}?limit=50&tag=${tagOfSome}`),
  lastOfFlags: (count: number) => get(`${flags}?limit=50&offset=${count - 50}`),
  definitions: get(`${flags}/environments/${environmentName}?limit=50`),
  groups: get(`${prefix}/groups?limit=50`),
  lastOfGroups: (count: number) => get(`${prefix}/groups?limit=50&offset=${count - 50}`),
  users: get(`${prefix}/users?limit=50`),
  changes: get(`${prefix}/auditLogs?limit=50`),
} as const;

function get(path: string): Asked {
  return { method: 'GET', path };
}

/** The answer to one request, for what must be known before measuring. */
export async function answerOf<Body>(server: Server, asked: Asked): Promise<Body> {
  const { body } = await rawAnswerOf(server, asked);
  return JSON.parse(body.toString()) as Body;
}

export interface RawAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent: compressed if the headers of the server ask for that. */
  readonly body: Buffer;
}

export async function rawAnswerOf(server: Server, { method, path, body }: Asked): Promise<RawAnswer> {
  const sent = body === undefined ? '' : JSON.stringify(body);
  const asked = request({
    host: '127.0.0.1',
    port: server.port,
    method,
    path,
    headers: { ...server.headers, ...(sent === '' ? {} : { 'content-type': 'application/json' }) },
  }).end(sent);
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  const bytes = await buffer(reply);
  if (reply.statusCode === undefined || reply.statusCode > 299) {
    throw new Error(`${method} ${path} was answered with ${reply.statusCode}: ${bytes.toString()}`);
  }
  return { headers: reply.headers as Record<string, string>, body: bytes };
}

/** The ids of the first people. */
export async function userIds(server: Server): Promise<string[]> {
  const { data } = await answerOf<{ data: { id: string }[] }>(server, get(`${prefix}/users?limit=200`));
  return data.map(({ id }) => id);
}

interface Marked {
  readonly nextMarker: string | null;
}

/** What asks for a full page at the end of a list that is paged by markers, found by walking there. */
export async function lastPage(server: Server, first: Asked): Promise<Asked> {
  const [path = ''] = first.path.split('?');
  const pageAfter = (marker: string | null, limit: number) =>
    get(`${path}?limit=${limit}${marker === null ? '' : `&after=${encodeURIComponent(marker)}`}`);
  let before: string | null = null;
  for (let marker: string | null = null; ; ) {
    const { nextMarker }: Marked = await answerOf(server, pageAfter(marker, 200));
    // The very last page may have a few things only, which would be no match for a full one.
    if (nextMarker === null) return pageAfter(before, 50);
    before = marker;
    marker = nextMarker;
  }
}
