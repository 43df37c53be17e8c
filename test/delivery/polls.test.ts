import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aProject, aSegment } from '../support/build.ts';
import { anSdkKey, aPollingSdk, listening, treated } from '../support/sdk.ts';

const api = await startApi();
const url = await listening(api);

test('a flag that is created, changed, killed and deleted reaches a polling SDK', async () => {
  const project = await aProject(api);
  const key = await anSdkKey(api, project);
  const { flag, path } = await aDefinedFlag(api, project);
  const { name } = flag;
  const sdk = await aPollingSdk(url, key);
  assert.deepEqual(sdk.manager.names(), [name]);
  await api.put(path, {
    treatments: [{ name: 'on', keys: ['ann'] }, { name: 'off' }],
    defaultTreatment: 'off',
    rules: [],
    defaultRule: [{ treatment: 'off', size: 100 }],
  });
  await treated(sdk, ['ann', name, 'on']);
  await api.put(`${path}/kill`);
  await treated(sdk, ['ann', name, 'off']);
  assert.equal((await api.delete(path)).status, 200);
  await treated(sdk, ['ann', name, 'control']);
});

test('keys that are added to and removed from a segment reach a polling SDK', async () => {
  const project = await aProject(api);
  const segment = await aSegment(api, project, [project.staging]);
  const keys = `/segments/${project.staging.id}/${segment.name}`;
  await api.put(`${keys}/uploadKeys`, { keys: ['ann'] });
  const { flag } = await aDefinedFlag(api, project, {
    treatments: [{ name: 'on', segments: [segment.name] }, { name: 'off' }],
    defaultRule: [{ treatment: 'off', size: 100 }],
  });
  const { name } = flag;
  const sdk = await aPollingSdk(url, await anSdkKey(api, project));
  await treated(sdk, ['ann', name, 'on']);
  await treated(sdk, ['bob', name, 'off']);
  await api.put(`${keys}/uploadKeys?replace=false`, { keys: ['bob'] });
  await treated(sdk, ['bob', name, 'on']);
  await api.put(`${keys}/removeKeys`, { keys: ['ann'] });
  await treated(sdk, ['ann', name, 'off']);
});
