/** Names in addresses, and addresses as text for lists with too many links for the router. */

/**
 * Names that would be mistaken for something else in place of a flag or environment name: one of the pages
 * of `routes.tsx`, which the router matches case-insensitively, or an escaped name.
 */
const mistakable = /^(?:new|compare|activity|details|~.*)$/is;

/** Escapes a name for an address. */
export const nameInAddress = (name: string): string => (mistakable.test(name) ? `~${name}` : name);
export const nameFromAddress = (word: string): string => word.replace(/^~/, '');

/** Where addresses in a project name environments, in the path or in the search. */
const environmentParams = ['environment', 'env', 'active', 'a', 'b'];

interface Renamed {
  readonly name: string;
  readonly formerNames?: readonly string[];
}

/**
 * The same parameters if they name no environment by a former name. A current one is never replaced: during an update,
 * a node of the previous release gives names away without forgetting who had them.
 */
export function withCurrentNames<Params extends object>(params: Params, environments: readonly Renamed[]): Params {
  const renamed = Object.entries(params).flatMap(([key, value]) => {
    if (!environmentParams.includes(key) || environments.some(({ name }) => name === value)) return [];
    const environment = environments.find(({ formerNames }) => formerNames?.includes(value));
    return environment ? [[key, environment.name]] : [];
  });
  return renamed.length > 0 ? { ...params, ...Object.fromEntries(renamed) } : params;
}

/** The path of a flag, or of its definition in an environment. */
export function flagPath(project: string, flag: string, environment?: string): string {
  const ofFlag = `/p/${encodeURIComponent(project)}/flags/${part(flag)}`;
  return environment === undefined ? ofFlag : `${ofFlag}/${part(environment)}`;
}

const part = (name: string): string => encodeURIComponent(nameInAddress(name));

/**
 * The path of an address on this site, or the start page: prevents open redirects.
 * `/.//evil.com` is on this site, but its path `//evil.com` is another site when used as an address.
 */
export function ownPath(address: unknown, origin: string): string {
  const url = typeof address === 'string' ? URL.parse(address, origin) : null;
  if (url?.origin !== origin || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
