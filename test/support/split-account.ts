/**
 * A fake Split: an HTTP server that answers like the vendor's Admin API and SDK endpoints, with their quirks. Its data
 * is made from a number and can be edited while a test runs; `trouble` makes it fail.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { toWireFlag, type WireFlag } from '#domain/wire/flags.ts';
import { toWireSegment } from '#domain/wire/segments.ts';
import {
  type Size,
  type VendorAccount,
  type VendorDefinition,
  type VendorEnvironment,
  type VendorFlag,
  type VendorProject,
  type VendorSegment,
  vendorAccountOf,
} from './split-data.ts';

export interface VendorOptions extends Partial<Size> {
  /** Whether the account has moved to Harness: users, groups and restrictions are gone, the key goes elsewhere. */
  readonly isMoved?: boolean;
  /** Requests in a window; more get 429. */
  readonly rate?: { readonly requests: number; readonly windowMs: number };
  /** Lists of environments have their permissions, as they had once: administrators edit the production one. */
  readonly listsPermissions?: boolean;
  /** What lists say of their length, whatever it is. */
  readonly totalCount?: number;
  /** Pages have fewer items than asked for. */
  readonly hasShortPages?: boolean;
}

/** Instead of an answer. `hang` never answers, `drop` cuts the connection, `cut` does so within the body. */
export type Trouble = 'hang' | 'drop' | 'cut' | { status: number; headers?: Record<string, string>; text?: string };

export interface Vendor {
  readonly url: string;
  readonly adminKey: string;
  /** Server-side keys, by `project/environment`. */
  readonly sdkKeys: Readonly<Record<string, string>>;
  /** Edit it; the next request returns the edited data. */
  readonly account: VendorAccount;
  /** Every request: method, path with query, headers. */
  readonly requests: { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** Asked for each request, with its path and its number from 1. */
  trouble: (path: string, number: number) => Trouble | undefined;
  project(name: string): VendorProject;
  /** Changes the definition, as someone who edits it. */
  edit(
    project: string,
    flag: string,
    place: { environment: string; change: (definition: VendorDefinition) => void },
  ): void;
}

const defaults: Size = { seed: 1, projects: 2, flags: 60, segments: 3, keys: 250, users: 45 };

/** Closed after the test that calls it, or after the file's tests. */
export async function startSplitAccount(options: VendorOptions = {}): Promise<Vendor> {
  const account = vendorAccountOf({ ...defaults, ...options });
  const server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const find = (name: string): VendorProject => {
    const project = account.projects.find((one) => one.name === name);
    if (!project) throw new Error(`no project ${name}`);
    return project;
  };
  const vendor: Vendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    adminKey: options.isMoved ? 'pat.account.token.secret' : 'adminkey1234567890',
    sdkKeys: Object.fromEntries(
      account.projects.flatMap(({ name, environments }) =>
        environments.map((environment) => [`${name}/${environment.name}`, environment.serverKey]),
      ),
    ),
    account,
    requests: [],
    trouble: () => undefined,
    project: find,
    edit: (project, flag, { environment, change }) => {
      const definition = find(project)
        .flags.find(({ name }) => name === flag)
        ?.definitions.get(environment);
      if (!definition) throw new Error(`no definition of ${flag}`);
      change(definition);
      definition.changeNumber = account.nextNumber();
    },
  };
  const limiter = createLimiter(options.rate);

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: path = '', headers } = request;
    vendor.requests.push({ method, path, headers });
    const trouble = vendor.trouble(path, vendor.requests.length);
    if (trouble) return void makeTrouble(response, trouble);
    const isSdk = /^\/api\/(splitChanges|segmentChanges)/.test(path);
    const waitMs = isSdk ? 0 : limiter();
    if (waitMs > 0) return void tooMany(response, waitMs);
    const found = isSdk ? sdkAnswer(account, request) : adminAnswer(vendor, options, request);
    send(response, found);
  }
  return vendor;
}

interface Found {
  readonly status: number;
  readonly body: unknown;
}
const ok = (body: unknown): Found => ({ status: 200, body });
const refused = (status: number, message: string): Found => ({
  status,
  body: { code: status, message, details: '', transactionId: '22f0rxo8uno' },
});

const send = (response: ServerResponse, { status, body }: Found): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

function makeTrouble(response: ServerResponse, trouble: Trouble): void {
  if (trouble === 'hang') return;
  if (trouble === 'drop') return void response.destroy();
  if (trouble === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 }).write('{"objects":[');
    return void setImmediate(() => response.destroy());
  }
  response.writeHead(trouble.status, trouble.headers).end(trouble.text ?? '');
}

/** Returns how long to wait, or 0. */
function createLimiter(rate: VendorOptions['rate']): () => number {
  let [start, count] = [performance.now(), 0];
  return () => {
    if (!rate) return 0;
    const now = performance.now();
    if (now - start >= rate.windowMs) [start, count] = [now, 0];
    count += 1;
    return count > rate.requests ? Math.max(1, start + rate.windowMs - now) : 0;
  };
}

function tooMany(response: ServerResponse, waitMs: number): void {
  response
    .writeHead(429, {
      'X-RateLimit-Remaining-Org': '0',
      'X-RateLimit-Remaining-IP': '12',
      'X-RateLimit-Reset-Seconds-Org': String(waitMs / 1000),
      'X-RateLimit-Reset-Seconds-IP': '0',
    })
    .end();
}

type Handler = (context: Asked) => unknown;
interface Asked {
  readonly vendor: Vendor;
  readonly options: VendorOptions;
  readonly query: URLSearchParams;
  readonly words: readonly string[];
  readonly project: VendorProject;
  readonly environment: VendorEnvironment;
}

const v2 = '/internal/api/v2';
/** `:p` is the id of a project, `:e` of an environment, `:x` anything. */
const routes: Readonly<Record<string, Handler>> = {
  [`${v2}/workspaces`]: (asked) => listed(asked, asked.vendor.account.projects.map(toWorkspace), 10, 200),
  [`${v2}/environments/ws/:p`]: (asked) => asked.project.environments.map(toEnvironment(asked)),
  [`${v2}/trafficTypes/ws/:p`]: ({ project }) => [
    { ...project.trafficType, displayAttributeId: 'name', workspace: { id: project.id, name: project.name } },
  ],
  [`${v2}/schema/ws/:p/trafficTypes/:x`]: attributesAnswer,
  [`${v2}/rolloutStatuses`]: ({ vendor, query }) =>
    vendor.account.projects.find(({ id }) => id === query.get('wsId'))?.statuses,
  // The newest first: whatever is created meanwhile shifts all others.
  [`${v2}/splits/ws/:p`]: (asked) =>
    listed(
      asked,
      asked.project.flags.toReversed().map((flag) => toFlag(asked, flag)),
      20,
      50,
    ),
  [`${v2}/splits/ws/:p/environments/:e`]: (asked) => listed(asked, definitionsIn(asked), 20, 50),
  [`${v2}/segments/ws/:p`]: (asked) => listed(asked, segmentsIn(asked, 'standard').map(toSegment(asked)), 20, 50),
  [`${v2}/segments/ws/:p/environments/:e`]: (asked) => listed(asked, activeIn(asked, 'standard'), 20, 50),
  [`${v2}/segments/:e/:x/keys`]: keysAnswer,
  [`${v2}/large-segments/ws/:p`]: (asked) => segmentsIn(asked, 'large').map(toSegment(asked)),
  [`${v2}/large-segments/ws/:p/environments/:e`]: (asked) => activeIn(asked, 'large'),
  // Ignores offset and limit, like the vendor's.
  [`${v2}/rule-based-segments/ws/:p`]: (asked) => segmentsIn(asked, 'rule_based').map(toRuleBased(asked)),
  [`${v2}/rule-based-segments/ws/:p/environments/:e`]: (asked) => ({ objects: activeIn(asked, 'rule_based') }),
  [`${v2}/groups`]: (asked) =>
    listed(
      asked,
      asked.vendor.account.groups.map((group) => ({ ...group, type: 'group' })),
      50,
      200,
    ),
  [`${v2}/users`]: usersAnswer,
  [`${v2}/restrictions`]: restrictionsAnswer,
  '/api/v3/flag-sets': flagSetsAnswer,
};

function adminAnswer(vendor: Vendor, options: VendorOptions, { method, url = '', headers }: IncomingMessage): Found {
  const { pathname, searchParams: query } = new URL(url, vendor.url);
  const isKnown = options.isMoved
    ? headers['x-api-key'] === vendor.adminKey
    : headers.authorization === `Bearer ${vendor.adminKey}`;
  if (!isKnown) return refused(401, 'Invalid Admin API Key');
  if (method !== 'GET') return refused(403, 'Role is insufficient');
  const gone = { users: 403, groups: 404, restrictions: 410 }[pathname.split('/')[4] ?? ''];
  if (options.isMoved && gone) return refused(gone, 'This endpoint is not available for accounts in Harness');
  for (const [pattern, handle] of Object.entries(routes)) {
    const words = paramsOf(pattern, pathname);
    if (!words) continue;
    const asked = placeOf(vendor.account, pattern, words);
    if (!asked) return refused(404, `Could not find ${words.join(' ')}`);
    const body = handle({ vendor, options, query, words, ...asked });
    return body === undefined ? refused(404, `Could not find ${words.join(' ')}`) : ok(body);
  }
  return refused(/\/environments\/ws\//.test(pathname) ? 405 : 404, 'Not here');
}

function paramsOf(pattern: string, path: string): string[] | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const fits = wanted.length === given.length && wanted.every((word, at) => word.startsWith(':') || word === given[at]);
  return fits ? given.filter((_, at) => wanted[at]?.startsWith(':')).map(decodeURIComponent) : undefined;
}

/** The project and the environment that the words mean. Without any, the first ones. */
function placeOf({ projects }: VendorAccount, pattern: string, words: readonly string[]) {
  const project = pattern.includes(':p')
    ? projects.find(({ id }) => id === words[0])
    : (projects.find(({ environments }) => environments.some(({ id }) => id === words[0])) ?? projects[0]);
  const environment = pattern.includes(':e')
    ? project?.environments.find(({ id }) => words.includes(id))
    : project?.environments[0];
  return project && environment ? { project, environment } : undefined;
}

/** A page by offset. */
function listed({ options, query }: Asked, all: readonly unknown[], standard: number, max: number) {
  const offset = Number(query.get('offset') ?? 0);
  const limit = Math.min(Number(query.get('limit') ?? standard), max);
  const size = options.hasShortPages && limit > 3 ? limit - 3 : limit;
  return { objects: all.slice(offset, offset + size), offset, limit, totalCount: options.totalCount ?? all.length };
}

/** A page by marker. */
function marked<Item>(all: readonly Item[], limit: number, marker: string | null) {
  const start = marker === null ? 0 : Number(Buffer.from(marker, 'base64url').toString().split('__')[1]);
  const markerAt = (at: number, word: string) => Buffer.from(`${word}__${at}`).toString('base64url');
  return {
    data: all.slice(start, start + limit),
    nextMarker: start + limit < all.length ? markerAt(start + limit, 'next') : null,
    previousMarker: start > 0 ? markerAt(start, 'prev') : null,
    limit,
    count: Math.min(limit, all.length - start),
  };
}

const toWorkspace = ({ id, name, requiresTitleAndComments }: VendorProject) => ({
  name,
  type: 'workspace',
  id,
  requiresTitleAndComments,
});

const toEnvironment =
  ({ options, vendor }: Asked) =>
  ({ id, name, production }: VendorEnvironment) => {
    const editors = vendor.account.groups.slice(0, 1).map((group) => ({ ...group, type: 'group' }));
    const changePermissions = production ? { areEditorsRestricted: true, editors } : { areApprovalsRequired: false };
    return { type: 'environment', id, name, production, ...(options.listsPermissions ? { changePermissions } : {}) };
  };

function attributesAnswer({ project, query }: Asked) {
  const all = project.attributes.map((attribute) => ({ ...attribute, trafficTypeId: project.trafficType.id }));
  if (query.get('paginate') !== 'true') return all;
  const { data, ...page } = marked(all, 2, query.get('afterMarker'));
  return { ...page, objects: data };
}

const toFlag = ({ project }: Asked, flag: VendorFlag) => ({
  id: flag.id,
  name: flag.name,
  description: flag.description,
  trafficType: project.trafficType,
  creationTime: flag.creationTime,
  rolloutStatus: flag.rolloutStatus,
  rolloutStatusTimestamp: flag.creationTime,
  tags: flag.tags,
  owners: flag.owners,
});

const definitionsIn = ({ project, environment }: Asked) =>
  project.flags.toReversed().flatMap((flag) => {
    const definition = flag.definitions.get(environment.name);
    return definition ? [toDefinition(project, flag, { environment, definition })] : [];
  });

function toDefinition(
  { trafficType }: VendorProject,
  { id, name, creationTime }: VendorFlag,
  { environment, definition }: { environment: VendorEnvironment; definition: VendorDefinition },
) {
  const { impressionsDisabled, rules, ...targeting } = definition.targeting;
  return {
    id,
    name,
    environment: { id: environment.id, name: environment.name },
    trafficType,
    ...targeting,
    rules: rules.map((rule) => ({
      ...rule,
      condition: { combiner: 'AND', matchers: rule.condition.matchers.map(asAdminMatcher) },
    })),
    ...(impressionsDisabled ? { impressionsDisabled } : {}),
    creationTime,
    lastUpdateTime: definition.changeNumber,
    lastTrafficReceivedAt: definition.changeNumber,
  };
}

/** Unused members may be null, a dependency may name one treatment, and newer matchers have spellings of their own. */
function asAdminMatcher(matcher: VendorDefinition['targeting']['rules'][number]['condition']['matchers'][number]) {
  const { type, depends, ...rest } = matcher;
  if (type === 'IN_LIST_SEMVER') return { type: 'SEMVER_IN_LIST', ...rest };
  if (type === 'BOOLEAN') return { type, string: null, strings: null, negate: false, ...rest };
  if (!depends) return matcher;
  const [treatment] = depends.treatments;
  return depends.treatments.length === 1
    ? { type, depends: { splitName: depends.splitName, treatment }, ...rest }
    : matcher;
}

const segmentsIn = ({ project }: Asked, kind: VendorSegment['kind']) =>
  project.segments.filter((segment) => segment.kind === kind);

const toSegment =
  ({ project }: Asked) =>
  ({ kind, name, description, tags }: VendorSegment) => ({
    ...(kind === 'large' ? { id: `large-${name}` } : {}),
    name,
    description,
    trafficType: project.trafficType,
    creationTime: 1_650_000_000_000,
    tags,
  });

const toRuleBased =
  ({ project }: Asked) =>
  ({ name, description, tags }: VendorSegment) => ({
    id: `rule-based-${name}`,
    workspaceIds: [project.id],
    name,
    status: 'ACTIVE',
    trafficTypeId: project.trafficType.id,
    trafficTypeURN: null,
    description: description ?? '',
    tags,
    views: null,
  });

const activeIn = (asked: Asked, kind: VendorSegment['kind']) =>
  segmentsIn(asked, kind).flatMap(({ name, active }) => {
    const activation = active.get(asked.environment.name);
    const { id, name: environment } = asked.environment;
    const base = { name, environment: { id, name: environment }, trafficType: asked.project.trafficType };
    return activation ? [kind === 'rule_based' ? { ...base, ...activation.rules } : base] : [];
  });

/** Pages have 100 keys, whatever is asked for, and the total has another name. */
function keysAnswer({ project, environment, query, words }: Asked) {
  const segment = project.segments.find(({ name }) => name === words[1]);
  const activation = segment?.kind === 'standard' ? segment.active.get(environment.name) : undefined;
  if (!activation) return undefined;
  const offset = Number(query.get('offset') ?? 0);
  const limit = Math.min(Number(query.get('limit') ?? 100), 100);
  const keys = [...activation.keys].sort();
  return {
    keys: keys.slice(offset, offset + limit).map((key) => ({ key })),
    openChangeRequestId: null,
    count: keys.length,
    offset,
    limit,
  };
}

/** Without a status, pending users are left out. A user in no group has no list of groups. */
function usersAnswer({ vendor, query }: Asked) {
  const status = query.get('status');
  const users = vendor.account.users
    .filter((user) => (status ? user.status === status : user.status !== 'PENDING'))
    .map(({ groups, ...user }) => ({
      ...user,
      type: 'user',
      '2fa': false,
      ...(groups.length > 0 ? { groups: groups.map((id) => ({ id, type: 'group' })) } : {}),
    }));
  return marked(users, Math.min(Number(query.get('limit') ?? 20), 15), query.get('after'));
}

function restrictionsAnswer(asked: Asked) {
  const project = asked.vendor.account.projects.find(({ id }) => id === asked.query.get('resource_id'));
  const { viewers, id, name } = project ?? asked.project;
  const restriction = {
    id: `restriction-${id}`,
    type: 'restriction',
    resource: { id, name, type: 'workspace' },
    operations: { view: true },
    resourcePermissions: { view: viewers },
  };
  return listed(asked, viewers ? [restriction] : [], 20, 200);
}

function flagSetsAnswer({ vendor, query }: Asked) {
  const project = vendor.account.projects.find(({ id }) => id === query.get('workspace_id'));
  if (!project) return undefined;
  const sets = project.flagSets.map((set) => ({
    ...set,
    workspace: { id: project.id, type: 'workspace' },
    createdAt: '2024-01-01T00:00:00.000000Z',
  }));
  return marked(sets, 2, query.get('after'));
}

function sdkAnswer(account: VendorAccount, { url = '', headers }: IncomingMessage): Found {
  const key = headers.authorization?.replace('Bearer ', '');
  for (const project of account.projects) {
    for (const environment of project.environments) {
      const isServerSide = key === environment.serverKey;
      if (!isServerSide && key !== environment.clientKey) continue;
      const { pathname, searchParams } = new URL(url, 'http://vendor');
      const since = Number(searchParams.get('since') ?? -1);
      if (pathname === '/api/splitChanges') return ok(changesSince(project, environment, searchParams));
      const name = decodeURIComponent(pathname.slice('/api/segmentChanges/'.length));
      return isServerSide ? ok(keysSince(project, environment, { name, since })) : refused(403, 'Forbidden');
    }
  }
  return refused(401, 'Invalid credentials');
}

function changesSince(project: VendorProject, environment: VendorEnvironment, query: URLSearchParams) {
  const [since, rbSince] = [Number(query.get('since') ?? -1), Number(query.get('rbSince') ?? -1)];
  const flags = project.flags.flatMap((flag) => toWire(project, flag, environment));
  const segments = project.segments.flatMap(({ kind, name, active }) => {
    const activation = kind === 'rule_based' ? active.get(environment.name) : undefined;
    if (!activation) return [];
    const { rules, changeNumber } = activation;
    return toWireSegment({ name, trafficType: project.trafficType.name, changeNumber, ...rules }, kindsIn(project));
  });
  const newer = <Item extends { changeNumber: number }>(all: readonly Item[], number: number) => ({
    d: all.filter(({ changeNumber }) => changeNumber > number),
    s: number,
    t: Math.max(number, ...all.map(({ changeNumber }) => changeNumber)),
  });
  const ff = newer(flags, since);
  return query.get('s') === '1.3' ? { ff, rbs: newer(segments, rbSince) } : { splits: ff.d, since: ff.s, till: ff.t };
}

const kindsIn = ({ segments }: VendorProject) => ({
  kindOf: (name: string) => segments.find((segment) => segment.name === name)?.kind,
});

function toWire(project: VendorProject, { name, definitions }: VendorFlag, environment: VendorEnvironment): WireFlag[] {
  const definition = definitions.get(environment.name);
  if (!definition) return [];
  const { targeting, seed, trafficAllocationSeed, algo, changeNumber, prerequisites } = definition;
  const setNameOf = (id: string) => project.flagSets.find((set) => set.id === id)?.name;
  const flag = toWireFlag(
    { ...targeting, seed, trafficAllocationSeed, algo, name, trafficType: project.trafficType, revision: changeNumber },
    { ...kindsIn(project), setNameOf },
  );
  return [{ ...flag, prerequisites: prerequisites as unknown as [] }];
}

function keysSince(
  { segments }: VendorProject,
  environment: VendorEnvironment,
  { name, since }: { name: string; since: number },
) {
  const activation = segments.find((segment) => segment.name === name)?.active.get(environment.name);
  const till = Math.max(since, activation?.changeNumber ?? -1);
  const added = activation && till > since ? [...activation.keys] : [];
  return { name, added, removed: [], since, till };
}
