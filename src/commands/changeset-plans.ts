/** Reads what a plan needs. Nothing is written. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Actor } from '#domain/access.ts';
import type { Bucketing } from '#domain/bucketing.ts';
import {
  type ChangesetPlan,
  type LaterStep,
  nothingPlanned,
  type Planned,
  type PlannedChange,
  planDefinition,
  planStep,
} from '#domain/changeset-plans.ts';
import { type PlacedOperation, toChangeset, toOperation } from '#domain/changesets.ts';
import {
  checkTargeting,
  type Definition,
  dependenciesOf,
  orderOf,
  parseStored,
  segmentsOf,
  type Targeting,
  toTargeting,
} from '#domain/definitions/definition.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { sentenceOf } from '#domain/definitions/edit-now.ts';
import { applyEdit } from '#domain/definitions/edits.ts';
import { parseBucketing, parseSegmentRules } from '#domain/definitions/parse.ts';
import { maxSegments } from '#domain/definitions/references.ts';
import { type Environment, inOrder, stagingOf } from '#domain/environments.ts';
import type { Evaluable } from '#domain/evaluation/evaluate.ts';
import type { Finding, Nobody, Verified } from '#domain/evaluation/findings.ts';
import type { Transitions } from '#domain/evaluation/transitions.ts';
import { Problem } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { inSteps, mergeEdit, operationOfStep, statesAfterSteps } from '#domain/ramps.ts';
import { rulesTextOf, type SegmentRules } from '#domain/rule-based-segments.ts';
import type { Schedule } from '#domain/schedules.ts';
import type { Reference } from '#domain/schema.ts';
import { toSegmentTargeting } from '#domain/segment-targeting.ts';
import { findStoredDefinition, listStoredDefinitionsNamed } from '#store/definitions.ts';
import { findEnvironmentOrder, listEnvironments } from '#store/environments.ts';
import { findFlag, listFlagNames } from '#store/flags.ts';
import { findActivation, findSegment, listNamedSegments } from '#store/segments.ts';
import type { Reader } from '#store/sql.ts';
import { requirePermission } from './actors.ts';
import { neededApprovals, type Reviewed } from './approvals.ts';
import { byGrant, flagPatchNow, placeOperations } from './changeset-operations.ts';
import type { ChangesetFields } from './changesets.ts';

interface Asked extends Reviewed {
  readonly actor: Actor;
}

/** In the order of the changes. Undefined: not counted in time. */
export type CountTransitions = (
  changes: readonly PlannedChange[],
) => Promise<readonly (readonly Transitions[] | undefined)[]>;

export async function planChangeset(
  db: Reader,
  { actor, ...changeset }: Asked,
  count: CountTransitions,
): Promise<ChangesetPlan> {
  const { project, operations, head } = changeset;
  const { schedule } = head;
  const { steps = [], appliedAt: { length: step } = [] } = schedule ?? {};
  const next = new Map<PlacedOperation, PlacedOperation | undefined>();
  const changes = new Map<number, PlannedChange>();
  let environments: Promise<Environment[]> | undefined;
  const planning = {
    db,
    actor,
    project,
    operations,
    changes,
    schedule,
    step,
    nextOf: (operation: PlacedOperation) => {
      if (!next.has(operation)) next.set(operation, operationOfStep(operation, steps, step));
      return next.get(operation);
    },
    environments: () => {
      environments ??= environmentsOf(db, actor, project);
      return environments;
    },
  };
  const inAllSteps = operations.map((operation) => inSteps(operation, steps));
  const refusals = await refusalsOf(db, { actor, project }, inAllSteps.flat());
  const planned: ChangesetPlan['operations'] = [];
  for (const [index, operation] of operations.entries()) {
    // One operation takes up to 15 ms.
    await nextTurn();
    const plan = await planners[operation.kind](planning, operation);
    const [refusal = plan.refusal] = inAllSteps[index]?.flatMap((one) => refusals.get(one) ?? []) ?? [];
    planned.push({ ...toOperation(operation), ...plan, ...(refusal === undefined ? {} : { refusal }) });
  }
  const approvals = await neededApprovals(db, actor, changeset);
  const canApply =
    planned.every(({ conflicts, refusal }) => conflicts.length === 0 && refusal === undefined) &&
    approvals.every(({ isGiven, without }) => isGiven || without !== undefined);
  // Last, since it may take seconds, and what asks the database must not wait for it.
  const counted = await count([...changes.values()]);
  for (const [place, index] of [...changes.keys()].entries()) {
    const one = planned[index];
    if (one) planned[index] = { ...one, transitions: [...(counted[place] ?? [])] };
  }
  const isRamping = steps.length > 0 && step <= steps.length;
  return { canApply, approvals, ...(isRamping ? { step: step + 1 } : {}), operations: planned };
}

const environmentsOf = async (db: Reader, { scope }: Actor, { id }: Project): Promise<Environment[]> =>
  inOrder(await listEnvironments(db, id, scope), await findEnvironmentOrder(db, id));

/** A changeset that is not stored, with its plan. */
export async function draftChangeset(
  db: Reader,
  actor: Actor,
  { project, title, comment, operations }: ChangesetFields,
  count: CountTransitions,
) {
  const placed = await placeOperations(db, actor, project, operations);
  const { type, id, name } = actor;
  const now = db.clock();
  const head = {
    id: '',
    status: 'DRAFT' as const,
    title,
    comment,
    workspace: { id: project.id, name: project.name },
    author: { type, id, name },
    approvers: [],
    createdAt: now,
    updatedAt: now,
    revision: 0,
  };
  const plan = await planChangeset(db, { actor, project, head, operations: placed, reviews: [] }, count);
  return { ...toChangeset(head, placed), plan };
}

/** Why the actor could not make each of these changes now; absent: it could. */
async function refusalsOf(
  db: Reader,
  { actor, project }: Pick<Asked, 'actor' | 'project'>,
  operations: readonly PlacedOperation[],
): Promise<ReadonlyMap<PlacedOperation, string>> {
  const refusals = new Map<PlacedOperation, string>();
  for (const { grant, operations: these } of byGrant(project, operations)) {
    try {
      await requirePermission(db, actor, grant);
    } catch (refusal) {
      if (!(refusal instanceof Problem)) throw refusal;
      for (const operation of these) refusals.set(operation, refusal.details || refusal.message);
    }
  }
  return refusals;
}

/** What planning an operation may need. */
interface Planning extends Pick<Asked, 'actor' | 'project' | 'operations'> {
  readonly db: Reader;
  readonly schedule: Schedule | undefined;
  /** The next to apply, from 0. */
  readonly step: number;
  /** What the next step makes of an operation: the operation itself unless a ramp has begun. */
  readonly nextOf: (operation: PlacedOperation) => PlacedOperation | undefined;
  /** By the place of their operation. */
  readonly changes: Map<number, PlannedChange>;
  /** Those that the actor sees, in their order. */
  readonly environments: () => Promise<readonly Environment[]>;
}

type Planner = (planning: Planning, operation: PlacedOperation) => Promise<Planned>;

const gone = (what: string): Planned => ({ ...nothingPlanned, conflicts: [`${what} was deleted`] });

const planners: Readonly<Record<PlacedOperation['kind'], Planner>> = {
  definition: async (planning, operation) => {
    const { db, project } = planning;
    const { environment } = operation;
    const flag = await findFlag(db, project.id, operation.object.id);
    if (!flag || !environment) return gone('the flag');
    const place = { environment, flagId: flag.id };
    const { conflicts, now, before, after, seeds, isSame } = await sidesOf(db, place, planning.nextOf(operation));
    if (conflicts.length > 0) return { ...nothingPlanned, conflicts };
    const later = await laterStates(planning, operation, now);
    if (isSame && later.length === 0) return nothingPlanned;
    const targetings = [before, after, ...later.map(({ targeting }) => targeting)];
    const others = await otherFlagsIn(db, environment, targetings);
    const otherFlag = (name: string) => others.get(name);
    const nobodyIn = await segmentsIn(
      db,
      { projectId: project.id, environmentId: environment.id },
      targetings.slice(1),
    );
    const staging = after && (await stagingFor(planning, flag, environment));
    const sides = { name: flag.name, before, after, seeds, otherFlag, nobodyIn, staging };
    const first = planDefinition(sides);
    const plan = {
      ...(isSame ? nothingPlanned : first),
      trafficType: flag.trafficType.name,
      treatments: orderOf(...targetings),
      laterSteps: await planSteps(sides, first.findings, later),
    };
    if (isSame) return plan;
    const complaints = after ? await complaintsAbout(db, project, flag.name, after) : [];
    if (complaints.length > 0) return { ...plan, refusal: complaints.join('\n') };
    const evaluable = (side: Targeting | undefined) => side && { ...side, ...(seeds ?? anySeeds), name: flag.name };
    planning.changes.set(planning.operations.indexOf(operation), {
      environmentId: environment.id,
      trafficTypeId: flag.trafficType.id,
      before: evaluable(before),
      after: evaluable(after),
      areSeedsKnown: seeds !== undefined,
      others: [...others.values()].filter((one) => one !== 'notDefined'),
    });
    return plan;
  },
  flag: async ({ db, project }, operation) => {
    const flag = await findFlag(db, project.id, operation.object.id);
    if (!flag) return gone('the flag');
    const { conflicts } = await flagPatchNow(db, project, flag, operation);
    return { ...nothingPlanned, conflicts };
  },
  segment: async ({ db, project }, { object, environment, edit, base }) => {
    const activation = environment && (await findActivation(db, environment.id, object.id));
    if (!activation) return gone('the segment');
    if (edit.kind !== 'replaceRules') return nothingPlanned;
    const before = rulesTextOf(activation);
    if (before !== base) return { ...nothingPlanned, conflicts: ['someone else changed its rules'] };
    const segment = await findSegment(db, { projectId: project.id, kind: 'rule_based' }, object.name);
    return {
      ...nothingPlanned,
      ...(segment ? { trafficType: segment.trafficType.name } : {}),
      differences: differencesBetween(
        toSegmentTargeting(JSON.parse(before) as SegmentRules),
        toSegmentTargeting(parseSegmentRules(edit.body)),
      ),
    };
  },
};

interface LaterState {
  /** From 2. */
  readonly step: number;
  /** Undefined if it conflicts with the current state. */
  readonly targeting: Targeting | undefined;
}

/** The definition after each further step of a ramp, up to the first step that conflicts with the current state. */
async function laterStates(
  { schedule, step }: Planning,
  operation: PlacedOperation,
  now: Definition | undefined,
): Promise<LaterState[]> {
  const later: LaterState[] = [];
  for (const { index, isConflict, definition } of schedule ? statesAfterSteps(operation, schedule, now) : []) {
    // Each merges and applies an edit of the whole definition.
    await nextTurn();
    if (index === step || !definition) continue;
    later.push({ step: index + 1, targeting: isConflict ? undefined : toTargeting(definition) });
  }
  return later;
}

async function planSteps(
  sides: Parameters<typeof planDefinition>[0],
  findings: readonly Finding[],
  later: readonly LaterState[],
): Promise<LaterStep[]> {
  const steps: LaterStep[] = [];
  let before = sides.after;
  for (const { step, targeting: after } of later) {
    // As long as an operation takes.
    await nextTurn();
    const earlier = [...findings, ...steps.flatMap((one) => one.findings)];
    const planned =
      before && after ? planStep({ ...sides, before, after }, earlier) : { differences: [], findings: [] };
    steps.push({ step, isConflict: after === undefined, ...planned });
    before = after;
  }
  return steps;
}

async function complaintsAbout(db: Reader, { id }: Project, flag: string, targeting: Targeting): Promise<string[]> {
  const existingFlags = await listFlagNames(db, id, dependenciesOf(targeting));
  return checkTargeting(targeting, { flag, existingFlags, dependentFlags: new Set() });
}

/** For a definition that is not saved yet. */
const anySeeds: Bucketing = { seed: 1, trafficAllocationSeed: 2, algo: 2 };

interface DefinitionPlace {
  readonly environment: Reference;
  readonly flagId: string;
}

/** A definition before and after an operation, based on its current state. */
async function sidesOf(db: Reader, { environment, flagId }: DefinitionPlace, operation: PlacedOperation | undefined) {
  const stored = await findStoredDefinition(db, environment, flagId);
  const now = stored && parseStored(stored);
  const { edit: next, conflicts } = operation ? mergeEdit(operation, now) : { edit: undefined, conflicts: [] };
  const before = now && toTargeting(now);
  if (!next || conflicts.length > 0) {
    return {
      now,
      before,
      after: before,
      isSame: true,
      conflicts: conflicts.map(sentenceOf),
      seeds: stored && bucketingOf(stored),
    };
  }
  const after = next.kind === 'create' ? applyEdit(undefined, next) : applyEdit(now as Definition, next);
  const seeds = stored ? bucketingOf(stored) : next.kind === 'create' ? parseBucketing(next.body) : undefined;
  return { conflicts: [], now, before, after, seeds, isSame: false };
}

/** Why nobody is in a segment that the definition names. */
async function segmentsIn(
  db: Reader,
  place: { readonly projectId: string; readonly environmentId: string },
  targetings: readonly (Targeting | undefined)[],
): Promise<(name: string) => Nobody | undefined> {
  const all = targetings.flatMap((targeting) => (targeting ? segmentsOf(targeting) : []));
  const names = [...new Set(all)].slice(0, maxSegments);
  const found = new Map((await listNamedSegments(db, place, names)).map((segment) => [segment.name, segment]));
  return (name) => {
    const segment = found.get(name);
    if (!segment) return names.includes(name) ? 'missing' : undefined;
    return segment.isActive ? (segment.isEmpty ? 'empty' : undefined) : 'inactive';
  };
}

/**
 * Where changes are tried before they come to this environment, with what the changeset does there. Undefined if the
 * flag is not defined there: it is not tried there, so nothing is looser.
 */
async function stagingFor(
  { db, environments, operations, nextOf }: Planning,
  { id, name }: Reference,
  here: Reference,
): Promise<Verified['staging']> {
  const before = stagingOf(await environments(), here.id);
  if (!before) return undefined;
  const environment = { id: before.id, name: before.name };
  const own = operations.find(
    ({ kind, object, environment: at }) => kind === 'definition' && object.id === id && at?.id === environment.id,
  );
  const stored = await findStoredDefinition(db, environment, id);
  const { after, seeds = stored } = own
    ? await sidesOf(db, { environment, flagId: id }, nextOf(own))
    : { after: stored && toTargeting(parseStored(stored)) };
  if (!after) return undefined;
  const others = await otherFlagsIn(db, environment, [after]);
  return {
    here: here.name,
    environment: environment.name,
    definition: { ...after, ...bucketingOf(seeds ?? anySeeds), name },
    areSeedsKnown: seeds !== undefined,
    definitionOf: (flag) => {
      const found = others.get(flag);
      return found === 'notDefined' ? undefined : found;
    },
  };
}

const bucketingOf = ({ seed, trafficAllocationSeed, algo }: Bucketing): Bucketing => ({
  seed,
  trafficAllocationSeed,
  algo,
});

/** Rules may depend on flags whose rules depend on others. Deeper ones count as unknown. */
const deepest = 5;

async function otherFlagsIn(
  db: Reader,
  environment: Reference,
  targetings: readonly (Targeting | undefined)[],
): Promise<ReadonlyMap<string, Evaluable | 'notDefined'>> {
  const found = new Map<string, Evaluable | 'notDefined'>();
  let wanted = targetings.flatMap((targeting) => (targeting ? dependenciesOf(targeting) : []));
  for (let level = 0; level < deepest && wanted.length > 0; level += 1) {
    const names = [...new Set(wanted)];
    const stored = await listStoredDefinitionsNamed(db, environment, names);
    const fresh = stored.map((one) => ({ ...toTargeting(parseStored(one)), ...bucketingOf(one), name: one.name }));
    for (const name of names) found.set(name, 'notDefined');
    for (const one of fresh) found.set(one.name, one);
    wanted = fresh.flatMap(dependenciesOf).filter((name) => !found.has(name));
  }
  return found;
}
