/** Every endpoint of the contract with its full path. New endpoints are fuzzed automatically. */
import { accountContract, contract, serviceContract } from '#contract/all.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { accountPrefix, prefix } from '#contract/parts.ts';

export interface NamedEndpoint extends Endpoint {
  readonly name: string;
}

const below = (base: string, parts: Record<string, Record<string, Endpoint>>): NamedEndpoint[] =>
  Object.values(parts).flatMap((part) =>
    Object.entries(part).map(([name, endpoint]) => ({
      ...endpoint,
      name,
      path: (endpoint.base ?? base) + endpoint.path,
    })),
  );

export const everyEndpoint: readonly NamedEndpoint[] = [
  ...below(prefix, contract),
  ...below(accountPrefix, accountContract),
  ...below('', serviceContract),
];

/** The path with words in place of their names. */
export const pathWith = (path: string, wordOf: (name: string) => string): string =>
  path.replaceAll(/(?<=\/):(\w+)/g, (_, name: string) => wordOf(name));

/** The names of the words in the path of an endpoint. */
export const wordsOf = ({ path }: Endpoint): string[] => [...path.matchAll(/\/:(\w+)/g)].map(([, word]) => word ?? '');
