/** Nobody learns or changes anything of what is not theirs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApi } from '../support/app.ts';
import { runMatrix } from '../support/isolation-matrix.ts';
import { isolationWorld } from '../support/isolation-world.ts';
import { report } from '../support/trust.ts';

const api = await startApi();
const world = await isolationWorld(api);

test('what is foreign is answered as what is absent, and refused requests change nothing', async () => {
  const { cases, failures } = await runMatrix(api, world);
  report(`isolation: ${cases} cases with ${world.principals.length} principals, ${failures.length} wrong`);
  assert.deepEqual(failures.slice(0, 10), []);
});
