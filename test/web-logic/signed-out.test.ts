import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionBegan, sessionEnded, signedInAgain } from '../../web/src/server/signed-out.ts';

test('calls that wait for a new sign-in continue for the same person; for someone else only reads do', async () => {
  assert.equal(await signedInAgain(false), false);
  const outcome = async (then: () => void) => {
    sessionBegan('ana');
    const waiting = Promise.all([signedInAgain(false), signedInAgain(true)]);
    then();
    const [read, change] = await waiting;
    return { read, change };
  };
  assert.deepEqual(await outcome(() => sessionBegan('ana')), { read: true, change: true });
  assert.deepEqual(await outcome(() => sessionBegan('liu')), { read: true, change: false });
  assert.deepEqual(await outcome(sessionEnded), { read: false, change: false });
});
