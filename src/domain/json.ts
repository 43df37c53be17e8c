/** Compares JSON values, joins and escapes JSON text, and measures it before it is parsed. */

/** Equal as JSON: member order does not matter, numbers compare by value. */
export function equalJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && equalJson(member(one, name), member(other, name)))
  );
}

const member = (value: object, name: string): unknown => (value as Record<string, unknown>)[name];

/** JSON text that stands for its value, so that stored text is passed on without parsing. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const toJsonText = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value));

/** Joins the JSON texts of non-empty objects into one object. */
export const joinObjects = (...texts: readonly string[]): string =>
  `{${texts.map((text) => text.slice(1, -1)).join(',')}}`;

/** The same JSON in ASCII: the JavaScript SDK reads the bytes of a stream's payload as Latin-1. */
export const toAsciiText = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

export type Members = Record<string, unknown>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects in a list; none if it is no list. */
export const objectsOf = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Maps a list. Returns the same list if no item changes, so unchanged parts cost no memory. */
export function mapItems<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  let changed: Item[] | undefined;
  for (const [index, item] of list.entries()) {
    const next = change(item);
    if (next === item) continue;
    changed ??= [...list];
    changed[index] = next;
  }
  return changed ?? list;
}

/** The same for the members of an object; `undefined` removes a member. */
export function mapMembers(object: Members, change: (member: unknown, name: string) => unknown): Members {
  const names = Object.keys(object);
  let changed: Members | undefined;
  for (const [index, name] of names.entries()) {
    const member = object[name];
    const next = change(member, name);
    if (!changed && next === member) continue;
    changed ??= Object.fromEntries(names.slice(0, index).map((earlier) => [earlier, object[earlier]]));
    if (next !== undefined) changed[name] = next;
  }
  return changed ?? object;
}

/** Equal values have equal text: members are sorted by name. */
export const canonicalText = (value: unknown): string => JSON.stringify(value, sorted);

const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** What is known of a JSON text before it is parsed. Only counts, so no text can exhaust the stack. */
export interface TextMeasures {
  /** Maximum nesting of lists and objects. */
  readonly depth: number;
  /** Number of members of all objects, duplicates included. */
  readonly members: number;
  /** Number of members of the largest object. */
  readonly widestObject: number;
}

export function measure(text: string): TextMeasures {
  /** The members counted so far in each open list and object. */
  const open: number[] = [];
  let [depth, members, widestObject] = [0, 0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === '[' || character === '{') depth = Math.max(depth, open.push(0));
    else if (character === ']' || character === '}') open.pop();
    else if (character === ':') {
      members += 1;
      const own = (open.pop() ?? 0) + 1;
      open.push(own);
      widestObject = Math.max(widestObject, own);
    }
  }
  return { depth, members, widestObject };
}

/** The closing quote of the string that starts at `start`. By `indexOf`: long strings are most of a long text. */
function endOfString(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let before = end - 1;
    while (text[before] === '\\') before -= 1;
    const isEscaped = (end - before) % 2 === 0;
    if (!isEscaped) return end;
  }
}

/** Number of members of all objects in the value. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) for (const item of value) members += countMembers(item);
  else for (const name in value) members += 1 + countMembers((value as Record<string, unknown>)[name]);
  return members;
}
