/** Locates a complaint in JSON text by its path: `rules/0/buckets sizes must add up to 100`. */

export interface TextPlace {
  readonly offset: number;
  /** Starts at 1. */
  readonly line: number;
}

/** The deepest part of the complaint's path that exists in the text; the start for complaints about the whole. */
export function placeInJson(text: string, complaint: string): TextPlace {
  const offset = offsetNamedBy(text, complaint) ?? offsetOf(text, pathOf(complaint));
  return { offset, line: text.slice(0, offset).split('\n').length };
}

/** Engines name the position of a syntax error: as an offset, as line and column, or as the end. */
function offsetNamedBy(text: string, complaint: string): number | undefined {
  const [, position] = /position (\d+)/.exec(complaint) ?? [];
  if (position !== undefined) return Number(position);
  const [, line, column] = /line (\d+) column (\d+)/.exec(complaint) ?? [];
  if (line !== undefined) {
    const before = text.split('\n').slice(0, Number(line) - 1);
    return before.reduce((length, { length: more }) => length + more + 1, Number(column) - 1);
  }
  return complaint.startsWith('Invalid JSON') ? text.length : undefined;
}

const pathOf = (complaint: string): string[] => (complaint.split(' ')[0] ?? '').split('/');

/** Descends the path member by member. */
function offsetOf(text: string, path: readonly string[]): number {
  let offset = skipBlanks(text, 0);
  for (const name of path) {
    const next = childOffset(text, offset, name);
    if (next === undefined) break;
    offset = next;
  }
  return offset;
}

/** Where the value of a member or item starts, in the object or array at the offset. */
function childOffset(text: string, start: number, name: string): number | undefined {
  const isList = text[start] === '[';
  if (!isList && text[start] !== '{') return undefined;
  let at = skipBlanks(text, start + 1);
  for (let index = 0; at < text.length && text[at] !== ']' && text[at] !== '}'; index += 1) {
    let key = String(index);
    if (!isList) {
      const end = valueEnd(text, at);
      key = text.slice(at + 1, end - 1);
      at = skipBlanks(text, skipBlanks(text, end) + 1);
    }
    if (key === name) return at;
    at = skipBlanks(text, valueEnd(text, at));
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return undefined;
}

/** The end of the value that starts here. Counts brackets outside strings. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"') at = textEnd(text, at);
    else if ('[{'.includes(character)) depth += 1;
    else if (']}'.includes(character)) depth -= 1;
    else if (depth === 0 && character === ',') return at;
    if (depth < 0) return at;
    if (depth === 0 && '"]}'.includes(character)) return at + 1;
  }
  return text.length;
}

function textEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && /\s/.test(text[at] ?? '')) at += 1;
  return at;
}
