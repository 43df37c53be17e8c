/** Receives files whose keys replace those of large segments. */
import { createHash, randomInt } from 'node:crypto';
import { v7 as newId } from 'uuid';
import type { Actor } from '#domain/access.ts';
import { interrupted, maxLargeKeys, maxUploadBytes } from '#domain/large-segments.ts';
import { Problem, refuse } from '#domain/problems.ts';
import { hashOf, newToken } from '#security/secrets.ts';
import { isChangeRequest } from '#store/change-requests.ts';
import { type Block, KeySorter } from '#store/key-lists/sort.ts';
import * as store from '#store/large-segments.ts';
import type { Tx } from '#store/sql.ts';
import * as requests from '#store/uploads.ts';
import { requireDirectAt } from './approvals.ts';
import { receiveListIn } from './change-requests.ts';
import { type Context, onBehalfOf, prepare, type RecordingTx, readerOf, write } from './context.ts';
import { insertRequest, type LargeSegmentChange, type StoredList, serveList } from './large-segments.ts';
import { requireNote } from './projects.ts';
import { entry, lockSegment, requireActivation } from './segments.ts';

/** Returns a token with which anyone can send the file, once and within a few minutes. */
const requestUpload = (context: Context, change: LargeSegmentChange) =>
  write(context, (tx) => requestUploadIn(tx, change));

async function requestUploadIn(tx: RecordingTx, { project, environment, segment, note }: LargeSegmentChange) {
  await requireNote(tx, project, note);
  await requireActivation(tx, environment, await lockSegment(tx, segment));
  await requireDirectAt(tx, environment);
  const token = newToken();
  const upload = await insertRequest(
    tx,
    { environment, segment, note },
    { id: newId(), operation: 'UPLOAD', tokenHash: hashOf(token) },
  );
  // No cached response shows it.
  await tx.record({ ...entry('segment.upload_requested', segment, environment), note, touches: 'nothing' });
  return { upload, token };
}

/** The file of an upload, as it arrives. */
interface UploadedFile {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** If the client sent it. */
  readonly size: number | undefined;
}

/** Refuses a token that is unknown, was used or has expired, without using it up. */
export async function requireAwaited(context: Context, token: string): Promise<void> {
  if (!(await requests.isAwaited(readerOf(context), hashOf(token)))) throw new Problem('upload_unknown');
}

/**
 * Receives the file of the upload with this token. Keys are sorted and stored piece by piece; the segment serves them
 * only after the last one. If anything fails before, it keeps its old keys.
 */
export async function receiveUpload(context: Context, token: string, file: UploadedFile): Promise<number> {
  refuse('segment_invalid', (file.size ?? 0) > maxUploadBytes ? [tooLarge] : []);
  const listId = randomInt(2 ** 48 - 1);
  const upload = await prepare(context, (tx) =>
    requests.claimUpload(tx, hashOf(token), { listId, totalBytes: file.size }),
  );
  if (!upload) throw new Problem('upload_unknown');
  const own = { id: upload.id, listId };
  try {
    const list = await storeKeys(context, own, file.chunks);
    return await publish(context, upload, list);
  } catch (error) {
    const failure = error instanceof Problem ? error.message : interrupted;
    await prepare(context, (tx) => requests.saveUploadEnd(tx, own, { failure }));
    throw error;
  }
}

/**
 * Replaces the keys with those of a stream of CSV lines, for commands that already have them. `after` runs in the
 * transaction that serves them, with the number of the change.
 */
export async function replaceLargeKeys(
  context: Context,
  change: LargeSegmentChange,
  chunks: AsyncIterable<Uint8Array>,
  after: (tx: Tx, changeNumber: number) => Promise<void>,
): Promise<void> {
  const { token } = await requestUpload(context, change);
  const listId = randomInt(2 ** 48 - 1);
  const upload = await prepare(context, (tx) =>
    requests.claimUpload(tx, hashOf(token), { listId, totalBytes: undefined }),
  );
  if (!upload) throw new Problem('upload_unknown');
  const own = { id: upload.id, listId };
  try {
    const list = await storeKeys(context, own, chunks);
    const end = async (tx: Tx) => {
      await requests.saveUploadEnd(tx, own, { keyCount: list.keyCount });
      const activation = await requireActivation(tx, change.environment, change.segment);
      await after(tx, activation.changeNumber);
    };
    const isChanged = await write(context, async (tx) => {
      if (!(await serveList(tx, change, list))) return false;
      await end(tx);
      return true;
    });
    if (!isChanged) await prepare(context, end);
  } catch (error) {
    const failure = error instanceof Problem ? error.message : interrupted;
    await prepare(context, (tx) => requests.saveUploadEnd(tx, own, { failure }));
    throw error;
  }
}

interface OwnUpload {
  readonly id: string;
  readonly listId: number;
}

const tooLarge = `the file must not have more than ${maxUploadBytes} bytes`;
const tooMany = `the file must not have more than ${maxLargeKeys} different keys`;
/** An empty file is more likely a broken export than intended. */
const noKeys = 'the file has no keys; to remove all keys, submit a change request with operationType ARCHIVE';
/** How often progress is stored. */
const progressMs = 1_000;
const maxRecordedKeys = 100;

async function storeKeys(context: Context, own: OwnUpload, chunks: AsyncIterable<Uint8Array>): Promise<StoredList> {
  const sorter = await KeySorter.start();
  try {
    await receive(context, own, { chunks, sorter });
    return await storeSorted(context, own, sorter.blocks());
  } finally {
    await sorter.close();
  }
}

async function receive(
  context: Context,
  own: OwnUpload,
  { chunks, sorter }: { chunks: AsyncIterable<Uint8Array>; sorter: KeySorter },
): Promise<void> {
  let receivedBytes = 0;
  let savedAt = performance.now();
  for await (const chunk of chunks) {
    receivedBytes += chunk.length;
    refuse('segment_invalid', receivedBytes > maxUploadBytes ? [tooLarge] : []);
    await sorter.add(chunk);
    if (performance.now() - savedAt < progressMs) continue;
    requireLease(await prepare(context, (tx) => requests.saveReceived(tx, { ...own, receivedBytes })));
    savedAt = performance.now();
  }
  requireLease(await prepare(context, (tx) => requests.saveReceived(tx, { ...own, receivedBytes })));
}

async function storeSorted(
  context: Context,
  { listId }: OwnUpload,
  sorted: AsyncIterable<Block[]>,
): Promise<StoredList> {
  const hash = createHash('sha256');
  const firstKeys: string[] = [];
  let keyCount = 0;
  for await (const blocks of sorted) {
    for (const { text, keyCount: count } of blocks) {
      hash.update(`${text}\n`);
      if (firstKeys.length < maxRecordedKeys) firstKeys.push(...text.split('\n'));
      keyCount += count;
    }
    refuse('segment_invalid', keyCount > maxLargeKeys ? [tooMany] : []);
    requireLease(await prepare(context, (tx) => store.insertBlocks(tx, listId, blocks)));
  }
  refuse('segment_invalid', keyCount === 0 ? [noKeys] : []);
  return { id: listId, digest: hash.digest('hex'), keyCount, firstKeys: firstKeys.slice(0, maxRecordedKeys) };
}

/** Fails if the list was abandoned because this process or the database stalled for too long. */
function requireLease(isHeld: boolean): void {
  if (!isHeld) throw new Problem('upload_unknown');
}

/** On behalf of the actor who requested the upload, who must still have the permission. */
async function publish(context: Context, upload: requests.StoredUpload, list: StoredList): Promise<number> {
  const { id, project, environment, segment, title, comment } = upload;
  const own = { id, listId: list.id };
  const end = (tx: Tx) => requests.saveUploadEnd(tx, own, { keyCount: list.keyCount });
  if (await isChangeRequest(readerOf(context), id)) {
    const access = { needs: 'changeset.write', scope: 'environment' } as const;
    await write(onBehalfOf(context, requesterOf(upload), { access, project, environment }), async (tx) => {
      const { status, expiresAt = tx.now } = await receiveListIn(tx, id, list);
      if (status === 'PUBLISHED') await end(tx);
      else await requests.saveReceivedList(tx, own, { keyCount: list.keyCount, until: expiresAt + graceMs });
    });
    return list.keyCount;
  }
  // A node of the release before requested it.
  const access = { needs: 'segmentContent.write', scope: 'environment' } as const;
  const asking = onBehalfOf(context, requesterOf(upload), { access, project, environment });
  const isChanged = await write(asking, async (tx) => {
    if (!(await serveList(tx, { environment, segment, note: { title, comment } }, list))) return false;
    await end(tx);
    return true;
  });
  if (!isChanged) await prepare(context, end);
  return list.keyCount;
}

/** Requests are given up by a job, a little after their time. */
const graceMs = 60 * 60_000;

/** Permissions and scope are read again in the transaction. */
const requesterOf = ({ editor, sessionId }: requests.StoredUpload): Actor => ({
  type: editor.type === 'api_key' ? 'api_key' : 'user',
  id: editor.id,
  name: editor.name,
  ...(sessionId === undefined ? {} : { sessionId }),
  permissions: new Set(),
  scope: { kind: 'environment', projectId: '', environmentIds: [] },
});
