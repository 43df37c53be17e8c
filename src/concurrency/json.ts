/** Parses long JSON in turns: `JSON.parse` takes 40 ms for 100,000 keys. */
import { takeTurns } from './turns.ts';

/** About a millisecond's work. */
const defaultPiece = 100_000;
/** Far deeper than the documents that we read. Each long value is searched once for every value that it is in. */
const deepest = 64;

/** What `JSON.parse` returns, or a SyntaxError. `piece`: how many characters are parsed at once. */
export async function parseJson(text: string, piece = defaultPiece): Promise<unknown> {
  if (text.length <= piece) return JSON.parse(text);
  const turns = takeTurns();

  async function valueAt(start: number, depth: number): Promise<Parsed> {
    if (turns.isOver()) await turns.next();
    const end = endWithin(text, start, piece);
    if (end !== undefined) return { value: JSON.parse(text.slice(start, end)), end };
    if (depth === deepest) throw new SyntaxError(`Nested too deeply at position ${start}`);
    return text[start] === '{' ? objectAt(start, depth + 1) : arrayAt(start, depth + 1);
  }

  async function arrayAt(start: number, depth: number): Promise<Parsed> {
    const value: unknown[] = [];
    const first = skipSpace(text, start + 1);
    if (text[first] === ']') return { value, end: first + 1 };
    for (let at = first; ; ) {
      if (turns.isOver()) await turns.next();
      const several = endOfItems(text, at, piece);
      if (several > at) {
        for (const item of JSON.parse(`[${text.slice(at, several)}]`) as unknown[]) value.push(item);
        at = skipSpace(text, several);
      } else {
        const item = await valueAt(at, depth);
        value.push(item.value);
        at = skipSpace(text, item.end);
      }
      if (text[at] === ']') return { value, end: at + 1 };
      at = skipSpace(text, expect(text, at, ','));
    }
  }

  async function objectAt(start: number, depth: number): Promise<Parsed> {
    const members: [string, unknown][] = [];
    const first = skipSpace(text, start + 1);
    if (text[first] === '}') return { value: {}, end: first + 1 };
    for (let at = first; ; ) {
      const endOfName = text[at] === '"' ? endOfString(text, at) : at;
      const name = JSON.parse(text.slice(at, endOfName)) as string;
      const colon = expect(text, skipSpace(text, endOfName), ':');
      const member = await valueAt(skipSpace(text, colon), depth);
      members.push([name, member.value]);
      at = skipSpace(text, member.end);
      if (text[at] === '}') return { value: Object.fromEntries(members), end: at + 1 };
      at = skipSpace(text, expect(text, at, ','));
    }
  }

  const { value, end } = await valueAt(skipSpace(text, 0), 0);
  if (skipSpace(text, end) < text.length) throw new SyntaxError(`Unexpected text at position ${end}`);
  return value;
}

interface Parsed {
  readonly value: unknown;
  /** Where the rest of the text begins. */
  readonly end: number;
}

const space = /[ \t\r\n]*/y;
function skipSpace(text: string, at: number): number {
  space.lastIndex = at;
  space.test(text);
  return space.lastIndex;
}

function expect(text: string, at: number, character: string): number {
  if (text[at] !== character) throw new SyntaxError(`Expected ${character} at position ${at}`);
  return at + 1;
}

/** The end of as many items of an array as fit into a piece, without the comma after them; `start` if none does. */
function endOfItems(text: string, start: number, piece: number): number {
  for (let [end, next] = [start, start]; ; ) {
    const found = endWithin(text, next, start + piece - next);
    if (found === undefined) return end;
    end = found;
    const at = skipSpace(text, end);
    if (text[at] !== ',' || end - start >= piece) return end;
    next = skipSpace(text, at + 1);
  }
}

const scalar = /[^\s,:[\]{}"]+/y;
const bracket = /["[\]{}]/g;

/** Where the value ends; undefined if an object or a list is longer than that. Texts are taken whole. */
function endWithin(text: string, start: number, length: number): number | undefined {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    scalar.lastIndex = start;
    if (!scalar.test(text)) throw new SyntaxError(`Expected a value at position ${start}`);
    return scalar.lastIndex;
  }
  let depth = 0;
  for (bracket.lastIndex = start; ; ) {
    const at = bracket.exec(text)?.index;
    if (at === undefined) throw new SyntaxError(`A value that begins at position ${start} does not end`);
    if (at - start > length) return undefined;
    const character = text[at];
    if (character === '"') bracket.lastIndex = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (--depth === 0) return at + 1;
  }
}

/** Behind the closing quote. */
function endOfString(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) throw new SyntaxError(`A text that begins at position ${start} does not end`);
    let before = end - 1;
    while (text[before] === '\\') before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
  }
}
