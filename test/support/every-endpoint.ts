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

/** The path with values in place of its parameters. */
export const pathWith = (path: string, valueFor: (name: string) => string): string =>
  path.replaceAll(/(?<=\/):(\w+)/g, (_, name: string) => valueFor(name));

/** The names of the path parameters of an endpoint. */
export const paramsOf = ({ path }: Endpoint): string[] =>
  [...path.matchAll(/\/:(\w+)/g)].map(([, param]) => param ?? '');
