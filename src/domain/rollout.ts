/** How an edit of a definition moves people, over a sample of keys. */
import { control, type Evaluable, evaluatorOf, type Subject, type World } from './evaluate.ts';

/** Made-up keys, always the same ones. */
export const sampleKeys = (count: number): string[] => Array.from({ length: count }, (_, index) => `key-${index + 1}`);

export interface Comparison {
  /** Undefined: the flag is not defined, so that everybody gets `control`. */
  readonly before: Evaluable | undefined;
  readonly after: Evaluable | undefined;
  readonly world: World;
  readonly keys: readonly string[];
  /** What all keys have. */
  readonly attributes: Subject['attributes'];
}

/** Numbers of keys, out of those that were looked at. */
export interface Movement {
  /** In the order of the treatments after the edit; then what only was before; `control` last, where anybody gets it. */
  readonly treatments: readonly { readonly treatment: string; readonly before: number; readonly after: number }[];
  readonly moved: number;
  /** Who switches sides, the largest part first. */
  readonly moves: readonly { readonly from: string; readonly to: string; readonly keys: number }[];
}

export function compareRollouts({ before, after, world, keys, attributes }: Comparison): Movement {
  const [sideBefore, sideAfter] = [before, after].map((definition) => sideOf(definition, world));
  const counts = new Map<string, Map<string, number>>();
  for (const key of keys) {
    const subject = { key, attributes };
    const [from, to] = [sideBefore?.(subject) ?? control, sideAfter?.(subject) ?? control];
    const row = counts.get(from) ?? new Map<string, number>();
    row.set(to, (row.get(to) ?? 0) + 1);
    counts.set(from, row);
  }
  const pairs = [...counts].flatMap(([from, row]) => [...row].map(([to, count]) => ({ from, to, keys: count })));
  const moves = pairs.filter(({ from, to }) => from !== to).sort((a, b) => b.keys - a.keys);
  const sum = (some: readonly { keys: number }[]) => some.reduce((total, pair) => total + pair.keys, 0);
  return {
    treatments: namesIn(after, before, pairs).map((treatment) => ({
      treatment,
      before: sum(pairs.filter(({ from }) => from === treatment)),
      after: sum(pairs.filter(({ to }) => to === treatment)),
    })),
    moved: sum(moves),
    moves,
  };
}

function sideOf(definition: Evaluable | undefined, world: World): ((subject: Subject) => string) | undefined {
  const evaluate = definition && evaluatorOf(definition, world);
  return evaluate && ((subject) => evaluate(subject).treatment);
}

function namesIn(
  after: Evaluable | undefined,
  before: Evaluable | undefined,
  pairs: readonly { from: string; to: string }[],
): string[] {
  const defined = [after, before].flatMap((definition) => definition?.treatments.map(({ name }) => name) ?? []);
  return [...new Set([...defined, ...pairs.flatMap(({ from, to }) => [from, to])])];
}
