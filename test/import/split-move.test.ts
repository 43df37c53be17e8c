/** An account of Split moves in: read, planned, written, verified, and followed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextFor } from '#commands/context.ts';
import { permissionsOf } from '#domain/access.ts';
import { applyPlan } from '#import/apply.ts';
import { planAccount } from '#import/here.ts';
import { readSplitAccount } from '#import/split/account.ts';
import { verifyAccount } from '#import/verify.ts';
import { startApi } from '../support/app.ts';
import { startSplitAccount } from '../support/split-account.ts';

const operator = {
  type: 'operator',
  id: 'test',
  name: 'test',
  permissions: permissionsOf(['API_ALL_GRANTED']),
  scope: { kind: 'account' },
} as const;

test('an account of Split moves in without a difference for its SDKs, and a second run changes nothing', async () => {
  const api = await startApi();
  const { url, adminKey, sdkKeys } = await startSplitAccount();
  const read = () =>
    readSplitAccount({
      url,
      adminKey,
      sdkKeys,
      signal: new AbortController().signal,
      retryPolicy: { deadlineMs: 5_000, retries: 6, firstPauseMs: 1 },
    });
  const source = await read();
  const plan = await planAccount(api.store, source);
  const rehearsal = await verifyAccount(api.store, source, { perFlag: 100, plan });
  assert.deepEqual(rehearsal.differences.slice(0, 3), []);
  const context = contextFor(api.store, { actor: operator, transactionId: 'import' });
  const { refused } = await applyPlan(context, plan);
  assert.deepEqual(
    refused.map(({ item, reason }) => [item.kind, item.name, reason]),
    [],
  );
  const result = await verifyAccount(api.store, source, { perFlag: 300 });
  assert.deepEqual(result.differences.slice(0, 3), []);
  const flags = source.projects.flatMap((project) => project.flags.flatMap((flag) => flag.definitions));
  const leftOut = plan.items.filter(({ kind, action }) => kind === 'definition' && action === 'left_out');
  assert.equal(result.compared, flags.length - leftOut.length);
  assert.equal(rehearsal.compared, result.compared, 'the rehearsal compares what will be here');
  const [first] = source.projects;
  const some = await verifyAccount(api.store, source, { perFlag: 1, choices: { onlyProjects: [first?.name ?? ''] } });
  assert.deepEqual([...new Set(some.environments.map(({ project }) => project))], [first?.name]);
  const again = await planAccount(api.store, await read());
  assert.deepEqual(
    again.items
      .filter(({ action }) => action === 'create' || action === 'update' || action === 'conflict')
      .map(({ kind, project, environment, name, action, reason }) => [
        action,
        kind,
        project,
        environment,
        name,
        reason,
      ]),
    [],
  );
});
