/** What an import does to segments, their rules and their keys. */
import { parseSegmentRules } from '../definitions/parse.ts';
import { refuse } from '../problems.ts';
import {
  checkSegmentRules,
  type ExcludedType,
  excludedTypeOf,
  flagsNamedIn,
  type SegmentRules,
  withTypes,
} from '../rule-based-segments.ts';
import { maxKeys, type SegmentKind } from '../segments.ts';
import { type HereActivation, type HereEnvironment, partlyImported, rulesContent } from './plan.ts';
import { complaintAbout, type Decision, decide, type Place, type PlanItems, refusalOf } from './plan-items.ts';
import type { SourceActivation, SourceSegment } from './source.ts';

export function planSegment(
  plan: PlanItems,
  { name: project, found, trafficTypes, segments }: Place,
  segment: SourceSegment,
): void {
  const { name, kind, trafficType, description, tags } = segment;
  const content = { kind, trafficType, description, tags: [...new Set(tags)] };
  const refusal =
    complaintAbout('segment', { name, description }) ??
    complaintAbout('details', { tags: content.tags }) ??
    (trafficTypes.has(trafficType) ? undefined : `Its traffic type ${trafficType} is left out.`);
  const ours = found?.segments.get(name);
  const theirs = plan.hash(content);
  const base = plan.importedAs(found?.id, 'segment', name)?.hash;
  const isOther = ours && (ours.kind !== kind || ours.trafficType !== trafficType);
  const decision: Decision = isOther
    ? { action: 'conflict', reason: 'A segment of another kind or traffic type has its name here.' }
    : refusal === undefined
      ? decide({ ours: ours && plan.hash(ours), theirs, base })
      : { action: 'left_out', reason: refusal };
  const isIn = plan.add<'segment'>({ kind: 'segment', project, name, ...decision, hash: theirs, wanted: content });
  if (isIn && !isOther) segments.set(name, kind);
}

export function* planActivations(plan: PlanItems, place: Place, segment: SourceSegment): Generator<void> {
  const { name: project, found, segments } = place;
  const { name } = segment;
  for (const activation of segment.environments) {
    const { environment } = activation;
    const at = found?.environments.get(environment);
    const refusal =
      segments.get(name) !== segment.kind
        ? 'The segment is left out.'
        : place.environments.has(environment)
          ? undefined
          : `Its environment ${environment} is left out.`;
    const ours = at?.activations.get(name);
    const isIn = plan.addNamed<'activation'>(
      { kind: 'activation', project, environment, name, wanted: {} },
      { isHere: ours !== undefined, refusal },
    );
    if (!isIn && !ours) continue;
    if (segment.kind === 'rule_based') planRules(plan, place, { segment, activation, at, ours });
    else planKeys(plan, place, { segment, activation, at, ours });
    yield;
  }
}

interface PlannedActivation {
  readonly segment: SourceSegment;
  readonly activation: SourceActivation;
  readonly at: HereEnvironment | undefined;
  readonly ours: HereActivation | undefined;
}

function planRules(plan: PlanItems, place: Place, { segment, activation, at, ours }: PlannedActivation): void {
  if (!activation.definition) return;
  const { name: project, flags, segments } = place;
  const { environment, changeNumber } = activation;
  const item = { kind: 'rules', project, environment, name: segment.name } as const;
  let rules: SegmentRules | undefined;
  const refusal = refusalOf(() => {
    rules = parseRules(activation, segments);
    const known = new Set(flagsNamedIn(rules).filter((flag) => flags.has(flag)));
    refuse('rule_based_segment_invalid', checkSegmentRules(rules, known));
  });
  if (!rules || refusal !== undefined) {
    plan.add<'rules'>({ ...item, action: 'left_out', reason: refusal });
    return;
  }
  const theirs = plan.hash(rulesContent(rules));
  const base = plan.importedAs(at?.id, 'rules', segment.name)?.hash;
  const decision = decide({ ours: ours?.rules, theirs, base });
  plan.add<'rules'>({ ...item, ...decision, hash: theirs, wanted: { rules, changeNumber } });
}

/** The name of an excluded segment decides about its type, as it does when rules are saved. */
function parseRules({ definition }: SourceActivation, segments: ReadonlyMap<string, SegmentKind>): SegmentRules {
  const types = [...segments].map(([name, kind]): [string, ExcludedType] => [name, excludedTypeOf[kind]]);
  return withTypes(parseSegmentRules(definition), new Map(types));
}

function planKeys(
  plan: PlanItems,
  { name: project }: Place,
  { segment, activation, at, ours }: PlannedActivation,
): void {
  const { environment, keys, keyCount = 0, changeNumber } = activation;
  const item = { kind: 'keys', project, environment, name: segment.name } as const;
  const isLarge = segment.kind === 'large';
  const hash = `${changeNumber ?? ''}/${keyCount}`;
  const wanted = { activation, isLarge };
  const base = plan.importedAs(at?.id, 'keys', segment.name);
  if (!keys && keyCount === 0) return;
  const refusal = !keys
    ? 'Its keys cannot be read.'
    : !isLarge && keyCount > maxKeys
      ? `It has ${keyCount} keys; the limit is ${maxKeys}.`
      : undefined;
  if (refusal !== undefined) {
    plan.add<'keys'>({ ...item, action: 'left_out', reason: refusal });
    return;
  }
  plan.add<'keys'>({ ...item, ...decideKeys({ base, hash, ours, keyCount }), hash, wanted });
}

interface ComparedKeys {
  readonly base: { readonly hash: string; readonly revision: number | undefined } | undefined;
  readonly hash: string;
  readonly ours: HereActivation | undefined;
  readonly keyCount: number;
}

/** Keys are compared by the number of their last change: there may be millions. */
function decideKeys({ base, hash, ours, keyCount }: ComparedKeys): Decision {
  if (!base) {
    if (!ours || ours.keyCount === 0) return { action: keyCount === 0 ? 'same' : 'create' };
    return { action: 'conflict', reason: `It has ${ours.keyCount} keys here already.` };
  }
  if (base.hash === hash) return { action: 'same' };
  if (base.hash === partlyImported || base.revision === ours?.changeNumber) return { action: 'update' };
  return { action: 'conflict', reason: 'Its keys were changed both here and at the source since the last import.' };
}
