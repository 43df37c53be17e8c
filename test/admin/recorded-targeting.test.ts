import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedTargeting, toTargeting } from '#domain/definitions/definition.ts';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aProject } from '../support/build.ts';

test('the targeting of an audit entry is the targeting of the definition at that time', async () => {
  const api = await startApi();
  const { flag, path } = await aDefinedFlag(api, await aProject(api));
  const { body: before } = await api.get(path);
  const { body: after } = await api.patch(path, [{ op: 'replace', path: '/trafficAllocation', value: 50 }]);
  const { body } = await api.get(`/auditLogs?objectId=${flag.id}&objectType=definition&limit=1`);
  const [entry] = body.data;
  assert.deepEqual([entry.before, entry.after].map(recordedTargeting), [before, after].map(toTargeting));
  const { impressionsDisabled: _, ...old } = entry.after;
  assert.equal(recordedTargeting(old).impressionsDisabled, false);
});
