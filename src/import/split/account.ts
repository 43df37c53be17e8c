/**
 * Reads a live account: of Split, before or after its move to Harness, or of another Burgee. Nothing is written to it.
 * What it refuses is reported, and the rest is read.
 */
import type {
  SourceAccount,
  SourceDefinition,
  SourceEnvironment,
  SourceFlag,
  SourceFlagSet,
  SourceKind,
  SourceProject,
  SourceTrafficType,
} from '#domain/import/source.ts';
import type { Members } from '#domain/json.ts';
import { OperatorError } from '#domain/operator.ts';
import {
  type Client,
  createClient,
  defaultRetryPolicy,
  type RetryPolicy,
  SourceRefusal,
  type Traffic,
} from './client.ts';
import { readDefinitions, readSeeded, toDefinitions } from './definitions.ts';
import { itemsIn, memberIn, numberIn, objectsIn, readByMarker, readByOffset, tagsIn, textIn } from './lists.ts';
import { type Access, type People, readAccess, readPeople } from './people.ts';
import { createReading, type Named, type Reading, type ReadProgress, v2 } from './reading.ts';
import { readWire, type Wire } from './sdk.ts';
import { readSegments, trafficTypesOf } from './segments.ts';

export interface AccountOptions {
  /** Of the Admin API: `https://api.split.io`, or another Burgee. */
  readonly url: string;
  /** Of the SDK endpoints, with `/api`. Default: the one that belongs to `url`. */
  readonly sdkUrl?: string | undefined;
  readonly adminKey: string;
  /** By the name of the environment, or by `project/environment`. */
  readonly sdkKeys: Readonly<Record<string, string>>;
  /** Their names; all if absent. */
  readonly projects?: readonly string[] | undefined;
  readonly only?: readonly SourceKind[] | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
  /** Counted on, for callers who look at it while they wait. */
  readonly traffic?: Traffic | undefined;
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Throws if the address must not be asked. */
  readonly check?: ((url: URL) => Promise<void>) | undefined;
}

export async function readSplitAccount(options: AccountOptions): Promise<SourceAccount> {
  // One failure ends all requests that are under way.
  const failed = new AbortController();
  try {
    return await readAccount({ ...options, signal: AbortSignal.any([options.signal, failed.signal]) });
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}

async function readAccount(options: AccountOptions): Promise<SourceAccount> {
  const { signal, adminKey, retryPolicy = defaultRetryPolicy, only, onProgress = () => undefined } = options;
  const { traffic = { requests: 0, waitedMs: 0 } } = options;
  const origin = originOf(options.url);
  const connect = (base: string, headers: Record<string, string>) =>
    createClient({ base, headers, signal, retryPolicy, traffic, check: options.check });
  const api = connect(origin, adminHeaders(adminKey));
  const isBurgee = await greet(api);
  const projects = await findProjects(api, options.projects);
  const environments = await Promise.all(
    projects.map(async ({ id }) => itemsIn((await api.get(`${v2}/environments/ws/${id}`)).body)),
  );
  const keys = assignKeys(
    options.sdkKeys,
    projects.map(({ name }, index) => ({ name, environments: (environments[index] ?? []).map(nameOf) })),
  );
  const sdks = new Map([...keys].map(([place, key]) => [place, connect(sdkUrlOf(options, origin), bearer(key))]));
  const reading = createReading({
    api,
    isBurgee,
    sdkOf: (project, environment) => sdks.get(`${project}/${environment}`),
    wants: (kind) => !only || only.includes(kind),
    traffic,
    onProgress,
  });
  const people = await readPeople(reading);
  const read = await Promise.all(
    projects.map((project, index) =>
      readProject(reading, { project, environments: environments[index] ?? [], people }),
    ),
  );
  return {
    name: `${isBurgee ? 'Burgee' : 'Split'} (${new URL(origin).host})`,
    projects: read,
    groups: people.groups,
    users: people.users,
    unread: reading.unread,
  };
}

const nameOf = (item: Members): string => textIn(item, 'name');

function originOf(url: string): string {
  if (!URL.canParse(url)) throw new OperatorError(`${url} is not an address. Use one like https://api.split.io`);
  const { origin, pathname } = new URL(url);
  // A server behind a proxy may be below a path.
  return origin + pathname.replace(/(\/internal\/api(\/v\d)?)?\/*$/, '');
}

/** The vendor has a host for SDKs. */
const sdkUrlOf = ({ sdkUrl }: AccountOptions, origin: string): string =>
  (sdkUrl ?? (/^https:\/\/(api|app)\.split\.io$/.test(origin) ? 'https://sdk.split.io/api' : `${origin}/api`)).replace(
    /\/+$/,
    '',
  );

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
/** Harness calls its tokens `pat.…` and `sat.…`, and wants them in a header of their own. */
const adminHeaders = (key: string): Record<string, string> =>
  /^[ps]at\./.test(key) ? { 'x-api-key': key } : bearer(key);

/** Whether the source is a Burgee. Refuses an account that cannot be read at all. */
async function greet(api: Client): Promise<boolean> {
  try {
    const { headers } = await api.get(`${v2}/workspaces`, { limit: 1 });
    return headers.has('x-transaction-id');
  } catch (error) {
    if (!(error instanceof SourceRefusal)) throw error;
    const reason = [401, 403].includes(error.status) ? 'The source refuses the Admin API key' : 'There is no Admin API';
    throw new OperatorError(`${reason}: ${error.message}`);
  }
}

async function findProjects(
  api: Client,
  wanted: readonly string[] | undefined,
): Promise<(Named & { item: Members })[]> {
  const items = await readByOffset(api, `${v2}/workspaces`, { limit: 100 });
  const all = items.map((item) => ({ id: textIn(item, 'id'), name: nameOf(item), item }));
  const unknown = wanted?.find((name) => !all.some((project) => project.name === name));
  if (unknown !== undefined) {
    throw new OperatorError(`The source has no project ${unknown}. It has ${all.map(({ name }) => name).join(', ')}`);
  }
  return wanted ? all.filter(({ name }) => wanted.includes(name)) : all;
}

/** The keys by `project/environment`. An SDK key is for one environment, so it must be clear which one is meant. */
function assignKeys(
  keys: Readonly<Record<string, string>>,
  projects: readonly { name: string; environments: readonly string[] }[],
): Map<string, string> {
  const places = projects.flatMap(({ name, environments }) => environments.map((environment) => [name, environment]));
  const assigned = new Map<string, string>();
  for (const [word, key] of Object.entries(keys)) {
    const meant = places.filter(
      ([project, environment]) => word === environment || word === `${project}/${environment}`,
    );
    const named = meant.map((place) => place.join('/'));
    const [place] = named;
    if (place === undefined) throw new OperatorError(`There is an SDK key for ${word}, which the source does not have`);
    if (named.length > 1)
      throw new OperatorError(`The SDK key for ${word} may mean ${named.join(' or ')}. Write one of these`);
    const other = [...assigned].find(([, used]) => used === key);
    if (other) throw new OperatorError(`${other[0]} and ${place} have the same SDK key. Each environment has its own`);
    assigned.set(place, key);
  }
  return assigned;
}

interface Found {
  readonly project: Named & { readonly item: Members };
  readonly environments: readonly Members[];
  readonly people: People;
}

async function readProject(reading: Reading, { project, environments: items, people }: Found): Promise<SourceProject> {
  const { id, name } = project;
  const [access, trafficTypes, environments, statuses, setItems, flagItems] = await Promise.all([
    reading.wants('people') ? readAccess(reading, project, people) : openAccess,
    readTrafficTypes(reading, project),
    Promise.all(items.map((item) => readEnvironment(reading, project, item))),
    reading.attempt(
      `Rollout statuses of ${name}`,
      async () => itemsIn((await reading.api.get(`${v2}/rolloutStatuses`, { wsId: id })).body),
      [],
    ),
    reading.wants('flags') ? readFlagSets(reading, project) : [],
    reading.wants('flags')
      ? reading.attempt(`Flags of ${name}`, () => readByOffset(reading.api, `${v2}/splits/ws/${id}`, { limit: 50 }), [])
      : [],
  ]);
  if (reading.wants('people') && !reading.isBurgee && items.some(({ changePermissions }) => !changePermissions)) {
    reading.leaveOut(
      'Environment editors',
      'Split lists environments without their permissions. Set them in the access settings of each project.',
    );
  }
  const trafficTypeOf = trafficTypesOf(trafficTypes.names);
  const setNames = new Map(setItems.map((item) => [textIn(item, 'id'), nameOf(item)]));
  const seeded = environments.every(({ definitions: own }) => own) ? [] : await readSeeded(reading, project, flagItems);
  const definitions: Definitions[] = [];
  for (const environment of environments) {
    const own = environment.definitions ?? seeded.filter((item) => textIn(item.environment, 'id') === environment.id);
    definitions.push(await toDefinitions(reading, own, { project, environment, setNames }));
  }
  const segments = reading.wants('segments')
    ? await readSegments(reading, { project, environments, trafficTypeOf })
    : [];
  return {
    name,
    requiresTitleAndComments: project.item.requiresTitleAndComments === true,
    environments: environments.map((environment, index) =>
      toEnvironment(environment, { access, people, definitions: definitions[index] ?? new Map() }),
    ),
    trafficTypes: trafficTypes.list,
    rolloutStatuses: statuses.map(nameOf),
    flagSets: setItems.map((item): SourceFlagSet => ({ name: nameOf(item), description: textIn(item, 'description') })),
    flags: flagItems.map((item) => toFlag(reading, item, { project: name, people, trafficTypeOf, definitions })),
    segments,
    viewers: access.viewers,
    editors: access.projectEditors,
  };
}

const openAccess: Access = { viewers: undefined, editors: new Map() };

interface FoundEnvironment extends Named {
  readonly item: Members;
  /** Undefined for another Burgee, which returns them with their seeds, flag by flag. */
  readonly definitions: readonly Members[] | undefined;
  readonly wire: Wire | undefined;
}

/** What SDKs get is read after the definitions, so that it has the seeds of the newest one. */
async function readEnvironment(reading: Reading, project: Named, item: Members): Promise<FoundEnvironment> {
  const environment = { id: textIn(item, 'id'), name: nameOf(item), item };
  const sdk = reading.sdkOf(project.name, environment.name);
  const isListed = sdk !== undefined || !reading.isBurgee;
  const definitions =
    isListed && reading.wants('flags') ? await readDefinitions(reading, project, environment) : undefined;
  const where = `${project.name}/${environment.name}`;
  const wire = sdk && (await reading.attempt(`Seeds of ${where}`, () => readWire(sdk), undefined));
  return { ...environment, definitions, wire };
}

async function readTrafficTypes(reading: Reading, { id, name }: Named) {
  const items = await reading.attempt(
    `Traffic types of ${name}`,
    async () => itemsIn((await reading.api.get(`${v2}/trafficTypes/ws/${id}`)).body),
    [],
  );
  const list = await Promise.all(
    items.map(async (item): Promise<SourceTrafficType> => {
      const attributes = await reading.attempt(`Attributes of ${name}/${nameOf(item)}`, () => {
        const query = { paginate: 'true', markerLimit: 200 };
        const path = `${v2}/schema/ws/${id}/trafficTypes/${textIn(item, 'id')}`;
        return readByMarker(reading.api, path, { query, after: 'afterMarker' });
      }, []);
      return {
        name: nameOf(item),
        displayAttributeId: textIn(item, 'displayAttributeId') || undefined,
        attributes: attributes.map(toAttribute),
      };
    }),
  );
  return { list, names: new Map(items.map((item) => [textIn(item, 'id'), nameOf(item)])) };
}

const toAttribute = (item: Members) => {
  const { displayName, description, dataType, isSearchable, suggestedValues } = item;
  return { id: textIn(item, 'id'), displayName, description, dataType, isSearchable, suggestedValues };
};

/** At one of two addresses. */
const readFlagSets = (reading: Reading, { id, name }: Named): Promise<Members[]> => {
  const read = (prefix: string) =>
    readByMarker(reading.api, `${prefix}/flag-sets`, { query: { workspace_id: id, limit: 200 }, after: 'after' });
  return reading.attempt(`Flag sets of ${name}`, async () => {
    try {
      return await read('/api/v3');
    } catch (error) {
      if (!(error instanceof SourceRefusal)) throw error;
      return read('/internal/api/v3');
    }
  }, []);
};

type Definitions = ReadonlyMap<string, SourceDefinition>;

function toEnvironment(
  { id, name, item, wire }: FoundEnvironment,
  { access, people, definitions }: { access: Access; people: People; definitions: Definitions },
): SourceEnvironment {
  const { changePermissions } = item;
  const listed = (restricted: string, name: string) =>
    memberIn(changePermissions, restricted) === true
      ? objectsIn(changePermissions, name).flatMap((grantee) => people.personOf(grantee) ?? [])
      : undefined;
  return {
    name,
    production: item.production === true || item.production === 'true',
    hasSeeds: wire !== undefined || [...definitions.values()].every(({ seeds }) => seeds !== undefined),
    editors: access.editors.get(id) ?? listed('areEditorsRestricted', 'editors'),
    approvers: listed('areApproversRestricted', 'approvers'),
    wire,
  };
}

interface FlagPlace {
  readonly project: string;
  readonly people: People;
  readonly trafficTypeOf: (item: Members) => string;
  readonly definitions: readonly Definitions[];
}

function toFlag(reading: Reading, item: Members, place: FlagPlace): SourceFlag {
  const name = nameOf(item);
  const owners = objectsIn(item, 'owners');
  const known = owners.flatMap((owner) => place.people.personOf(owner) ?? []);
  if (known.length < owners.length && reading.wants('people')) {
    reading.leaveOut(`Owners of flags in ${place.project}`, 'Some are users or groups that could not be read.');
  }
  return {
    name,
    description: textIn(item, 'description'),
    trafficType: place.trafficTypeOf(item),
    rolloutStatus: textIn(item.rolloutStatus, 'name') || undefined,
    tags: tagsIn(item),
    owners: known,
    creationTime: numberIn(item, 'creationTime'),
    definitions: place.definitions.flatMap((ofEnvironment) => ofEnvironment.get(name) ?? []),
  };
}
