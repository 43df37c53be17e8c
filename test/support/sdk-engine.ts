/**
 * The engine of the official SDK for JavaScript, alone: no client is made, so nothing is fetched, sent or waited for.
 * It is not among what the package exports, so an update may move it; the version is pinned. The package still has the
 * legacy hash, but its engine no longer looks at `algo`, unlike those for Java and Go: here it does.
 */
import { createRequire } from 'node:module';
import type { Subject } from '#domain/evaluation/evaluate.ts';
import { toWireFlag, type WireFlag } from '#domain/wire/flags.ts';
import { toWireSegment, type WireSegment } from '#domain/wire/segments.ts';
import type { RandomWorld } from './random-worlds.ts';

/** What the SDK would give its caller, and the label with which it would report it. */
export interface SdkEvaluation {
  readonly treatment: string;
  readonly label: string;
  readonly config: string | null;
}

/** Stands where the SDK keeps what it fetched. */
interface Storage {
  readonly splits: { getSplit(name: string): object | null };
  readonly segments: { isInSegment(segment: string, key: string): boolean };
  readonly largeSegments: { isInSegment(segment: string, key: string): boolean };
  readonly rbSegments: { get(name: string): WireSegment | null };
}

type EvaluateFeature = (
  log: object,
  key: string,
  flag: string,
  attributes: Subject['attributes'],
  storage: Storage,
) => SdkEvaluation;

const fromSdk = createRequire(createRequire(import.meta.url).resolve('@splitsoftware/splitio'));
const { evaluateFeature } = fromSdk('@splitsoftware/splitio-commons/cjs/evaluator') as {
  evaluateFeature: EvaluateFeature;
};

type Bucket = (key: string, seed: number) => number;
const murmur3 = fromSdk('@splitsoftware/splitio-commons/cjs/utils/murmur3/murmur3') as { bucket: Bucket };
const legacy = fromSdk('@splitsoftware/splitio-commons/cjs/utils/murmur3/legacy') as { bucket: Bucket };

/** What the engine is given for a seed if the flag has the legacy hash. It only passes it on. */
class LegacySeed {
  readonly seed: number;
  constructor(seed: number) {
    this.seed = seed;
  }
}

const murmur3Bucket = murmur3.bucket;
murmur3.bucket = (key, seed: number | LegacySeed) =>
  seed instanceof LegacySeed ? legacy.bucket(key, seed.seed) : murmur3Bucket(key, seed);

const withLegacySeeds = (flag: WireFlag): object => ({
  ...flag,
  seed: new LegacySeed(flag.seed),
  trafficAllocationSeed: new LegacySeed(flag.trafficAllocationSeed),
});

const nothing = () => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** What the SDK has received. */
export interface Received {
  readonly flagOf: (name: string) => WireFlag | undefined;
  readonly ruleBasedOf: (name: string) => WireSegment | undefined;
  readonly listsKey: (kind: 'standard' | 'large', segment: string, key: string) => boolean;
}

export function evaluateBySdk(flag: string, { key, attributes }: Subject, received: Received): SdkEvaluation {
  const storage: Storage = {
    splits: {
      getSplit: (name) => {
        const found = received.flagOf(name);
        return found?.algo === 1 ? withLegacySeeds(found) : (found ?? null);
      },
    },
    segments: { isInSegment: (segment, one) => received.listsKey('standard', segment, one) },
    largeSegments: { isInSegment: (segment, one) => received.listsKey('large', segment, one) },
    rbSegments: { get: (name) => received.ruleBasedOf(name) ?? null },
  };
  return evaluateFeature(log, key, flag, attributes, storage);
}

export function receivedOf(world: RandomWorld): Received {
  const surroundings = { kindOf: world.kindOf, setNameOf: nothing };
  return {
    flagOf: (name) => {
      const definition = world.definitionOf(name);
      return definition && numbered(toWireFlag({ ...definition, trafficType, revision: 1 }, surroundings));
    },
    ruleBasedOf: (name) => {
      const rules = world.segmentRulesOf(name);
      return rules && toWireSegment({ ...rules, name, trafficType: 'user', changeNumber: 1 }, surroundings);
    },
    listsKey: (kind, segment, key) => world.kindOf(segment) === kind && world.listsKey(segment, key),
  };
}

const trafficType = { id: 'user', name: 'user' };

/** With labels that tell rules apart which say the same. */
function numbered(flag: WireFlag): WireFlag {
  const rollout = flag.conditions.filter(({ conditionType }) => conditionType === 'ROLLOUT');
  return {
    ...flag,
    conditions: flag.conditions.map((condition) => {
      const index = rollout.indexOf(condition);
      return index < 0 || index === rollout.length - 1 ? condition : { ...condition, label: `rule ${index}` };
    }),
  };
}
