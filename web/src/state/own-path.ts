/**
 * The path of an address of this site, or the start page, so that a link to this site cannot send anyone elsewhere.
 * `/.//evil.com` is on this site, but its path is `//evil.com`, which as an address is another site.
 */
export function ownPath(address: unknown, origin: string): string {
  const url = typeof address === 'string' ? URL.parse(address, origin) : null;
  if (url?.origin !== origin || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
