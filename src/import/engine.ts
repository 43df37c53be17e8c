/**
 * The engine of the official SDK for JavaScript, alone: no client is made, so nothing is fetched, sent or waited for. It
 * is not among what the package exports, so an update may move it; the version is pinned. The package still has the
 * legacy hash, but its engine no longer looks at `algo`, unlike those for Java and Go: here it does.
 */
import { createRequire } from 'node:module';

/** A flag as SDKs receive it: ours, or that of another server. */
export interface ReceivedFlag {
  readonly name: string;
  readonly seed?: number;
  readonly trafficAllocationSeed?: number;
  readonly algo?: number;
}

/** What an SDK has received. */
export interface Received {
  readonly flagOf: (name: string) => ReceivedFlag | undefined;
  readonly ruleBasedOf: (name: string) => object | undefined;
  readonly listsKey: (kind: 'standard' | 'large', segment: string, key: string) => boolean;
}

/** What the SDK would give its caller, and the label with which it would report it. */
export interface SdkEvaluation {
  readonly treatment: string;
  readonly label: string;
  readonly config: string | null;
}

export type Attributes = Readonly<Record<string, unknown>>;

/** Loads the package, which takes some time. */
export function loadEngine(): (flag: string, key: string, attributes: Attributes, received: Received) => SdkEvaluation {
  const load = createRequire(import.meta.url);
  const { evaluateFeature } = load('@splitsoftware/splitio-commons/cjs/evaluator') as { evaluateFeature: Evaluate };
  const murmur3 = load('@splitsoftware/splitio-commons/cjs/utils/murmur3/murmur3') as Hash;
  const legacy = load('@splitsoftware/splitio-commons/cjs/utils/murmur3/legacy') as Hash;
  // Wrapping the wrapper a second time does no harm.
  const { bucket } = murmur3;
  murmur3.bucket = (key, seed) => (seed instanceof LegacySeed ? legacy.bucket(key, seed.seed) : bucket(key, seed));
  return (flag, key, attributes, received) => evaluateFeature(log, key, flag, attributes, storageOf(received));
}

/** Stands where the SDK keeps what it fetched. */
interface Storage {
  readonly splits: { getSplit(name: string): object | null };
  readonly segments: { isInSegment(segment: string, key: string): boolean };
  readonly largeSegments: { isInSegment(segment: string, key: string): boolean };
  readonly rbSegments: { get(name: string): object | null };
}

type Evaluate = (log: object, key: string, flag: string, attributes: Attributes, storage: Storage) => SdkEvaluation;
type Hash = { bucket: (key: string, seed: number | LegacySeed) => number };

/** What the engine is given for a seed if the flag has the legacy hash. It only passes it on. */
class LegacySeed {
  readonly seed: number;
  constructor(seed: number) {
    this.seed = seed;
  }
}

const nothing = () => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const storageOf = (received: Received): Storage => ({
  splits: {
    getSplit: (name) => {
      const found = received.flagOf(name);
      return found?.algo === 1 ? withLegacySeeds(found) : (found ?? null);
    },
  },
  segments: { isInSegment: (segment, key) => received.listsKey('standard', segment, key) },
  largeSegments: { isInSegment: (segment, key) => received.listsKey('large', segment, key) },
  rbSegments: { get: (name) => received.ruleBasedOf(name) ?? null },
});

const withLegacySeeds = (flag: ReceivedFlag): object => ({
  ...flag,
  seed: new LegacySeed(flag.seed ?? 0),
  trafficAllocationSeed: new LegacySeed(flag.trafficAllocationSeed ?? 0),
});
