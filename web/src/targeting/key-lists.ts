/** Individual targets as text: one key per line, or separated by commas. */

/** Keys in their written order, without duplicates. */
export const keysIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((key) => key.trim())
      .filter((key) => key !== ''),
  ),
];

export const textOfKeys = (keys: readonly string[]): string => keys.join('\n');

export interface NamedKeys {
  readonly treatment: string;
  readonly keys: readonly string[];
}

export interface DoubleKey {
  readonly key: string;
  readonly treatments: readonly string[];
}

/** Keys with more than one treatment, which a definition must not have. */
export function doubleKeys(lists: readonly NamedKeys[]): DoubleKey[] {
  const owners = Map.groupBy(
    lists.flatMap(({ treatment, keys }) => [...new Set(keys)].map((key) => ({ key, treatment }))),
    ({ key }) => key,
  );
  return [...owners]
    .filter(([, found]) => found.length > 1)
    .map(([key, found]) => ({ key, treatments: found.map(({ treatment }) => treatment) }));
}
