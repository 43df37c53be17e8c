/** The key that is being tried in "Who sees what", and what comes out: with what is saved, and with the draft. */
import { useMemo } from 'react';
import {
  type Evaluable,
  type Evaluation,
  evaluatorOf,
  parseKey,
  type Subject,
  type World,
} from '#domain/evaluation/evaluate.ts';
import { useFlag } from '../../../server/flag.ts';
import { noticesOf } from '../../../state/notices.ts';
import { attributesFrom, kindsOfAttributes } from '../editing/attributes.ts';
import { useEditor } from '../editing/editor.ts';
import { Undecided, usePatternVerdicts } from './patterns.ts';
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
  /** A pattern takes too long, so that either of the two cannot be told. */
  readonly slowPattern: string | undefined;
}

export function useProbe(): Probe {
  const { before, after, world, attributes } = useSetting();
  const key = parseKey(asked.use().key);
  const was = useEvaluation(before, world, { key, attributes });
  const is = useEvaluation(after, world, { key, attributes });
  return { key, before: was.evaluation, after: is.evaluation, slowPattern: is.slowPattern ?? was.slowPattern };
}

/** What is saved and what the page shows, ready to be evaluated, and what lies around them. */
function useSetting() {
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

interface Tried {
  readonly evaluation: Evaluation | undefined;
  readonly slowPattern: string | undefined;
}

/** Nothing while an expression runs. */
export function useEvaluation(
  definition: Evaluable | undefined,
  world: World,
  { key, attributes }: Pick<Subject, 'attributes'> & { readonly key: string | undefined },
): Tried {
  usePatternVerdicts();
  const evaluate = useMemo(() => definition && evaluatorOf(definition, world), [definition, world]);
  try {
    return { evaluation: key === undefined ? undefined : evaluate?.({ key, attributes }), slowPattern: undefined };
  } catch (problem) {
    if (!(problem instanceof Undecided)) throw problem;
    return { evaluation: undefined, slowPattern: problem.isTooSlow ? problem.pattern : undefined };
  }
}
