import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etagOf } from '#domain/revisions.ts';
import type { Draft } from '../../web/src/state/drafts.ts';
import { isOutdated } from '../../web/src/targeting/draft-edits.ts';

test('a draft continues from newer versions, and never goes back to one that a background tab still has', () => {
  const version = (revision: number, id = 'aaaaaaaaaaaa') => ({ etag: etagOf({ id, revision }) });
  const draftOf = (etag: string | null) => ({ etag }) as Draft;
  const saved = version(1_700_000_000_002);
  assert.equal(isOutdated(draftOf(version(1_700_000_000_001).etag), saved), true);
  assert.equal(isOutdated(draftOf(saved.etag), saved), false);
  assert.equal(isOutdated(draftOf(version(1_700_000_000_003).etag), saved), false);
  // Created again, or for the first time.
  assert.equal(isOutdated(draftOf(version(1_700_000_000_001, 'bbbbbbbbbbbb').etag), saved), true);
  assert.equal(isOutdated(draftOf(null), saved), true);
});
