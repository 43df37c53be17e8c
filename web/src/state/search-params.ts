/** Parses and formats query strings. Values stay strings: tokens must not become numbers. */

export type SearchParams = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A repeated parameter becomes a list. */
export function parseSearch(text: string): SearchParams {
  const params = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const values = params.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** Undefined values are left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined)
      .map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** For pages with single parameters: the first of a repeated one counts. */
export const textSearch = (search: SearchParams): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(search).map(([name, value]) => [name, typeof value === 'object' ? value[0] : value]),
  );
