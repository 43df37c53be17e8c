/**
 * Clients who write without a pause, and note outside of the servers what they were told; and whether that is true
 * afterwards. One half of the writes changes one definition, so that they wait for each other; the other half creates
 * flags, which wait for nobody.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { after } from 'node:test';
import { type Answer, refused } from './app.ts';
import { aDefinedFlag, aProject, type ProjectFixture, uniqueName } from './build.ts';
import type { Client } from './nodes.ts';
import type { Installation, Server } from './process.ts';
import { until } from './until.ts';

/** What is promised to every client, from the request to the answer. */
export const promisedMs = 10_000;

export interface Place {
  readonly project: ProjectFixture;
  readonly flag: { readonly id: string; readonly name: string };
  /** Of the definition that is changed. */
  readonly path: string;
}

/** A project of its own, with one definition. */
export async function aPlace(client: Client): Promise<Place> {
  const project = await aProject(client);
  return { project, ...(await aDefinedFlag(client, project)) };
}

export interface Told {
  readonly node: Server;
  readonly kind: 'flag' | 'definition';
  /** No other write has it: the name of the flag, or the text that was put into the definition. */
  readonly mark: string;
  readonly begunAt: number;
  /** Without what the host of a virtual machine gave to others meanwhile. */
  readonly milliseconds: number;
  /** Undefined when the connection broke before an answer came. */
  readonly answer: Answer | undefined;
}

export interface WriteLoad {
  /** All that was told so far. */
  readonly told: readonly Told[];
  /** Waits until the node has acknowledged some writes that begin from now on. */
  succeeds(client: Client): Promise<void>;
  /** Waits until the node answers 503 to a write. */
  isRefused(client: Client): Promise<void>;
  /** No write begins any more; all are answered when it resolves. */
  stop(): Promise<readonly Told[]>;
}

/** `clientsOfEach`: how many write through each node. */
export function startWriting(clients: readonly Client[], place: Place, clientsOfEach = 4): WriteLoad {
  const told: Told[] = [];
  let stopped = false;
  // A test that fails does not come to its end.
  after(() => {
    stopped = true;
  });
  const write = async (client: Client, kind: Told['kind']) => {
    const mark = uniqueName('mark');
    const [begunAt, stolen] = [performance.now(), stolenMs()];
    // A client that could not connect got no answer.
    const answer = await ask(client, place, { kind, mark }).catch(() => undefined);
    const milliseconds = performance.now() - begunAt - (stolenMs() - stolen);
    told.push({ node: client.node, kind, mark, begunAt, milliseconds, answer });
    return answer;
  };
  const keepWriting = async (client: Client, number: number) => {
    while (!stopped) {
      const answer = await write(client, number % 2 === 0 ? 'flag' : 'definition');
      // A node that is gone does not come back.
      if (!answer) return;
    }
  };
  const writers = clients.flatMap((client) =>
    Array.from({ length: clientsOfEach }, (_, number) => keepWriting(client, number)),
  );
  const seen = (what: string, count: number, counts: (one: Told) => boolean) =>
    until(what, () => told.filter(counts).length >= count);
  return {
    told,
    succeeds: ({ node }) => {
      const from = performance.now();
      const counts = (one: Told) => one.node === node && one.begunAt > from && one.answer?.status === 200;
      return seen(`writes through ${node.url} succeed`, 8, counts);
    },
    isRefused: ({ node }) => {
      const from = told.length;
      const counts = (one: Told) => one.node === node && told.indexOf(one) >= from && one.answer?.status === 503;
      return seen(`a write through ${node.url} is refused`, 1, counts);
    },
    stop: async () => {
      stopped = true;
      await Promise.all(writers);
      return told;
    },
  };
}

/** So far, of each processor; 0 where the system does not tell. Linux counts hundredths of a second. */
function stolenMs(): number {
  try {
    const steal = readFileSync('/proc/stat', 'utf8').split(/\s+/, 9)[8];
    return (Number(steal) * 10) / availableParallelism();
  } catch {
    return 0;
  }
}

const ask = (client: Client, { project, path }: Place, { kind, mark }: Pick<Told, 'kind' | 'mark'>) =>
  kind === 'flag'
    ? client.post(`/splits/ws/${project.id}/trafficTypes/user`, { name: mark })
    : client.patch(path, [{ op: 'add', path: '/treatments/0/description', value: mark }]);

/** Every answer is a success, or says in time that another try makes sense. */
export function requireTimely(told: readonly Told[]): void {
  for (const { answer, milliseconds, node } of told) {
    assert.ok(answer, `no answer by ${node.url}`);
    assert.ok(milliseconds <= promisedMs, `${answer.status} after ${milliseconds} ms`);
    requireFair(answer);
  }
}

/** 200, or 503 with the error body and the time after which to try again. */
export function requireFair(answer: Answer): void {
  if (answer.status === 200) return;
  refused(answer, 503, 'The database is not available; try again shortly');
  assert.match(String(answer.headers['retry-after']), /^\d+$/);
}

interface Change {
  readonly action: string;
  readonly object_name: string;
  readonly transaction_id: string;
  readonly before_body: string | null;
  readonly after_body: string;
}

/**
 * What was acknowledged is there exactly once, with its audit entry; of the rest nothing is there, or all of it once.
 * Returns how many of the writes are there.
 */
export async function requireOnce(burgee: Installation, place: Place, told: readonly Told[]): Promise<number> {
  const stored = await requireWhole(burgee, place);
  for (const one of told.filter(isAcknowledged)) {
    assert.ok(stored.has(one), `${one.kind} ${one.mark} was acknowledged and is not there`);
  }
  return stored.count;
}

export const isAcknowledged = ({ answer }: Told): boolean => answer?.status === 200;

export interface Stored {
  readonly count: number;
  /** With its audit entry. */
  has(told: Told): boolean;
}

/** Everything is there with its audit entry and once, acknowledged or not. */
export async function requireWhole(burgee: Installation, { project, flag }: Place): Promise<Stored> {
  const changes = await burgee.rows<Change>(
    `select c.action, c.object_name, c.transaction_id, coalesce(c.before_body, p.after_body) as before_body, c.after_body
       from changes c left join changes p on p.id = c.previous_id where c.project_id = '${project.id}'`,
  );
  const ids = changes.map((change) => change.transaction_id);
  assert.equal(new Set(ids).size, ids.length, 'a request has two audit entries');
  const created = changes.filter(({ action }) => action === 'flag.created').map((change) => change.object_name);
  const flags = await burgee.rows<{ name: string }>(`select name from flags where project_id = '${project.id}'`);
  assert.deepEqual(flags.map(({ name }) => name).sort(), created.toSorted());
  const texts = descriptionsOf(changes.filter(({ action }) => action === 'definition.patched'));
  const [definition] = await burgee.rows<{ targeting: string }>(
    `select targeting from definitions where flag_id = '${flag.id}'`,
  );
  assert.equal(descriptionIn(definition?.targeting ?? null), texts.at(-1));

  const entries = new Map(changes.map((change) => [change.transaction_id, change]));
  return {
    // The flag of the place was there before.
    count: created.length - 1 + texts.length,
    has: ({ kind, mark, answer }) => {
      const entry = entries.get(String(answer?.headers['x-transaction-id']));
      return mark === (kind === 'flag' ? entry?.object_name : descriptionIn(entry?.after_body ?? null));
    },
  };
}

/** The texts in the order in which they were put into the definition. Refuses a chain with a gap, and a text twice. */
function descriptionsOf(patches: readonly Change[]): (string | undefined)[] {
  const chain = patches
    .map(({ before_body, after_body }) => ({ before: before_body ?? '', after: after_body, at: timeOf(after_body) }))
    .sort((one, other) => one.at - other.at);
  for (const [index, { before, at }] of chain.entries()) {
    const earlier = chain[index - 1];
    if (!earlier) continue;
    assert.equal(before, earlier.after, 'a change starts from what the one before left');
    assert.ok(at > earlier.at);
  }
  const texts = chain.map(({ after }) => descriptionIn(after));
  assert.equal(new Set(texts).size, texts.length, 'a change was made twice');
  return texts;
}

const timeOf = (body: string): number => (JSON.parse(body) as { lastUpdateTime: number }).lastUpdateTime;

const descriptionIn = (body: string | null): string | undefined =>
  (JSON.parse(body ?? '{}') as { treatments?: { description?: string }[] }).treatments?.[0]?.description;
