import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Targeting } from '#domain/definitions/definition.ts';
import { targetingOf } from '../../src/domain/definitions/targeting-of.ts';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aProject } from '../support/build.ts';

test('of a state in the audit log, only what people decide is compared and gone back to', async () => {
  const api = await startApi();
  const { flag, path } = await aDefinedFlag(api, await aProject(api));
  await api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 50 }]);
  const { body } = await api.get(`/auditLogs?objectId=${flag.id}&objectType=definition&limit=1`);
  for (const state of [body.data[0].before, body.data[0].after]) {
    assert.deepEqual(Object.keys(targetingOf(state)).sort(), Object.keys(Targeting.properties).sort());
  }
});
