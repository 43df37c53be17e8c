/** The thread of `verify`: evaluates the flags of one environment on both sides. A regular expression may take forever. */
import { parentPort } from 'node:worker_threads';
import { loadEngine, type Received, type ReceivedFlag } from './engine.ts';
import { type Chance, chanceOf, subjectsOf, type WireRules } from './subjects.ts';

/** What SDKs have of an environment on one side. */
export interface Side {
  readonly flags: readonly (ReceivedFlag & WireRules)[];
  readonly ruleBased: readonly ({ readonly name: string } & WireRules)[];
  /** Those of the chosen keys that each segment has. */
  readonly standard: ReadonlyMap<string, ReadonlySet<string>>;
  readonly large: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What to compare. */
export interface Comparison {
  readonly there: Side;
  readonly here: Side;
  readonly flags: readonly string[];
  /** Any of them is evaluated for any flag. */
  readonly keys: readonly string[];
  readonly perFlag: number;
  readonly seed: number;
  readonly maxDifferences: number;
}

export interface Difference {
  readonly flag: string;
  readonly key: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly there: string;
  readonly here: string;
}

/** Sent after some flags, and at the end. */
export interface Compared {
  readonly evaluations: number;
  readonly flags: number;
  readonly differences: readonly Difference[];
  /** Also of those that are not listed. */
  readonly differenceCount: number;
  readonly isDone: boolean;
}

const progressMs = 200;
const evaluate = loadEngine();

parentPort?.on('message', (comparison: Comparison) => {
  const { flags, perFlag, maxDifferences } = comparison;
  const [there, here] = [receivedFrom(comparison.there), receivedFrom(comparison.here)];
  const chance = chanceOf(comparison.seed);
  let sent = performance.now();
  let part = emptyPart();
  let listed = 0;
  const send = (isDone: boolean) => {
    parentPort?.postMessage({ ...part, isDone } satisfies Compared);
    part = emptyPart();
    sent = performance.now();
  };
  for (const flag of flags) {
    for (const { key, attributes } of subjects(comparison, { flag, chance, there, perFlag })) {
      const [theirs, ours] = [there, here].map((side) => evaluate(flag, key, attributes, side));
      part.evaluations += 1;
      if (theirs?.treatment === ours?.treatment && (theirs?.config ?? null) === (ours?.config ?? null)) continue;
      part.differenceCount += 1;
      if (listed >= maxDifferences) continue;
      listed += 1;
      part.differences.push({ flag, key, attributes, there: said(theirs), here: said(ours) });
    }
    part.flags += 1;
    if (performance.now() - sent > progressMs) send(false);
  }
  send(true);
});

const emptyPart = () => ({ evaluations: 0, flags: 0, differences: [] as Difference[], differenceCount: 0 });

/** With the configuration, since that may be what differs. */
const said = (result: { treatment: string; config: string | null } | undefined): string =>
  result?.config ? `${result.treatment} ${result.config}` : (result?.treatment ?? '');

function receivedFrom({ flags, ruleBased, standard, large }: Side): Received & { rulesOf(flag: string): WireRules[] } {
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  const segments = new Map(ruleBased.map((segment) => [segment.name, segment]));
  const lists = { standard, large };
  return {
    flagOf: (name) => byName.get(name),
    ruleBasedOf: (name) => segments.get(name),
    listsKey: (kind, segment, key) => lists[kind].get(segment)?.has(key) ?? false,
    rulesOf: (flag) => [byName.get(flag), ...segments.values()].flatMap((one) => one ?? []),
  };
}

interface Asked {
  readonly flag: string;
  readonly chance: Chance;
  readonly there: ReturnType<typeof receivedFrom>;
  readonly perFlag: number;
}

const subjects = ({ keys }: Comparison, { flag, chance, there, perFlag }: Asked) =>
  subjectsOf(chance, { keys, rules: there.rulesOf(flag), count: perFlag });
