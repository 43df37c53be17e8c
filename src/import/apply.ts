/**
 * Writes a plan, in batches of one transaction each. It can stop after any of them: the next plan has the rest.
 *
 * A batch that is refused is written object by object, so that one bad object is reported and the others are imported.
 */
import type { Context } from '#commands/context.ts';
import {
  type ImportOptions,
  importKeys,
  importLargeKeys,
  importObjects,
  listKeysHere,
  rememberKeys,
  rememberSame,
} from '#commands/imported-objects.ts';
import { type Item, type Kind, kinds, type Plan, partlyImported, type Wanted } from '#domain/import/plan.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { NewProjects } from '#domain/restrictions.ts';
import { maxKeys, maxKeysPerCall, parseKeys } from '#domain/segments.ts';
import { pausing } from './pausing.ts';

export interface ApplyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after each transaction. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Who may see and edit new projects; everyone if left out. */
  readonly newProjects?: NewProjects | undefined;
}

export interface Progress {
  /** Objects that were written or refused. */
  readonly done: number;
  readonly total: number;
  /** What was written last. */
  readonly kind: Kind;
}

export interface Applied {
  readonly written: Readonly<Record<Kind, number>>;
  readonly refused: readonly { readonly item: Item; readonly reason: string }[];
}

/**
 * On SQLite, everyone waits for a transaction: objects take about a millisecond each, more if they are long. In
 * characters of JSON.
 */
const batchSize = 15;
const maxBatchLength = 100_000;

export async function applyPlan(context: Context, plan: Plan, options: ApplyOptions = {}): Promise<Applied> {
  const { signal, onProgress, newProjects = 'open' } = options;
  const how: ImportOptions = { source: plan.source, newProjects };
  const pause = pausing(signal);
  const written = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  const refused: { item: Item; reason: string }[] = [];
  const batches = inBatches(plan.items.filter(({ wanted }) => wanted !== undefined));
  const total = batches.reduce((sum, batch) => sum + batch.length, 0);
  let done = 0;
  const attempt = async (items: readonly Item[]): Promise<boolean> => {
    signal?.throwIfAborted();
    const reason = await refusalOf(() => write(context, items, { ...how, signal, pause }));
    if (reason !== undefined && items.length > 1) return false;
    for (const item of items) {
      if (reason === undefined) written[item.kind] += 1;
      else refused.push({ item, reason });
    }
    done += items.length;
    onProgress?.({ done, total, kind: items[0]?.kind ?? 'group' });
    await pause();
    return true;
  };
  const known = plan.items.filter(({ isNew }) => isNew);
  for (let start = 0; start < known.length; start += batchSize) {
    signal?.throwIfAborted();
    await rememberSame(context, known.slice(start, start + batchSize), how);
  }
  for (const batch of batches) if (!(await attempt(batch))) for (const item of batch) await attempt([item]);
  return { written, refused };
}

/** Why the objects were refused. Anything else, such as a database that is down, ends the import. */
async function refusalOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem) || fatal.has(error.code)) throw error;
    return error.details || error.message;
  }
}

const fatal = new Set<Problem['code']>(['unavailable', 'forbidden', 'unauthenticated', 'signed_out']);

interface Writing extends ImportOptions {
  readonly signal: AbortSignal | undefined;
  readonly pause: () => Promise<void>;
}

function write(context: Context, items: readonly Item[], { signal, pause, ...how }: Writing): Promise<void> {
  const [first] = items;
  if (first && isKeys(first)) return writeKeys(context, first, { ...how, signal, pause });
  return importObjects(context, items, how);
}

const isKeys = (item: Item): item is Item<'keys'> => item.kind === 'keys';

/** Each batch has one kind, and what it needs is in earlier ones. */
function inBatches(items: readonly Item[]): Item[][] {
  const numbered = new Set<Kind>(['rules', 'keys', 'definition']);
  const isLast = ({ kind }: Item) => kind === 'restriction';
  const byKind = Map.groupBy(items, ({ kind }) => kind);
  const first = kinds
    .filter((kind) => !numbered.has(kind) && kind !== 'restriction')
    .flatMap((kind) => chunked(byKind.get(kind) ?? []));
  // Numbers of an environment only grow, so what has an old one is written first, whatever it is.
  const places = Map.groupBy(
    items.filter(({ kind }) => numbered.has(kind)),
    ({ project, environment }) => `${project}\n${environment}`,
  );
  const middle = [...places.values()].flatMap((place) =>
    chunked(place.toSorted((one, other) => compare(numberOf(one), numberOf(other)))),
  );
  return [...first, ...middle, ...items.filter(isLast).map((item) => [item])];
}

/** Keys are alone: they have their own transactions. */
function chunked(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  let last: Item[] = [];
  let length = 0;
  for (const item of items) {
    const own = item.kind === 'definition' || item.kind === 'rules' ? JSON.stringify(item.wanted).length : 0;
    if (last.length === 0 || isKeys(item) || last.length === batchSize || length + own > maxBatchLength) {
      last = [];
      length = 0;
      batches.push(last);
    }
    last.push(item);
    length = isKeys(item) ? maxBatchLength : length + own;
  }
  return batches;
}

const compare = (one: number, other: number): number => (one === other ? 0 : one < other ? -1 : 1);

/** Unknown ones come last, and large segments, whose keys take a number of the clock. */
function numberOf(item: Item): number {
  if (isKeys(item)) return item.wanted?.isLarge ? Infinity : (item.wanted?.activation.changeNumber ?? Infinity);
  return (item.wanted as Wanted['rules'] | Wanted['definition']).changeNumber ?? Infinity;
}

async function writeKeys(context: Context, item: Item<'keys'>, { signal, pause, ...how }: Writing): Promise<void> {
  const { activation, isLarge } = item.wanted ?? {};
  if (!activation?.keys) throw new Error(`the keys of ${item.name} cannot be read`);
  if (isLarge) return importLargeKeys(context, item, { ...how, chunks: toLines(activation.keys(), signal) });
  const wanted = new Set<string>();
  for await (const page of activation.keys()) {
    for (let start = 0; start < page.length; start += maxKeysPerCall) {
      for (const key of parseKeys(page.slice(start, start + maxKeysPerCall))) wanted.add(key);
      await pause();
    }
    refuse('segment_invalid', wanted.size > maxKeys ? [`it has more than ${maxKeys} keys`] : []);
  }
  const removed: string[] = [];
  for await (const page of listKeysHere(context, item)) {
    for (const key of page) if (!wanted.delete(key)) removed.push(key);
    await pause();
  }
  const added = [...wanted].sort();
  const count = Math.ceil(Math.max(removed.length, added.length) / maxKeysPerCall);
  if (count === 0) return rememberKeys(context, item, how);
  for (let part = 0; part < count; part += 1) {
    signal?.throwIfAborted();
    const [start, end] = [part * maxKeysPerCall, (part + 1) * maxKeysPerCall];
    const { changeNumber } = activation;
    const keys = { item, added: added.slice(start, end), removed: removed.slice(start, end) };
    const contentHash = part === count - 1 ? item.hash : partlyImported;
    // The last part has the number of the source.
    const atLeast = changeNumber === undefined ? undefined : changeNumber - (count - 1 - part);
    await importKeys(context, { ...keys, atLeast, contentHash }, how);
    await pause();
  }
}

/** As lines of CSV. */
async function* toLines(pages: AsyncIterable<readonly string[]>, signal: AbortSignal | undefined) {
  for await (const page of pages) {
    signal?.throwIfAborted();
    for (let start = 0; start < page.length; start += 1_000) {
      const lines = page.slice(start, start + 1_000).map((key) => `"${key.replaceAll('"', '""')}"\n`);
      yield Buffer.from(lines.join(''));
    }
  }
}
