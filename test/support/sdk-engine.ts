/** The engine of the official SDK, as an import uses it, on random worlds. */
import type { Subject } from '#domain/evaluation/evaluate.ts';
import { toWireFlag, type WireFlag } from '#domain/wire/flags.ts';
import { toWireSegment, type WireSegment } from '#domain/wire/segments.ts';
import { loadEngine, type SdkEvaluation } from '#import/engine.ts';
import type { RandomWorld } from './random-worlds.ts';

/** What the SDK has received. */
export interface Received {
  readonly flagOf: (name: string) => WireFlag | undefined;
  readonly ruleBasedOf: (name: string) => WireSegment | undefined;
  readonly listsKey: (kind: 'standard' | 'large', segment: string, key: string) => boolean;
}

const evaluate = loadEngine();

export const evaluateBySdk = (flag: string, { key, attributes }: Subject, received: Received): SdkEvaluation =>
  evaluate(flag, key, attributes, received);

export function receivedOf(world: RandomWorld): Received {
  const surroundings = { kindOf: world.kindOf, setNameOf: () => undefined };
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
