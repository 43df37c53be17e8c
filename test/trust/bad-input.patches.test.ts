/** JSON Patches that are wrong in one operation: they are refused as a whole. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { aHostileInstallation, fuzz } from '../support/hostile-installation.ts';
import { hostilePatches } from '../support/hostile-patches.ts';
import { report } from '../support/trust.ts';

const installation = await aHostileInstallation();
after(() => installation.sender.close());

for (const [kind, patches] of Map.groupBy(hostilePatches(), (patch) => patch.kind)) {
  test(`${kind}: refused, and nothing is written`, async () => {
    const written = await installation.fingerprint();
    const statuses = await fuzz(installation, patches);
    assert.equal(await installation.fingerprint(), written);
    report(`bad input, ${kind}: ${patches.length} requests, ${JSON.stringify(Object.fromEntries(statuses))}`);
  });
}

test('the patch that all of them hold does change something when it stands alone', async () => {
  const { project, flag, environment } = installation.things;
  const path = `/splits/ws/${project}/${flag}/environments/${environment}`;
  const written = await installation.fingerprint();
  await installation.ask('PATCH', path, [{ op: 'add', path: '/trafficAllocation', value: 50 }]);
  assert.notEqual(await installation.fingerprint(), written);
  installation.requireQuietLog();
});
