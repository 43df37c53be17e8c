/** Names in addresses, and addresses as text for where there are too many links for each to watch the router. */

/** Parts of addresses that stand where a name of a flag or an environment can stand. */
const parts = new Set(['new', 'compare', 'activity', 'details']);

/** A name as it stands in an address: marked where it would be taken for one of the parts. */
export const nameInAddress = (name: string): string => (parts.has(name) || name.startsWith('~') ? `~${name}` : name);
export const nameFromAddress = (word: string): string => word.replace(/^~/, '');

/** Of a flag, or of what it does in an environment. */
export const flagPath = (project: string, flag: string, environment?: string): string =>
  [`/p/${encodeURIComponent(project)}/flags`, flag, environment]
    .filter((part) => part !== undefined)
    .map((part, index) => (index === 0 ? part : encodeURIComponent(nameInAddress(part))))
    .join('/');
