/** Addresses as text, for where there are too many links for each to be a component that watches the router. */

/** Of a flag, or of what it does in an environment. */
export const flagPath = (project: string, flag: string, environment?: string): string =>
  ['/p', project, 'flags', flag, environment]
    .filter((part) => part !== undefined)
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join('/');
