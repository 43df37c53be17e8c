/** What an import does to flags and their definitions. */
import { type Bucket, checkTargeting, dependenciesOf, type Targeting } from '../definitions/definition.ts';
import { parseSegmentRules, parseTargeting } from '../definitions/parse.ts';
import { referencesOf } from '../definitions/references.ts';
import { checkFlagName } from '../flags.ts';
import { refuse } from '../problems.ts';
import { referencesOf as referencesOfRules } from '../rule-based-segments.ts';
import { onCycles } from './cycles.ts';
import { definitionContent, type HereEnvironment } from './plan.ts';
import { complaintAbout, type Decision, decide, type Place, type PlanItems, refusalOf } from './plan-items.ts';
import type { SourceDefinition, SourceFlag } from './source.ts';

export function planFlag(
  plan: PlanItems,
  { name: project, found, rolloutStatuses, trafficTypes, flags }: Place,
  flag: SourceFlag,
): void {
  const { name, description, trafficType, tags, owners } = flag;
  const rolloutStatus = rolloutStatuses.has(flag.rolloutStatus ?? '') ? flag.rolloutStatus : undefined;
  const content = { trafficType, description, tags: [...new Set(tags)], rolloutStatus };
  const refusal =
    complaintAbout('flag', { name, description }) ??
    refusalOf(() => checkFlagName(name)) ??
    complaintAbout('details', { tags: content.tags }) ??
    (trafficTypes.has(trafficType) ? undefined : `Its traffic type ${trafficType} is left out.`);
  const ours = found?.flags.get(name);
  // A status that nobody has named is not compared.
  const compared = ours && { ...ours, rolloutStatus: rolloutStatus === undefined ? undefined : ours.rolloutStatus };
  const theirs = plan.hash(content);
  const base = plan.importedAs(found?.id, 'flag', name)?.hash;
  const decision: Decision =
    ours && ours.trafficType !== trafficType
      ? { action: 'conflict', reason: 'A flag of another traffic type has its name here.' }
      : refusal === undefined
        ? decide({ ours: compared && plan.hash(compared), theirs, base })
        : { action: 'left_out', reason: refusal };
  const wanted = { ...content, owners };
  if (plan.add<'flag'>({ kind: 'flag', project, name, ...decision, hash: theirs, wanted })) flags.add(name);
}

export function* planDefinitions(plan: PlanItems, place: Place): Generator<void> {
  const { source, name: project, found } = place;
  const cyclic = yield* findCycles(place);
  for (const flag of source.flags) {
    for (const definition of flag.definitions) {
      const { environment } = definition;
      const at = found?.environments.get(environment);
      const item = { kind: 'definition', project, environment, name: flag.name } as const;
      const refusal = !place.flags.has(flag.name)
        ? 'Its flag is left out.'
        : place.environments.has(environment)
          ? undefined
          : `Its environment ${environment} is left out.`;
      const isOnCycle = cyclic.has(`${environment} flag ${flag.name}`);
      const read = refusal === undefined ? readTargeting(place, { flag, definition, isOnCycle }) : refusal;
      if (typeof read === 'string') plan.add<'definition'>({ ...item, action: 'left_out', reason: read });
      else planDefinition(plan, place, { flag, definition, targeting: read, at });
      yield;
    }
  }
}

/** The targeting, or why it is refused. */
function readTargeting(
  { flags }: Place,
  { flag, definition, isOnCycle }: { flag: SourceFlag; definition: SourceDefinition; isOnCycle: boolean },
): Targeting | string {
  let targeting: Targeting | undefined;
  const refusal = refusalOf(() => {
    const { flagSets: _, ...body } = definition.body;
    targeting = parseTargeting(body);
    const existingFlags = new Set(dependenciesOf(targeting).filter((name) => flags.has(name)));
    const surroundings = { flag: flag.name, existingFlags, dependentFlags: new Set<string>() };
    refuse('definition_invalid', checkTargeting(targeting, surroundings));
  });
  if (refusal !== undefined || !targeting) return refusal ?? '';
  return isOnCycle ? 'Its rules are part of a cycle of flags and segments.' : targeting;
}

interface PlannedDefinition {
  readonly flag: SourceFlag;
  readonly definition: SourceDefinition;
  readonly targeting: Targeting;
  readonly at: HereEnvironment | undefined;
}

function planDefinition(
  plan: PlanItems,
  { name: project }: Place,
  { flag, definition, targeting, at }: PlannedDefinition,
): void {
  const { environment, flagSets, seeds, algorithm, changeNumber } = definition;
  const item = { kind: 'definition', project, environment, name: flag.name } as const;
  const ours = at?.definitions.get(flag.name);
  const theirs = plan.hash(definitionContent(targeting, flagSets));
  const base = plan.importedAs(at?.id, 'definition', flag.name)?.hash;
  const wanted = { targeting, flagSets, seeds, algorithm, changeNumber };
  if (ours && seeds && (ours.seed !== seeds.seed || ours.trafficAllocationSeed !== seeds.trafficAllocationSeed)) {
    const reason = 'It exists here with other seeds: keys are in other buckets.';
    plan.add<'definition'>({ ...item, action: 'conflict', reason, hash: theirs });
    return;
  }
  const decision = decide({ ours: ours?.hash, theirs, base });
  const { share, now } = seeds || decision.action !== 'create' ? unmoved : rebucketedShare(targeting);
  if (share === 0) {
    plan.add<'definition'>({ ...item, ...decision, hash: theirs, ifMatch: ours?.etag, wanted });
    return;
  }
  const accepted = plan.choices.newSeeds?.[environment] === 'accept';
  plan.rebucketed.push({ project, environment, flag: flag.name, now, share, accepted });
  const reason = `Its seeds are unknown without an SDK key: new ones change the treatment of up to ${Math.round(100 * share)}% of keys.`;
  const action = accepted ? decision.action : 'left_out';
  plan.add<'definition'>({ ...item, action, reason, hash: theirs, wanted });
}

/** What is on a cycle, by environment and name. Definitions that are refused anyway count as empty. */
function* findCycles({ source }: Place): Generator<void, Set<string>> {
  const edges = new Map<string, string[]>();
  const add = (environment: string, from: string, to: readonly { kind: string; name: string }[]) =>
    edges.set(
      `${environment} ${from}`,
      to.flatMap(({ kind, name }) => (kind === 'flag_set' ? [] : [`${environment} ${kind} ${name}`])),
    );
  for (const { name, definitions } of source.flags) {
    for (const { environment, body } of definitions) {
      refusalOf(() => add(environment, `flag ${name}`, referencesOf(parseTargeting({ ...body, flagSets: [] }))));
      yield;
    }
  }
  for (const { name, environments } of source.segments) {
    for (const { environment, definition } of environments) {
      if (!definition) continue;
      refusalOf(() => add(environment, `segment ${name}`, referencesOfRules(parseSegmentRules(definition))));
      yield;
    }
  }
  return onCycles(edges);
}

interface Moved {
  readonly share: number;
  /** The buckets from which most keys move. */
  readonly now: string;
}
const unmoved: Moved = { share: 0, now: '' };

/**
 * How many keys get another treatment with new seeds: the largest share, 0 to 1, among the keys of each rule and of the
 * default rule. New seeds put a key into a bucket that has nothing to do with the old one, so a key keeps its treatment
 * with the probability Σp². Individual targets stay.
 */
function rebucketedShare({ killed, rules, defaultRule, ...rest }: Targeting): Moved {
  if (killed) return unmoved;
  const moved = [defaultRule, ...rules.map(({ buckets }) => buckets)].map((buckets) => {
    const first = buckets.find(({ size }) => size > 0);
    return { share: changedShare(buckets, rest), now: first ? `${first.treatment} ${first.size}%` : '' };
  });
  return moved.reduce((most, one) => (one.share > most.share ? one : most), unmoved);
}

type Outside = Pick<Targeting, 'trafficAllocation' | 'defaultTreatment'>;

function changedShare(buckets: readonly Bucket[], { trafficAllocation, defaultTreatment }: Outside): number {
  const shares = new Map([[defaultTreatment, 100 * (100 - trafficAllocation)]]);
  for (const { treatment, size } of buckets) {
    shares.set(treatment, (shares.get(treatment) ?? 0) + trafficAllocation * size);
  }
  // In ten-thousandths, so that a share of all keys is exactly 1.
  return 1 - [...shares.values()].reduce((sum, share) => sum + share * share, 0) / 100_000_000;
}
