/** The path of an address of this site, or the start page: nobody shall be sent elsewhere by a link to us. */
export function ownPath(address: unknown): string {
  const url = typeof address === 'string' ? URL.parse(address, location.origin) : null;
  return url?.origin === location.origin ? url.pathname + url.search + url.hash : '/';
}
