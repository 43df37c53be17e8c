import { isIPv4, isIPv6 } from 'node:net';

/**
 * Who is counted as one: an address of IPv4, a /64 network of IPv6, because whoever has one address of it has them all.
 * What is no address (a proxy can pass on anything) is counted together.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
  if (isIPv4(mapped)) return mapped;
  return isIPv6(address) ? `${firstFourGroups(address).join(':')}::/64` : 'no address';
}

function firstFourGroups(address: string): string[] {
  // The zone behind `%` names an interface of ours; an IPv4 address at the end stands for two groups.
  const plain = address.replace(/%.*$/s, '').replace(/[\d.]*\.\d+$/, '0:0');
  const [before, behind] = plain.split('::').map((part) => part.split(':').filter(Boolean)) as [string[], string[]?];
  const zeros = behind ? Array<string>(8 - before.length - behind.length).fill('0') : [];
  return [...before, ...zeros, ...(behind ?? [])].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
}
