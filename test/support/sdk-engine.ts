/**
 * The engine of the official SDK for JavaScript, alone: no client is made, so nothing is fetched, sent or waited for.
 * It is not among what the package exports, so an update may move it; the version is pinned.
 */
import { createRequire } from 'node:module';
import type { Subject, World } from '#domain/evaluation/evaluate.ts';
import { type SdkDefinition, toSdkDefinition } from './sdk-definitions.ts';

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

export function evaluateBySdk(flag: string, { key, attributes }: Subject, world: World): SdkEvaluation {
  const storage: Storage = {
    splits: {
      getSplit: (name) => {
        const definition = world.definitionOf(name);
        return definition ? toSdkDefinition(definition) : null;
      },
    },
    segments: { isInSegment: world.isInSegment },
  };
  return evaluateFeature(log, key, flag, attributes, storage);
}
