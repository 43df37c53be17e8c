import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Who is counted as one: an address of IPv4, a /64 network of IPv6, because whoever has one address of it has them all.
 * What is no address (a proxy can pass on anything) is counted together.
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
