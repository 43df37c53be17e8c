/** Reads whole lists in any format. It does not trust totals: pages may be short or repeat items. */
import { isObject, type Members, objectsOf } from '#domain/json.ts';
import { OperatorError } from '#domain/operator.ts';
import type { Client, Query } from './client.ts';

/** 100,000 keys in pages of 100. More never ends. */
const maxPages = 1_001;

/** Bare, or in an envelope. */
export function itemsIn(body: unknown): Members[] {
  const { objects, data, items, keys } = isObject(body) ? body : {};
  const list = [body, objects, data, items, keys].find(Array.isArray);
  return (list ?? []).filter(isObject);
}

/** By `offset`: until a page is empty, or brings nothing new twice. */
export async function readByOffset(client: Client, path: string, query: Query): Promise<Members[]> {
  const found = new Map<string, Members>();
  for await (const page of offsetPages(client, path, query)) for (const [id, item] of page) found.set(id, item);
  return [...found.values()];
}

/** The pages of a list, without what earlier ones had. */
export async function* offsetPages(client: Client, path: string, query: Query): AsyncGenerator<[string, Members][]> {
  const seen = new Set<string>();
  for (let [offset, idle, pages] = [0, 0, 0]; idle < 2; pages += 1) {
    if (pages === maxPages) throw neverEnds(path);
    const { body } = await client.get(path, { ...query, offset });
    const items = itemsIn(body);
    if (items.length === 0) return;
    const fresh = items
      .map((item): [string, Members] => [idOf(item), item])
      .filter(([id]) => seen.size < seen.add(id).size);
    if (fresh.length > 0) yield fresh;
    idle = fresh.length > 0 ? 0 : idle + 1;
    // Some sources count in items, some in whole pages: a short page that leads nowhere is left by a whole one.
    offset += fresh.length > 0 ? items.length : (numberIn(body, 'limit') ?? items.length);
  }
}

const neverEnds = (path: string) => new OperatorError(`The list ${path} of the source does not end`);

interface MarkerList {
  readonly query: Query;
  /** The name of the parameter that takes the marker. */
  readonly after: string;
}

/** By marker: until there is no next one. */
export async function readByMarker(client: Client, path: string, { query, after }: MarkerList): Promise<Members[]> {
  const found = new Map<string, Members>();
  const seen = new Set<string>();
  for (let marker = ''; ; ) {
    if (seen.size === maxPages) throw neverEnds(path);
    const { body } = await client.get(path, marker === '' ? query : { ...query, [after]: marker });
    for (const item of itemsIn(body)) found.set(idOf(item), item);
    marker = textIn(body, 'nextMarker');
    if (marker === '' || seen.has(marker)) return [...found.values()];
    seen.add(marker);
  }
}

/** Segments have no id, definitions have that of their flag, keys are what they are. */
const idOf = (item: Members): string => textIn(item, 'id') || textIn(item, 'name') || textIn(item, 'key');

export const textIn = (value: unknown, name: string): string => {
  const member = memberIn(value, name);
  return typeof member === 'string' ? member : '';
};

export const numberIn = (value: unknown, name: string): number | undefined => {
  const member = memberIn(value, name);
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined;
};

export const objectsIn = (value: unknown, name: string): Members[] => objectsOf(memberIn(value, name));

export const memberIn = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** Tags are objects with a name, or null. */
export const tagsIn = (item: Members): string[] => objectsIn(item, 'tags').flatMap((tag) => textIn(tag, 'name') || []);
