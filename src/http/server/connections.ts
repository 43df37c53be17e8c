/** Limits on open connections, in total and per address, and on how long one may be idle. */
import type { Server } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import type { Logger } from 'pino';
import { networkOf } from '../limits/networks.ts';

export interface ConnectionLimits {
  /** Further connections are closed at once: refusing must cost nothing. */
  readonly max: number;
  /** Per address, so that no client takes all of them. Trusted proxies are exempt. */
  readonly maxPerAddress: number;
  /** Keep-alive timeout. Longer than that of proxies, so that the proxy closes first. */
  readonly keepAliveSeconds: number;
}

/** A flood of connections must not become a flood of log lines. */
const quietMs = 60_000;

export function limitConnections(
  server: Server,
  { max, maxPerAddress, keepAliveSeconds }: ConnectionLimits,
  { trustProxy, log }: { readonly trustProxy: string | undefined; readonly log: Logger },
): void {
  server.keepAliveTimeout = keepAliveSeconds * 1000;
  server.maxConnections = max;
  const sayDropped = seldom((refused) =>
    log.warn({ max, refused }, 'connections are refused: there are MAX_CONNECTIONS already'),
  );
  const sayRefused = seldom((refused) =>
    log.warn(
      { max: maxPerAddress, refused },
      'connections are refused: an address has MAX_CONNECTIONS_PER_ADDRESS already',
    ),
  );
  server.on('drop', sayDropped);
  const proxies = proxiesOf(trustProxy);
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    if (isProxy(proxies, remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const count = (open.get(network) ?? 0) + 1;
    if (count > maxPerAddress) {
      socket.destroy();
      sayRefused();
      return;
    }
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}

export const isProxy = (proxies: BlockList, address: string): boolean =>
  proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

function seldom(say: (count: number) => void): () => void {
  let count = 0;
  let lastSaidAt = Number.NEGATIVE_INFINITY;
  return () => {
    count += 1;
    if (performance.now() - lastSaidAt < quietMs) return;
    say(count);
    lastSaidAt = performance.now();
    count = 0;
  };
}

/** The addresses and networks of TRUST_PROXY. */
export function proxiesOf(trustProxy = ''): BlockList {
  const list = new BlockList();
  for (const entry of trustProxy.split(',').filter(Boolean)) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
