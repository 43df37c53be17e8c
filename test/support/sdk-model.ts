/** SDKs in a few lines: what they hold after applying what they are sent, and random changes to send them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Answer, Api, Calls } from './app.ts';
import { aDefinition, aProject, aSetName, type ProjectFixture, uniqueName } from './build.ts';
import { anSdkKey } from './sdk.ts';

type Poll = (path: string) => Promise<Answer>;
interface Named {
  readonly name: string;
  readonly status: string;
  readonly changeNumber: number;
}

/** What an SDK remembers. */
export class ModelSdk {
  readonly #poll: Poll;
  readonly #filter: string;
  readonly flags = new Map<string, Named>();
  readonly ruleBased = new Map<string, Named>();
  readonly segments = new Map<string, { since: number; keys: Set<string> }>();
  since = -1;
  rbSince = -1;

  constructor(poll: Poll, filter = '') {
    this.#poll = poll;
    this.#filter = filter;
  }

  /** Fetches flags once, and each of the segments until nothing is new. */
  async fetch(segments: readonly string[]): Promise<void> {
    const { since, rbSince } = this;
    const { status, body, text } = await this.#poll(
      `/api/splitChanges?s=1.3&since=${since}&rbSince=${rbSince}${this.#filter}`,
    );
    assert.equal(status, 200, text);
    const { ff, rbs } = body;
    assert.deepEqual([ff.s, rbs.s], [since, rbSince]);
    assert.ok(ff.t >= since && rbs.t >= rbSince, 'numbers do not go back');
    apply(this.flags, ff.d);
    apply(this.ruleBased, rbs.d);
    [this.since, this.rbSince] = [ff.t, rbs.t];
    for (const name of segments) await this.#fetchSegment(name);
  }

  async #fetchSegment(name: string): Promise<void> {
    const held = this.segments.get(name) ?? { since: -1, keys: new Set() };
    this.segments.set(name, held);
    for (;;) {
      const { status, body, text } = await this.#poll(`/api/segmentChanges/${name}?since=${held.since}`);
      assert.equal(status, 200, text);
      const { added, removed, since, till } = body as Record<'added' | 'removed', string[]> & Record<string, number>;
      assert.equal(since, held.since);
      assert.ok(Number(till) >= held.since);
      assert.deepEqual(
        added.filter((key) => removed.includes(key)),
        [],
      );
      for (const key of added) held.keys.add(key);
      for (const key of removed) held.keys.delete(key);
      if (till === held.since) return;
      held.since = Number(till);
    }
  }

  /** Everything that decides about treatments. */
  get state() {
    const sorted = (all: ReadonlyMap<string, unknown>) =>
      Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
    const segments = [...this.segments].map(([name, { keys }]) => [name, [...keys].sort()] as const);
    return { flags: sorted(this.flags), ruleBased: sorted(this.ruleBased), segments: sorted(new Map(segments)) };
  }
}

function apply(held: Map<string, Named>, changes: readonly Named[]): void {
  for (const one of changes) {
    // A flag that a set filter excludes is archived with the number of its change, which others have seen already.
    if (one.status === 'ACTIVE') held.set(one.name, one);
    else held.delete(one.name);
  }
}

/** The keys that steps add and remove. */
export const someKeys = Array.from({ length: 7 }, (_, index) => `key-${index}`);

/** Numbers that choose what is done, and with what. */
export const aStep = fc.tuple(fc.nat(17), fc.nat(3), fc.nat(3), fc.nat(3));
export type Step = [what: number, flag: number, segment: number, choice: number];

export interface ModelWorld {
  readonly project: ProjectFixture;
  readonly key: string;
  readonly set: string;
  readonly segments: readonly string[];
  /** Refused ones change nothing. */
  take(calls: Calls, step: Step): Promise<void>;
}

export async function aModelWorld(api: Api): Promise<ModelWorld> {
  const project = await aProject(api);
  const key = await anSdkKey(api, project);
  const set = aSetName();
  const { body: flagSet } = await api.post('/internal/api/v3/flag-sets', { name: set, workspace: { id: project.id } });
  const flags = Array.from({ length: 4 }, () => uniqueName('flag'));
  const segments = Array.from({ length: 4 }, () => uniqueName('segment'));
  for (const name of flags) await api.post(`/splits/ws/${project.id}/trafficTypes/user`, { name });
  const { id } = project;
  const place = project.staging.id;
  const kinds = ['segments', 'rule-based-segments', 'large-segments'] as const;

  const take = async ({ post, put, delete: remove }: Calls, [what, flagAt, segmentAt, choice]: Step) => {
    const flag = `/splits/ws/${id}/${flags[flagAt]}/environments/${place}`;
    const segment = segments[segmentAt] ?? '';
    const kind = kinds[choice % 3] ?? 'segments';
    const definition = () =>
      aDefinition({
        trafficAllocation: 10 * choice,
        treatments: [{ name: 'on', segments: choice > 1 ? [segment] : [], keys: ['ann'] }, { name: 'off' }],
        flagSets: choice % 2 === 0 ? [{ id: flagSet.id, type: 'flag_set' }] : [],
      });
    const matchers = [{ type: 'IN_SEGMENT', string: segments[choice] }];
    const rules = { rules: [{ condition: { combiner: 'AND', matchers } }], excludedKeys: [`key-${flagAt}`] };
    const keys = someKeys.slice(flagAt, flagAt + choice + 1);
    const removeKeys = () => put(`/segments/${place}/${segment}/removeKeys`, { keys });
    /** Of whichever kind it is; the others are refused. */
    const removeSegment = async (path: (kind: string) => string) => {
      const answers = await Promise.all(kinds.map((one) => remove(path(one))));
      return answers.find(({ status }) => status >= 500) ?? (answers[0] as Answer);
    };
    const steps: (() => Promise<Answer>)[] = [
      () => post(flag, definition()),
      () => put(flag, definition()),
      () => put(`${flag}/kill`),
      () => put(`${flag}/restore`),
      () => remove(flag),
      async () => {
        await post(`/${kind}/ws/${id}/trafficTypes/user`, { name: segment });
        return post(`/${kind}/${place}/${segment}`);
      },
      () => put(`/segments/${place}/${segment}/uploadKeys?replace=false`, { keys }),
      () => put(`/segments/${place}/${segment}/uploadKeys?replace=true`, { keys }),
      removeKeys,
      () => put(`/rule-based-segments/ws/${id}/${segment}/environments/${place}`, rules),
      () => removeSegment((one) => `/${one}/${place}/${segment}`),
      () => removeSegment((one) => `/${one}/ws/${id}/${segment}`),
      () => put(flag, definition()),
      () => put(`/segments/${place}/${segment}/uploadKeys?replace=false`, { keys }),
      removeKeys,
      removeKeys,
      // Archived for SDKs, and then there again.
      async () => {
        await remove(`/splits/ws/${id}/${flags[flagAt]}`);
        return post(`/splits/ws/${id}/trafficTypes/user`, { name: flags[flagAt] });
      },
      async () => {
        const { status, text } = await remove(flag);
        assert.ok(status < 500, text);
        return post(flag, definition());
      },
    ];
    const { status, text } = (await steps[what]?.()) ?? { status: 500, text: 'no such step' };
    assert.ok(status < 500, text);
  };
  return { project, key, set, segments, take };
}
