import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * What counts as one client: an IPv4 address, or an IPv6 /64 network, because one host usually has all of it. Texts that
 * are no address (a proxy can pass on anything) count as one client together.
 */
export function networkOf(address: string): string {
  // The library also reads addresses in forms that only some programs take, such as `127.1`.
  if (isIP(address) === 0) return 'no address';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
