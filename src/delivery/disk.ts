/**
 * A copy on the local disk of what SDKs read. A node that starts while the database is down serves it.
 *
 * Invariants
 * 1. What the file has of an environment is one of its snapshots, whole: each is one commit.
 * 2. Writes lag behind by a few seconds at most, and nothing waits for them.
 */
import { deserialize, serialize } from 'node:v8';
import type { Logger } from 'pino';
import { takeTurns } from '#concurrency/turns.ts';
import type { StoredSdkKey } from '#store/delivery.ts';
import { type Piece, readPieces, SnapshotFile } from '#store/snapshot-file/file.ts';
import type { Content } from './environment.ts';
import type { SegmentKeys } from './segments.ts';
import type { State } from './snapshot.ts';
import type { TokenSecrets } from './tokens.ts';

export interface Disk {
  /** Undefined: the environment was deleted. */
  save(environmentId: string, state: State | undefined): void;
  saveKeys(keys: readonly StoredSdkKey[]): void;
  stop(): Promise<void>;
}

export interface DiskOptions {
  readonly file: string;
  readonly secrets: TokenSecrets;
  readonly log: Logger;
  /** A change is written after this time, together with those that came meanwhile. */
  readonly delayMs?: number;
}

const usualDelayMs = 2_000;
/** After a failure: a disk stays full for a while. */
const retryMs = 60_000;

export function startDisk({ file, secrets, log, delayMs = usualDelayMs }: DiskOptions): Disk {
  /** Opened when there is something to write: without SDK keys there never is. */
  let opened: SnapshotFile | undefined;
  const written = new Map<string, State>();
  const waiting = new Map<string, State | undefined>();
  let keys: readonly StoredSdkKey[] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let hasSecrets = false;
  let isStopped = false;

  const later = (ms: number) => {
    if (!isStopped) timer ??= setTimeout(begin, ms).unref();
  };
  const begin = () => {
    timer = undefined;
    writing ??= writeAll()
      .catch((error: unknown) => {
        log.warn({ err: error, file }, 'writing the snapshot for SDKs failed');
        later(retryMs);
      })
      .finally(() => {
        writing = undefined;
        if (hasMore()) later(delayMs);
      });
  };
  const hasMore = () => waiting.size > 0 || keys !== undefined;
  const writeAll = async () => {
    if (!hasSecrets) await commit([pieceOf(everywhere, 'secrets', '', secrets)]);
    hasSecrets = true;
    const all = keys;
    if (all) await commit([pieceOf(everywhere, 'keys', '', all)]);
    // They may have changed again meanwhile, and so may an environment.
    if (keys === all) keys = undefined;
    for (const [id, state] of waiting) {
      await commit(changedPieces(id, written.get(id), state));
      if (state) written.set(id, state);
      else written.delete(id);
      if (waiting.get(id) === state) waiting.delete(id);
    }
  };
  const commit = async (pieces: Iterable<Piece | undefined>) => {
    opened ??= new SnapshotFile(file);
    const snapshots = opened;
    let some: Piece[] = [];
    const turns = takeTurns();
    for (const piece of pieces) {
      if (piece) some.push(piece);
      if (!turns.isOver()) continue;
      if (some.length > 0) await snapshots.order(some);
      some = [];
      await turns.next();
    }
    await snapshots.order(some);
    await snapshots.order('commit');
  };

  return {
    save: (environmentId, state) => {
      waiting.set(environmentId, state);
      later(delayMs);
    },
    saveKeys: (all) => {
      if (all.length === 0 && !opened) return;
      keys = all;
      later(delayMs);
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await writing;
      if (hasMore()) begin();
      await writing;
      await opened?.close();
    },
  };
}

/** The environment id of pieces that belong to no environment. */
const everywhere = '';
/** Keys are hashed to eight bytes; a large segment has millions. */
const hashesInPart = 131_072;

const pieceOf = (environmentId: string, kind: string, name: string, value: unknown): Piece => ({
  environmentId,
  kind,
  name,
  part: 0,
  bytes: serialize(value),
});

type Part = 'flags' | 'ruleBased' | 'active' | 'inactive';
const parts: readonly Part[] = ['flags', 'ruleBased', 'active', 'inactive'];

/**
 * The pieces that make the file's `before` into `after`. Values are immutable, so what is identical is equal. Undefined
 * where there is time for others: comparing 100,000 flags takes 50 ms.
 */
function* changedPieces(id: string, before: State | undefined, after: State | undefined): Generator<Piece | undefined> {
  // It is unknown what an earlier process wrote.
  if (!before || !after) yield removed(id);
  if (!after) return;
  yield pieceOf(id, 'environment', '', after.content.environment);
  for (const part of parts) {
    yield* changedIn<unknown>(before?.content[part], after.content[part], (name, value) =>
      value === undefined ? [removed(id, part, name)] : [pieceOf(id, part, name, value)],
    );
  }
  yield* changedIn(before?.keys, after.keys, (name, keys) => piecesOfKeys(id, name, keys));
}

/** Without kind and name: all pieces of the environment. */
const removed = (environmentId: string, kind = '', name = ''): Piece => ({
  environmentId,
  kind,
  name,
  part: 0,
  bytes: undefined,
});

function* changedIn<Value>(
  before: ReadonlyMap<string, Value> = new Map(),
  after: ReadonlyMap<string, Value>,
  toPieces: (name: string, value: Value | undefined) => Iterable<Piece>,
): Generator<Piece | undefined> {
  let compared = 0;
  for (const [name, value] of after) {
    if (before.get(name) !== value) yield* toPieces(name, value);
    compared += 1;
    if (compared % comparedAtOnce === 0) yield;
  }
  for (const name of before.keys()) {
    if (!after.has(name)) yield* toPieces(name, undefined);
    compared += 1;
    if (compared % comparedAtOnce === 0) yield;
  }
}

/** They take less than a millisecond. */
const comparedAtOnce = 1_000;

function* piecesOfKeys(id: string, name: string, keys: SegmentKeys | undefined): Generator<Piece> {
  // There may have been more parts.
  yield removed(id, 'hashes', name);
  if (!keys) return yield removed(id, 'segment', name);
  const { hashes, ...rest } = keys;
  yield pieceOf(id, 'segment', name, rest);
  for (let part = 0; part * hashesInPart < hashes.length; part += 1) {
    const some = hashes.slice(part * hashesInPart, (part + 1) * hashesInPart);
    yield { environmentId: id, kind: 'hashes', name, part, bytes: new Uint8Array(some.buffer) };
  }
}

/** The contents of the file. */
export interface DiskCopy {
  readonly secrets: TokenSecrets;
  readonly keys: readonly StoredSdkKey[];
  /** By id. */
  readonly environments: ReadonlyMap<string, State>;
}

/** Undefined if there is no file, or one of another release. Throws if it is damaged. */
export function readDisk(file: string): DiskCopy | undefined {
  const pieces = Map.groupBy(readPieces(file), ({ environmentId }) => environmentId);
  const common = pieces.get(everywhere);
  const find = <Value>(kind: string) => {
    const piece = common?.find((one) => one.kind === kind);
    return piece && (deserialize(piece.bytes) as Value);
  };
  const secrets = find<TokenSecrets>('secrets');
  if (!secrets) return undefined;
  pieces.delete(everywhere);
  const environments = [...pieces].map(([id, ofOne]) => [id, stateOf(ofOne)] as const);
  return { secrets, keys: find('keys') ?? [], environments: new Map(environments) };
}

function stateOf(pieces: readonly (Piece & { readonly bytes: Uint8Array })[]): State {
  const byKind = Map.groupBy(pieces, ({ kind }) => kind);
  const mapOf = <Value>(kind: string): Map<string, Value> =>
    new Map(byKind.get(kind)?.map(({ name, bytes }) => [name, deserialize(bytes) as Value]));
  const hashes = Map.groupBy(byKind.get('hashes') ?? [], ({ name }) => name);
  const segments = [...mapOf<Omit<SegmentKeys, 'hashes'>>('segment')];
  return {
    content: {
      environment: mapOf<Content['environment']>('environment').get('') as Content['environment'],
      flags: mapOf('flags'),
      ruleBased: mapOf('ruleBased'),
      active: mapOf('active'),
      inactive: mapOf('inactive'),
    },
    keys: new Map(
      segments.map(([name, rest]) => [name, { ...rest, hashes: joined(hashes.get(name) ?? []) } as SegmentKeys]),
    ),
  };
}

function joined(all: readonly { readonly bytes: Uint8Array }[]): Float64Array {
  const bytes = Buffer.concat(all.map((part) => part.bytes));
  // A copy that begins at a multiple of eight.
  return new Float64Array(new Uint8Array(bytes).buffer);
}
