/**
 * The engine of the official SDK for JavaScript, alone: no client is made, so nothing is fetched, sent or waited for.
 * It is not among what the package exports, so an update may move it; the version is pinned.
 */
import { createRequire } from 'node:module';
import type { Subject } from '#domain/evaluation/evaluate.ts';
import type { RandomWorld } from './random-worlds.ts';
import {
  type SdkDefinition,
  type SdkRuleBasedSegment,
  toSdkDefinition,
  toSdkRuleBasedSegment,
} from './sdk-definitions.ts';

/** What the SDK would give its caller, and the label with which it would report it. */
export interface SdkEvaluation {
  readonly treatment: string;
  readonly label: string;
  readonly config: string | null;
}

/** Stands where the SDK keeps what it fetched. */
interface Storage {
  readonly splits: { getSplit(name: string): SdkDefinition | null };
  readonly segments: { isInSegment(segment: string, key: string): boolean };
  readonly largeSegments: { isInSegment(segment: string, key: string): boolean };
  readonly rbSegments: { get(name: string): SdkRuleBasedSegment | null };
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

const nothing = () => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export function evaluateBySdk(flag: string, { key, attributes }: Subject, world: RandomWorld): SdkEvaluation {
  const { kindOf } = world;
  const listsKeyOf = (kind: string) => (segment: string, one: string) =>
    kindOf(segment) === kind && world.listsKey(segment, one);
  const storage: Storage = {
    splits: {
      getSplit: (name) => {
        const definition = world.definitionOf(name);
        return definition ? toSdkDefinition(definition, kindOf) : null;
      },
    },
    segments: { isInSegment: listsKeyOf('standard') },
    largeSegments: { isInSegment: listsKeyOf('large') },
    rbSegments: {
      get: (name) => {
        const rules = world.segmentRulesOf(name);
        return rules ? toSdkRuleBasedSegment(name, rules, kindOf) : null;
      },
    },
  };
  return evaluateFeature(log, key, flag, attributes, storage);
}
