/** What only SDKs can read: seeds, algorithm, change numbers, and the keys of a segment in one request. */
import { takeTurns } from '#concurrency/turns.ts';
import type { Members } from '#domain/json.ts';
import { type Client, SourceRefusal } from './client.ts';
import { memberIn, numberIn, objectsIn, textIn } from './lists.ts';

/** Flags and rule-based segments by their names, as SDKs get them. */
export interface Wire {
  readonly flags: ReadonlyMap<string, Members>;
  readonly segments: ReadonlyMap<string, Members>;
}

/** Replies come in parts, until one says that nothing is newer. More parts than this never end. */
const maxParts = 1_000;

export async function readWire(client: Client): Promise<Wire> {
  const [flags, segments] = [new Map<string, Members>(), new Map<string, Members>()];
  let [since, rbSince, spec] = [-1, -1, '1.3'];
  for (let part = 0; part < maxParts; part += 1) {
    const query = spec === '1.3' ? { s: spec, since, rbSince } : { s: spec, since };
    try {
      const { body } = await client.get('/splitChanges', query);
      const [ff = body, rbs] = [memberIn(body, 'ff'), memberIn(body, 'rbs')];
      apply(flags, [...objectsIn(ff, 'd'), ...objectsIn(ff, 'splits')]);
      apply(segments, objectsIn(rbs, 'd'));
      const till = numberIn(ff, 't') ?? numberIn(ff, 'till') ?? since;
      const rbTill = numberIn(rbs, 't') ?? rbSince;
      if (till === since && rbTill === rbSince) break;
      [since, rbSince] = [till, rbTill];
    } catch (error) {
      // An older server does not know rule-based segments.
      if (!(error instanceof SourceRefusal) || error.status !== 400 || spec !== '1.3') throw error;
      spec = '1.1';
    }
  }
  return { flags, segments };
}

function apply(known: Map<string, Members>, changed: readonly Members[]): void {
  for (const item of changed) {
    if (item.status === 'ARCHIVED') known.delete(textIn(item, 'name'));
    else known.set(textIn(item, 'name'), item);
  }
}

export interface SegmentKeys {
  readonly keys: ReadonlySet<string>;
  readonly changeNumber: number;
}

/** Needs a server-side key: others are refused. */
export async function readSegmentKeys(client: Client, segment: string): Promise<SegmentKeys> {
  const keys = new Set<string>();
  let since = -1;
  for (let part = 0; part < maxParts; part += 1) {
    const { body } = await client.get(`/segmentChanges/${encodeURIComponent(segment)}`, { since });
    await eachText(body, 'added', (key) => keys.add(key));
    await eachText(body, 'removed', (key) => keys.delete(key));
    const till = numberIn(body, 'till') ?? since;
    if (till === since) break;
    since = till;
  }
  return { keys, changeNumber: since };
}

async function eachText(body: unknown, name: string, use: (text: string) => void): Promise<void> {
  const list = memberIn(body, name);
  const turns = takeTurns();
  for (const item of Array.isArray(list) ? list : []) {
    if (typeof item === 'string') use(item);
    if (turns.isOver()) await turns.next();
  }
}
