import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from '#http/limits/networks.ts';

const networks: [address: string, network: string][] = [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:192.0.2.1', '2001:db8:1:2::/64'],
  ['1:2::3:4:5:192.0.2.1', '1:2:0:3::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1:2:3:4::', '1:2:3:4::/64'],
  ['', 'no address'],
  ['unknown', 'no address'],
  ['192.0.2.1:8080', 'no address'],
];
for (const [address, network] of networks) {
  test(`${address || 'nothing'} is counted as ${network}`, () => assert.equal(networkOf(address), network));
}
