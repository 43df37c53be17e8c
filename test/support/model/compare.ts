/** Compares a response with the model: everything except ids, which are learned when first seen. */
import type { Answer } from '../app.ts';
import type { Answered } from './step.ts';

/** Mark → id, as far as the server has said it. */
export type Ids = Map<string, string>;

/**
 * Serially, lists are in order and marks are learned. Among concurrent requests the order of what was created at
 * the same time is open, and a response may refer to an id before the response that names it arrives.
 */
export type Strictness = 'serial' | 'concurrent';

/** What is wrong with the answer, if anything. */
export function differenceOf(expected: Answered, answer: Answer, ids: Ids, strictness: Strictness): string | undefined {
  const { status, message, body, etag } = expected;
  if (answer.status !== status) return `status ${answer.status}, not ${status} (${message ?? ''}): ${answer.text}`;
  if (status >= 400) return refusalDifference(message, answer, strictness);
  const found = difference(body, answer.body, { ids, strictness, place: '' });
  if (found !== undefined || etag === undefined) return found;
  const tag = `"${etag.revision}-${ids.get(etag.mark)?.slice(-12)}"`;
  return answer.headers.etag === tag ? undefined : `ETag ${answer.headers.etag}, not ${tag}`;
}

function refusalDifference(message: string | undefined, answer: Answer, strictness: Strictness): string | undefined {
  if (message === undefined) return answer.text === '' ? undefined : `not empty: ${answer.text}`;
  if (answer.text === '') return `empty, not “${message}”`;
  const { code, message: said, transactionId } = answer.body;
  if (code !== answer.status || transactionId !== answer.headers['x-transaction-id'])
    return `error body ${answer.text}`;
  // The message ends differently if something was deleted between resolving the path and making the change.
  const essence = (text: string) =>
    strictness === 'concurrent' && answer.status === 404 ? text.slice(0, text.lastIndexOf(' ')) : text;
  return message === '@any' || essence(said) === essence(message) ? undefined : `“${said}”, not “${message}”`;
}

interface At {
  readonly ids: Ids;
  readonly strictness: Strictness;
  readonly place: string;
}

/** The first difference between what was expected, with its marks, and what was received. */
export function difference(expected: unknown, actual: unknown, at: At): string | undefined {
  if (expected === '@any') return undefined;
  if (typeof expected === 'string' && expected.startsWith('@')) return markDifference(expected, actual, at);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return mismatch(expected, actual, at);
    if (at.strictness === 'concurrent') return unorderedDifference(expected, actual, at);
    return first(expected, (item, index) => difference(item, actual[index], { ...at, place: `${at.place}/${index}` }));
  }
  if (typeof expected !== 'object' || expected === null) {
    return Object.is(expected, actual) ? undefined : mismatch(expected, actual, at);
  }
  if ('@unordered' in expected) {
    return Array.isArray(actual)
      ? unorderedDifference(expected['@unordered'] as unknown[], actual, at)
      : mismatch(expected, actual, at);
  }
  return memberDifference(expected as Record<string, unknown>, actual, at);
}

function memberDifference(expected: Record<string, unknown>, actual: unknown, at: At): string | undefined {
  if (typeof actual !== 'object' || actual === null) return mismatch(expected, actual, at);
  const members = actual as Record<string, unknown>;
  const names = Object.keys(expected).filter((name) => expected[name] !== undefined);
  const unknown = Object.keys(members).find((name) => !names.includes(name));
  if (unknown !== undefined) return `${at.place}/${unknown} is there: ${JSON.stringify(members[unknown])}`;
  return first(names, (name) =>
    expected[name] === '@optional'
      ? undefined
      : difference(expected[name], members[name], { ...at, place: `${at.place}/${name}` }),
  );
}

function markDifference(mark: string, actual: unknown, at: At): string | undefined {
  const known = at.ids.get(mark);
  if (known !== undefined) return known === actual ? undefined : mismatch(`${mark} (${known})`, actual, at);
  if (typeof actual !== 'string' || actual === '') return mismatch(mark, actual, at);
  if (at.strictness === 'serial') at.ids.set(mark, actual);
  return undefined;
}

/** Matches each expected item with a different actual one: a bipartite matching, by augmenting paths. */
function unorderedDifference(expected: readonly unknown[], actual: readonly unknown[], at: At): string | undefined {
  if (actual.length !== expected.length) return mismatch(expected, actual, at);
  /** By the index of the actual item: the expected one. */
  const takenBy = new Map<number, unknown>();
  const finds = (item: unknown, tried: Set<number>): boolean =>
    actual.some((one, index) => {
      if (tried.has(index) || difference(item, one, at) !== undefined) return false;
      tried.add(index);
      if (takenBy.has(index) && !finds(takenBy.get(index), tried)) return false;
      takenBy.set(index, item);
      return true;
    });
  const lost = expected.find((item) => !finds(item, new Set()));
  if (lost === undefined) return undefined;
  return mismatch(
    lost,
    actual.filter((_, index) => !takenBy.has(index)),
    at,
  );
}

const mismatch = (expected: unknown, actual: unknown, { place }: At): string =>
  `${place}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;

function first<Item>(items: readonly Item[], find: (item: Item, index: number) => string | undefined) {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
