/** The part of an address behind the question mark. Values are text and stay text: tokens must not be read as numbers. */

export type SearchParams = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A parameter that stands there several times is a list. */
export function parseSearch(text: string): SearchParams {
  const params = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const values = params.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** What is undefined is left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined)
      .map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** For pages whose parameters stand there once: of a repeated one the first counts. */
export const textSearch = (search: SearchParams): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(search).map(([name, value]) => [name, typeof value === 'object' ? value[0] : value]),
  );
