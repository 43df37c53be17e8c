/** How an edit moves a sample of made-up keys. */
import { useDeferredValue, useMemo } from 'react';
import { compareRollouts, type Movement, sampleKeys } from '#domain/rollout.ts';
import { useSetting } from './probe.ts';

const sampleSize = 10_000;
const keys = sampleKeys(sampleSize);

/** Undefined while the draft is not complete. Computed when there is time: it takes longer than a keystroke may. */
export function useMovement(): (Movement & { readonly of: number }) | undefined {
  const { before, after, world, attributes } = useSetting();
  const text = JSON.stringify(attributes);
  const input = useDeferredValue(useMemo(() => ({ before, after, world, text }), [before, after, world, text]));
  return useMemo(() => {
    if (!input.after) return undefined;
    const given = JSON.parse(input.text) as Record<string, unknown>;
    // Without a definition there was nothing to move away from.
    const movement = compareRollouts({ ...input, before: input.before, keys, attributes: given });
    return { ...movement, of: sampleSize };
  }, [input]);
}
