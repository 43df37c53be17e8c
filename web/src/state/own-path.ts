/**
 * The path of an address on this site, or the start page: prevents open redirects.
 * `/.//evil.com` is on this site, but its path `//evil.com` is another site when used as an address.
 */
export function ownPath(address: unknown, origin: string): string {
  const url = typeof address === 'string' ? URL.parse(address, origin) : null;
  if (url?.origin !== origin || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
