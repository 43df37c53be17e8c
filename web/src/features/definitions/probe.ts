/** The key that is being tried in "Who sees what", and what comes out: with what is saved, and with the draft. */
import { useMemo } from 'react';
import { type Evaluable, type Evaluation, evaluatorOf, parseKey, type World } from '#domain/evaluate.ts';
import { useFlag } from '../../flag.ts';
import { noticesOf } from '../../notices.ts';
import { attributesFrom, kindsOfAttributes } from './attributes.ts';
import { useEditor } from './editor.ts';
import { useWorld } from './use-world.ts';

export interface Asked {
  readonly key: string;
  /** As they were typed; empty ones are not there. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Kept outside of the page, so that the same key can be tried in one environment after the other. */
export const asked = noticesOf<Asked>({ key: '', attributes: {} });

export interface Probe {
  /** Undefined without a key that SDKs take. */
  readonly key: string | undefined;
  /** What SDKs answer now; undefined without a key, or where the flag is not defined. */
  readonly before: Evaluation | undefined;
  /** What they would answer with what the page shows; undefined while that is not complete. */
  readonly after: Evaluation | undefined;
}

export function useProbe(): Probe {
  const { before, after, world, attributes } = useSetting();
  const key = parseKey(asked.use().key);
  return {
    key,
    before: useEvaluation(before, world, { key, attributes }),
    after: useEvaluation(after, world, { key, attributes }),
  };
}

export interface Setting {
  readonly before: Evaluable | undefined;
  readonly after: Evaluable | undefined;
  readonly world: World;
  /** What the SDKs are given beside the key. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** What is saved and what the page shows, ready to be evaluated, and what lies around them. */
export function useSetting(): Setting {
  const { saved, savedTargeting, targeting, complaints, environment } = useEditor();
  const { name } = useFlag();
  const definitions = useMemo(() => {
    // A definition that is not there yet has no seeds: who gets which bucket is known only once it is saved.
    const { seed = 0, trafficAllocationSeed = 1 } = saved ?? {};
    const seeds = { name, seed, trafficAllocationSeed };
    return {
      before: savedTargeting && { ...savedTargeting, ...seeds },
      after: targeting && complaints.length === 0 ? { ...targeting, ...seeds } : undefined,
    };
  }, [saved, savedTargeting, targeting, complaints, name]);
  const world = useWorld(environment.id, definitions.before, definitions.after);
  const kinds = kindsOfAttributes(definitions.before, definitions.after);
  return { ...definitions, world, attributes: attributesFrom(asked.use().attributes, kinds) };
}

interface Subject {
  readonly key: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}

function useEvaluation(
  definition: Evaluable | undefined,
  world: World,
  { key, attributes }: Subject,
): Evaluation | undefined {
  const evaluate = useMemo(() => definition && evaluatorOf(definition, world), [definition, world]);
  return key === undefined ? undefined : evaluate?.({ key, attributes });
}
