/**
 * What share of all keys each step of a definition takes, as far as the definition says it. Keys are spread evenly over
 * the buckets, so the allocation is exact; how many keys match a rule on an attribute, a segment or the text of the key
 * is not known, so such a rule may take anything from nothing to all that is left.
 */
import type { Targeting } from '../definitions/definition.ts';
import { type OtherFlag, prepareSide, type Question } from './effect-sides.ts';
import type { Range } from './effects.ts';

export interface Taken extends Range {
  /** What must be known for an exact share. Empty for a step that only depends on those before it. */
  readonly asksFor: readonly Question[];
  /** The most that can be left for the steps after it. */
  readonly left: number;
}

export interface Funnel {
  /** Only what segments take: individual targets are listed keys, not a share. */
  readonly targets: Taken;
  readonly allocation: Taken;
  readonly rules: readonly Taken[];
  readonly rest: Taken;
}

/** Undefined if the flag is killed: then no step takes anything. */
export function funnelOf(targeting: Targeting, otherFlag: OtherFlag): Funnel | undefined {
  if (targeting.killed) return undefined;
  const { steps, rest } = prepareSide(targeting, {
    find: otherFlag,
    prepared: new Map(),
    namedKeys: new Set(),
  }).sideFor();
  /** What is left for a step: at least, and at most. */
  let left: Range = { min: 100, max: 100 };
  const none = (): Taken => ({ min: 0, max: 0, asksFor: [], left: left.max });
  const some = (asksFor: readonly Question[]): Taken => {
    left = { min: 0, max: left.max };
    return { min: 0, max: left.max, asksFor, left: left.max };
  };
  const all = (): Taken => {
    const taken = { ...left, asksFor: [], left: 0 };
    left = { min: 0, max: 0 };
    return taken;
  };
  const segments = steps.filter(({ decider }) => decider.kind === 'segment');
  const targets = segments.length > 0 ? some(segments.flatMap(({ asksFor }) => asksFor)) : none();
  const allocation = allocate();
  const rules = targeting.rules.map((_, index) => {
    const step = steps.find(({ decider }) => decider.kind === 'rule' && decider.index === index);
    if (step) return some(step.asksFor);
    return rest.decider.kind === 'rule' && rest.decider.index === index ? all() : none();
  });
  return { targets, allocation, rules, rest: all() };

  function allocate(): Taken {
    const out = (100 - targeting.trafficAllocation) / 100;
    const taken = { min: left.min * out, max: left.max * out };
    left = { min: left.min - taken.min, max: left.max - taken.max };
    return { ...taken, asksFor: [], left: left.max };
  }
}
