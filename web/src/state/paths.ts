/** Names in addresses, and addresses as text for where there are too many links for each to watch the router. */

/**
 * Names that would be taken for something else where the name of a flag or of an environment stands: for one of the pages
 * of `routes.tsx` there, which the router knows in any case of letters; or for a name that is marked.
 */
const mistakable = /^(?:new|compare|activity|details|~.*)$/is;

/** A name as it stands in an address. */
export const nameInAddress = (name: string): string => (mistakable.test(name) ? `~${name}` : name);
export const nameFromAddress = (word: string): string => word.replace(/^~/, '');

/** Of a flag, or of what it does in an environment. */
export function flagPath(project: string, flag: string, environment?: string): string {
  const ofFlag = `/p/${encodeURIComponent(project)}/flags/${part(flag)}`;
  return environment === undefined ? ofFlag : `${ofFlag}/${part(environment)}`;
}

const part = (name: string): string => encodeURIComponent(nameInAddress(name));
