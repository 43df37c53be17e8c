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
import type { KnownSegments } from '../../../targeting/known-segments.ts';
import { type Reason, Undecided, usePatternVerdicts } from '../../../targeting/patterns.ts';
import { type AttributeKind, attributesFrom, kindsOfAttributes } from '../editing/attributes.ts';
import { useEditor } from '../editing/editor.ts';
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
  /** Why a result is unknown. Undefined if both are known. */
  readonly undecided: Reason | undefined;
  /** The attributes that its rules use, also those of segments and other flags. */
  readonly kinds: ReadonlyMap<string, AttributeKind>;
  /** The segments that its rules name. */
  readonly segments: KnownSegments;
}

export function useProbe(): Probe {
  const key = parseKey(asked.use().key);
  const { before, after, world, attributes, kinds } = useSetting(key);
  const was = useEvaluation(before, world, { key, attributes });
  const is = useEvaluation(after, world, { key, attributes });
  return {
    key,
    before: was.evaluation,
    after: is.evaluation,
    undecided: is.undecided ?? was.undecided,
    kinds,
    segments: world.segments,
  };
}

/** The saved version and the draft, ready to evaluate, with the flags they depend on. */
function useSetting(key: string | undefined) {
  const { saved, savedTargeting, targeting, complaints, environment } = useEditor();
  const { name } = useFlag();
  const definitions = useMemo(() => {
    // A new definition has no seeds, so buckets are unknown until it is saved.
    const { seed = 0, trafficAllocationSeed = 1, algo = 2 } = saved ?? {};
    const seeds = { name, seed, trafficAllocationSeed, algo };
    return {
      before: savedTargeting && { ...savedTargeting, ...seeds },
      after: targeting && complaints.length === 0 ? { ...targeting, ...seeds } : undefined,
    };
  }, [saved, savedTargeting, targeting, complaints, name]);
  const world = useWorld({ environment: environment.id, key }, definitions.before, definitions.after);
  const kinds = kindsOfAttributes(targeting, savedTargeting, ...world.others);
  return { ...definitions, world, kinds, attributes: attributesFrom(asked.use().attributes, kinds) };
}

interface Tried {
  readonly evaluation: Evaluation | undefined;
  /** Why there is no evaluation, if it is not for lack of a key. */
  readonly undecided: Reason | undefined;
}

/** Undefined while segments are looked up, and while an expression runs. */
export function useEvaluation(
  definition: Evaluable | undefined,
  world: World,
  { key, attributes }: Pick<Subject, 'attributes'> & { readonly key: string | undefined },
): Tried {
  usePatternVerdicts();
  const evaluate = useMemo(() => definition && evaluatorOf(definition, world), [definition, world]);
  try {
    return { evaluation: key === undefined ? undefined : evaluate?.({ key, attributes }), undecided: undefined };
  } catch (problem) {
    if (!(problem instanceof Undecided)) throw problem;
    return { evaluation: undefined, undecided: problem.reason };
  }
}
