/** The key tried in "Who sees what", and its results for the saved version and the draft. */
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
  /** As typed; empty ones are left out. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Kept outside the page, so that you can try the same key in several environments. */
export const asked = noticesOf<Asked>({ key: '', attributes: {} });

export interface Probe {
  /** Undefined without a valid key. */
  readonly key: string | undefined;
  /** The result for the saved version; undefined without a key or if the flag is not defined. */
  readonly before: Evaluation | undefined;
  /** The result for the draft; undefined while it is incomplete. */
  readonly after: Evaluation | undefined;
  /** A pattern that timed out, so that a result is unknown. */
  readonly slowPattern: string | undefined;
}

export function useProbe(): Probe {
  const { before, after, world, attributes } = useSetting();
  const key = parseKey(asked.use().key);
  const was = useEvaluation(before, world, { key, attributes });
  const is = useEvaluation(after, world, { key, attributes });
  return { key, before: was.evaluation, after: is.evaluation, slowPattern: is.slowPattern ?? was.slowPattern };
}

/** The saved version and the draft, ready to evaluate, with the flags they depend on. */
function useSetting() {
  const { saved, savedTargeting, targeting, complaints, environment } = useEditor();
  const { name } = useFlag();
  const definitions = useMemo(() => {
    // A new definition has no seeds, so buckets are unknown until it is saved.
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

/** Undefined while an expression runs. */
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
