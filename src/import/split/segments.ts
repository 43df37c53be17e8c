/** Segments of all kinds, where they are active, and their keys. */

import { parseSegmentRules } from '#domain/definitions/parse.ts';
import { segmentRulesFromWire } from '#domain/import/from-wire.ts';
import type { SourceActivation, SourceSegment } from '#domain/import/source.ts';
import { isObject, type Members } from '#domain/json.ts';
import { type Client, SourceRefusal } from './client.ts';
import { itemsIn, memberIn, numberIn, offsetPages, readByOffset, tagsIn, textIn } from './lists.ts';
import { type Named, type Reading, v2 } from './reading.ts';
import { readSegmentKeys, type Wire } from './sdk.ts';

interface Place {
  readonly project: Named;
  readonly environments: readonly PlaceEnvironment[];
  readonly trafficTypeOf: (item: Members) => string;
}

interface PlaceEnvironment extends Named {
  readonly wire: Wire | undefined;
}

type Kind = SourceSegment['kind'];

const pathOf: Record<Kind, string> = {
  standard: `${v2}/segments`,
  large: `${v2}/large-segments`,
  rule_based: `${v2}/rule-based-segments`,
};

const wordOf: Record<Kind, string> = {
  standard: 'Segments',
  large: 'Large segments',
  rule_based: 'Rule-based segments',
};

export async function readSegments(reading: Reading, place: Place): Promise<SourceSegment[]> {
  const lists = await Promise.all(
    (['standard', 'large', 'rule_based'] as const).map((kind) => readKind(reading, place, kind)),
  );
  return lists.flat();
}

async function readKind(reading: Reading, place: Place, kind: Kind): Promise<SourceSegment[]> {
  const { project, environments } = place;
  const list = (path: string, where: string) =>
    reading.attempt(`${wordOf[kind]} of ${where}`, () => readList(reading.api, kind, pathOf[kind] + path), []);
  const listed = list(`/ws/${project.id}`, project.name);
  const activations = environments.map(async (environment) => {
    const where = `${project.name}/${environment.name}`;
    const active = await list(`/ws/${project.id}/environments/${environment.id}`, where);
    if (kind === 'large' && active.length > 0 && !reading.isBurgee) {
      const names = active.map((item) => textIn(item, 'name')).join(', ');
      reading.leaveOut(
        `Keys of large segments in ${where}`,
        `Split has no way to read them. Upload the files here: ${names}.`,
      );
    }
    return Promise.all(
      active.map(async (item) => ({
        item,
        activation: await activationOf[kind](reading, { item, environment, project: project.name }),
      })),
    );
  });
  // Together: if one fails, nobody would wait for the others, and their failures would end the process.
  const [own, active] = await Promise.all([listed, Promise.all(activations)]);
  const segments = new Map(own.map((item) => [textIn(item, 'name'), { item, active: [] as SourceActivation[] }]));
  for (const { item, activation } of active.flat()) {
    const name = textIn(item, 'name');
    // Created since the first list was read.
    const segment = segments.get(name) ?? { item, active: [] };
    segments.set(name, segment);
    segment.active.push(activation);
  }
  return [...segments].map(([name, { item, active }]) => ({
    kind,
    name,
    description: textIn(item, 'description'),
    trafficType: place.trafficTypeOf(item),
    tags: tagsIn(item),
    environments: active,
  }));
}

/** Large segments come in one piece; lists of rule-based ones may ignore the offset. */
const readList = async (api: Client, kind: Kind, path: string): Promise<Members[]> =>
  kind === 'large' ? itemsIn((await api.get(path)).body) : readByOffset(api, path, { limit: 50 });

interface Active {
  readonly item: Members;
  readonly environment: PlaceEnvironment;
  readonly project: string;
}

const activationOf: Record<Kind, (reading: Reading, active: Active) => Promise<SourceActivation>> = {
  standard: standardActivation,
  large: async (reading, active) => largeActivation(reading, active),
  rule_based: async (_, active) => ruleBasedActivation(active),
};

async function standardActivation(reading: Reading, { item, environment, project }: Active): Promise<SourceActivation> {
  const name = textIn(item, 'name');
  const nothing = { environment: environment.name, changeNumber: undefined, keyCount: undefined };
  return reading.attempt(
    `Keys of segment ${name} in ${project}/${environment.name}`,
    async () => {
      const sdk = reading.sdkOf(project, environment.name);
      const known = sdk && (await keysBySdk(reading, sdk, name));
      if (known) return { ...nothing, ...known };
      const path = `${pathOf.standard}/${environment.id}/${encodeURIComponent(name)}/keys`;
      const { body } = await reading.api.get(path, { limit: 1 });
      const keyCount = numberIn(body, 'count') ?? numberIn(body, 'totalCount');
      return { ...nothing, keyCount, keys: () => keysByPages(reading.api, path) };
    },
    nothing,
  );
}

/** Undefined if the key is a client-side one, which may not read segments. */
async function keysBySdk(reading: Reading, sdk: Client, name: string): Promise<Partial<SourceActivation> | undefined> {
  try {
    const { keys, changeNumber } = await readSegmentKeys(sdk, name);
    const kept = reading.mayKeep(keys.size) ? keys : undefined;
    const read = async () => kept ?? (await readSegmentKeys(sdk, name)).keys;
    return { changeNumber, keyCount: keys.size, keys: () => inPages(read) };
  } catch (error) {
    if (error instanceof SourceRefusal && [401, 403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

const keysPerPage = 10_000;

async function* inPages(read: () => Promise<ReadonlySet<string>>): AsyncGenerator<string[]> {
  let page: string[] = [];
  for (const key of await read()) {
    if (page.push(key) < keysPerPage) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function* keysByPages(api: Client, path: string): AsyncGenerator<string[]> {
  for await (const page of offsetPages(api, path, { limit: 1000 })) yield page.map(([key]) => key);
}

function largeActivation(reading: Reading, { item, environment }: Active): SourceActivation {
  if (!reading.isBurgee) return { environment: environment.name, changeNumber: undefined, keyCount: undefined };
  const path = `${pathOf.large}/${environment.id}/${encodeURIComponent(textIn(item, 'name'))}/keys`;
  return {
    environment: environment.name,
    changeNumber: undefined,
    keyCount: numberIn(item, 'count'),
    keys: () => keysFrom(reading.api, path),
  };
}

/** Burgee's own list, sorted: each page says where the next one begins. */
async function* keysFrom(api: Client, path: string): AsyncGenerator<string[]> {
  for (let from = ''; ; ) {
    const { body } = await api.get(path, from === '' ? { limit: 1000 } : { limit: 1000, from });
    yield itemsIn(body).map((item) => textIn(item, 'key'));
    const next = textIn(body, 'next');
    if (next === '' || next === from) return;
    from = next;
  }
}

function ruleBasedActivation({ item, environment }: Active): SourceActivation {
  const wire = environment.wire?.segments.get(textIn(item, 'name'));
  const { rules, excludedKeys, excludedSegments } = item;
  const own = { rules, excludedKeys, excludedSegments };
  const fromWire = wire && !(Array.isArray(rules) && isAccepted(own)) ? segmentRulesFromWire(wire) : undefined;
  return {
    environment: environment.name,
    definition: fromWire ?? own,
    changeNumber: numberIn(wire, 'changeNumber'),
    keyCount: undefined,
  };
}

function isAccepted(definition: Members): boolean {
  try {
    parseSegmentRules(definition);
    return true;
  } catch {
    return false;
  }
}

/** By name, or by an id alone. */
export const trafficTypesOf =
  (byId: ReadonlyMap<string, string>) =>
  (item: Members): string => {
    const { trafficType, trafficTypeURN } = item;
    const nested = isObject(trafficType) ? trafficType : trafficTypeURN;
    return textIn(nested, 'name') || byId.get(textIn(item, 'trafficTypeId') || String(memberIn(nested, 'id'))) || '';
  };
