/** Evaluates flags on a snapshot, for clients without an SDK. Needs no database. */
import type { Targeting } from '#domain/definitions/definition.ts';
import { type Evaluation, evaluatorOf, type Subject } from '#domain/evaluation/evaluate.ts';
import { createPatterns } from './patterns.ts';
import type { Snapshot } from './snapshot.ts';

/** A flag's value for a subject, in OpenFeature's words. */
export interface EvaluatedFlag {
  /** The treatment, or whether it means on if all treatments of the flag are `on`, `off`, `true` or `false`. */
  readonly value: boolean | string;
  readonly variant: string;
  readonly reason: 'DISABLED' | 'TARGETING_MATCH' | 'SPLIT' | 'DEFAULT';
  /** The rule that decided, in words. */
  readonly rule: string;
  /** The treatment's configuration as JSON text. */
  readonly configuration: string | undefined;
  readonly changeNumber: number;
}

/** Undefined if the flag is not defined. Throws PatternTooSlow. */
export function evaluateFlag(snapshot: Snapshot, flag: string, subject: Subject): EvaluatedFlag | undefined {
  return evaluatorsOf(snapshot)(flag)?.(subject);
}

type Evaluate = (subject: Subject) => EvaluatedFlag;

/** Kept as long as their snapshot. */
const prepared = new WeakMap<Snapshot, (flag: string) => Evaluate | undefined>();

function evaluatorsOf(snapshot: Snapshot): (flag: string) => Evaluate | undefined {
  const known = prepared.get(snapshot);
  if (known) return known;
  const { matches } = createPatterns();
  const world = {
    definitionOf: snapshot.definitionOf,
    segmentRulesOf: snapshot.segmentRulesOf,
    listsKey: snapshot.listsKey,
    matches,
  };
  const evaluators = new Map<string, Evaluate>();
  const find = (flag: string): Evaluate | undefined => {
    const found = evaluators.get(flag);
    if (found) return found;
    const definition = snapshot.definitionOf(flag);
    if (!definition) return undefined;
    const evaluate = evaluatorOf(definition, world);
    const toValue = valuesOf(definition);
    const made: Evaluate = (subject) => {
      const evaluation = evaluate(subject);
      const { treatment: variant, config: configuration } = evaluation;
      const { reason, rule } = reasonOf(evaluation, definition);
      return { value: toValue(variant), variant, reason, rule, configuration, changeNumber: definition.revision };
    };
    evaluators.set(flag, made);
    return made;
  };
  prepared.set(snapshot, find);
  return find;
}

const switchNames: ReadonlySet<string> = new Set(['on', 'off', 'true', 'false']);

const valuesOf = ({ treatments }: Targeting): ((treatment: string) => boolean | string) =>
  treatments.every(({ name }) => switchNames.has(name))
    ? (treatment) => treatment === 'on' || treatment === 'true'
    : (treatment) => treatment;

function reasonOf(
  { decidedBy, treatment }: Evaluation,
  { rules, defaultRule }: Targeting,
): Pick<EvaluatedFlag, 'reason' | 'rule'> {
  switch (decidedBy.kind) {
    case 'killed':
      return { reason: 'DISABLED', rule: 'killed' };
    case 'targets': {
      const what = decidedBy.segment === undefined ? 'key' : `segment ${decidedBy.segment}`;
      return { reason: 'TARGETING_MATCH', rule: `${what} listed for ${treatment}` };
    }
    case 'allocation':
      return { reason: 'DEFAULT', rule: 'outside the traffic allocation' };
    case 'rule': {
      const isSplit = isShared(rules[decidedBy.index]?.buckets ?? []);
      return { reason: isSplit ? 'SPLIT' : 'TARGETING_MATCH', rule: `rule ${decidedBy.index + 1}` };
    }
    default:
      return { reason: isShared(defaultRule) ? 'SPLIT' : 'DEFAULT', rule: 'default rule' };
  }
}

const isShared = (buckets: Targeting['defaultRule']): boolean => buckets.every(({ size }) => size < 100);
