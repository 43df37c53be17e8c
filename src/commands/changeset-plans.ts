/** Reads what a plan needs. Nothing is written. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Actor } from '#domain/access.ts';
import { type ChangesetPlan, nothingPlanned, type Planned, planDefinition } from '#domain/changeset-plans.ts';
import { definitionEditOf, type PlacedOperation, patchOf, toChangeset, toOperation } from '#domain/changesets.ts';
import {
  checkTargeting,
  type Definition,
  dependenciesOf,
  parseStored,
  type Targeting,
  toTargeting,
} from '#domain/definitions/definition.ts';
import { type EditBase, editNow, sentenceOf } from '#domain/definitions/edit-now.ts';
import { applyEdit } from '#domain/definitions/edits.ts';
import { parseBucketing } from '#domain/definitions/parse.ts';
import { type FlagSettings, settingsNow } from '#domain/flags.ts';
import { Problem } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import { rulesTextOf } from '#domain/rule-based-segments.ts';
import type { Reference } from '#domain/schema.ts';
import { findStoredDefinition, listStoredDefinitionsNamed } from '#store/definitions.ts';
import { findFlag, listFlagNames } from '#store/flags.ts';
import { findActivation } from '#store/segments.ts';
import type { Reader } from '#store/sql.ts';
import { requirePermission } from './actors.ts';
import { neededApprovals, type Reviewed } from './approvals.ts';
import { grantFor, placeOperations } from './changeset-operations.ts';
import type { ChangesetFields } from './changesets.ts';

interface Asked extends Reviewed {
  readonly actor: Actor;
}

export async function planChangeset(db: Reader, { actor, ...changeset }: Asked): Promise<ChangesetPlan> {
  const { project, operations } = changeset;
  const planned: ChangesetPlan['operations'] = [];
  for (const operation of operations) {
    // One operation takes up to 15 ms.
    await nextTurn();
    const plan = await planners[operation.kind](db, project, operation);
    const refusal = (await refusalOf(db, { actor, project }, operation)) ?? plan.refusal;
    planned.push({ ...toOperation(operation), ...plan, ...(refusal === undefined ? {} : { refusal }) });
  }
  const approvals = await neededApprovals(db, actor, changeset);
  const canApply =
    planned.every(({ conflicts, refusal }) => conflicts.length === 0 && refusal === undefined) &&
    approvals.every(({ isGiven, without }) => isGiven || without !== undefined);
  return { canApply, approvals, operations: planned };
}

/** A changeset that is not stored, with its plan. */
export async function draftChangeset(
  db: Reader,
  actor: Actor,
  { project, title, comment, operations }: ChangesetFields,
) {
  const placed = await placeOperations(db, actor, project, operations);
  const { type, id, name } = actor;
  const now = db.clock();
  const head = {
    ...{ id: '', status: 'DRAFT' as const, title, comment, workspace: { id: project.id, name: project.name } },
    ...{ author: { type, id, name }, approvers: [], createdAt: now, updatedAt: now, revision: 0 },
  };
  const plan = await planChangeset(db, { actor, project, head, operations: placed, reviews: [] });
  return { ...toChangeset(head, placed), plan };
}

/** Undefined if the actor could make this change now. */
async function refusalOf(
  db: Reader,
  { actor, project }: Pick<Asked, 'actor' | 'project'>,
  operation: PlacedOperation,
): Promise<string | undefined> {
  try {
    await requirePermission(db, actor, grantFor(project, operation));
    return undefined;
  } catch (refusal) {
    if (!(refusal instanceof Problem)) throw refusal;
    return refusal.details || refusal.message;
  }
}

type Planner = (db: Reader, project: Project, operation: PlacedOperation) => Promise<Planned>;

const gone = (what: string): Planned => ({ ...nothingPlanned, conflicts: [`${what} was deleted`] });

const planners: Readonly<Record<PlacedOperation['kind'], Planner>> = {
  definition: async (db, project, { object, environment, edit, base }) => {
    const flag = await findFlag(db, project.id, object.id);
    if (!flag || !environment) return gone('the flag');
    const stored = await findStoredDefinition(db, environment, flag.id);
    const now = stored && parseStored(stored);
    const started = base === undefined ? undefined : (JSON.parse(base) as EditBase);
    const { edit: next, conflicts } = editNow(definitionEditOf(edit), started, now);
    if (conflicts.length > 0) return { ...nothingPlanned, conflicts: conflicts.map(sentenceOf) };
    if (!next) return nothingPlanned;
    const before = now && toTargeting(now);
    const after = next.kind === 'create' ? applyEdit(undefined, next) : applyEdit(now as Definition, next);
    const others = await definitionsNeeded(db, environment, [before, after]);
    const seeds = stored ?? (next.kind === 'create' ? parseBucketing(next.body) : undefined);
    const effect = planDefinition({ before, after, seeds, otherFlag: (name) => others.get(name) ?? 'notDefined' });
    const plan = { ...effect, trafficType: flag.trafficType.name };
    const complaints = after ? await complaintsAbout(db, project, flag.name, after) : [];
    return complaints.length === 0 ? plan : { ...plan, refusal: complaints.join('\n') };
  },
  flag: async (db, project, { object, edit, base = '{}' }) => {
    const flag = await findFlag(db, project.id, object.id);
    if (!flag) return gone('the flag');
    const { conflicts } = settingsNow(patchOf(edit), JSON.parse(base) as FlagSettings, flag);
    return { ...nothingPlanned, conflicts };
  },
  segment: async (db, _, { object, environment, edit, base }) => {
    const activation = environment && (await findActivation(db, environment.id, object.id));
    if (!activation) return gone('the segment');
    const isChanged = edit.kind === 'replaceRules' && rulesTextOf(activation) !== base;
    return { ...nothingPlanned, conflicts: isChanged ? ['someone else changed its rules'] : [] };
  },
};

async function complaintsAbout(db: Reader, { id }: Project, flag: string, targeting: Targeting): Promise<string[]> {
  const existingFlags = await listFlagNames(db, id, dependenciesOf(targeting));
  return checkTargeting(targeting, { flag, existingFlags, dependentFlags: new Set() });
}

/** Rules may depend on flags whose rules depend on others. Deeper ones count as unknown. */
const deepest = 5;

async function definitionsNeeded(
  db: Reader,
  environment: Reference,
  targetings: readonly (Targeting | undefined)[],
): Promise<Map<string, Targeting>> {
  const found = new Map<string, Targeting>();
  let wanted = targetings.flatMap((targeting) => (targeting ? dependenciesOf(targeting) : []));
  for (let level = 0; level < deepest && wanted.length > 0; level += 1) {
    const stored = await listStoredDefinitionsNamed(db, environment, [...new Set(wanted)]);
    const fresh = stored.map((one) => [one.name, toTargeting(parseStored(one))] as const);
    for (const [name, targeting] of fresh) found.set(name, targeting);
    wanted = fresh.flatMap(([, targeting]) => dependenciesOf(targeting)).filter((name) => !found.has(name));
  }
  return found;
}
