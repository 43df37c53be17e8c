/** Counts, key by key with the evaluator, how many keys get another treatment. */
import { type Static, Type } from 'typebox';
import { OneOf } from '../schema.ts';
import { control, type Evaluable, evaluatorOf, type Subject, type World } from './evaluate.ts';

const Cell = Type.Object({
  from: Type.String(),
  to: Type.String(),
  keys: Type.Integer(),
  share: Type.Number({ description: 'percent of the keys' }),
  examples: Type.Array(Type.String(), { description: 'at most ten of the keys' }),
});

export const Transitions = Type.Object({
  of: OneOf(['sample', 'seen'], {
    description:
      '`sample`: made-up keys without attributes and in no segment. `seen`: keys of recent evaluations in the environment, ' +
      'and of identities, with their attributes and segments.',
  }),
  keys: Type.Integer({ description: 'how many were evaluated' }),
  cells: Type.Array(Cell, {
    description: 'from treatment to treatment, also where they are the same; most keys first',
  }),
});
export type Transitions = Static<typeof Transitions>;

const maxExamples = 10;

/** A flag before and after a change. Undefined: not defined, so everyone gets `control`. */
export interface Change {
  readonly before: Evaluable | undefined;
  readonly after: Evaluable | undefined;
  /** A definition that is not saved yet may get any seeds: then shares are right, and no key is an example. */
  readonly areSeedsKnown: boolean;
}

export interface Counted {
  readonly world: World;
  readonly subjects: Iterable<Subject>;
  /** Asked now and then; the rest is not counted. */
  readonly isTimeUp: () => boolean;
}

const perLook = 500;

export function transitionsOf(
  of: Transitions['of'],
  { before, after, areSeedsKnown }: Change,
  { world, subjects, isTimeUp }: Counted,
): Transitions {
  const [was, is] = [before, after].map((side) => side && evaluatorOf(side, world));
  const cells = new Map<string, Map<string, { keys: number; examples: string[] }>>();
  let total = 0;
  for (const subject of subjects) {
    const [from, to] = [was?.(subject).treatment ?? control, is?.(subject).treatment ?? control];
    const row = cells.get(from) ?? new Map<string, { keys: number; examples: string[] }>();
    const cell = row.get(to) ?? { keys: 0, examples: [] };
    if (cell.keys === 0) cells.set(from, row.set(to, cell));
    cell.keys += 1;
    total += 1;
    if (areSeedsKnown && cell.examples.length < maxExamples) cell.examples.push(subject.key);
    if (total % perLook === 0 && isTimeUp()) break;
  }
  const found = [...cells].flatMap(([from, row]) => [...row].map(([to, cell]) => ({ from, to, ...cell })));
  return {
    of,
    keys: total,
    cells: found
      .map(({ from, to, keys, examples }) => ({ from, to, keys, share: percentOf(keys, total), examples }))
      .sort((one, other) => other.keys - one.keys),
  };
}

const percentOf = (part: number, total: number): number => Math.round((part / total) * 10_000) / 100;
