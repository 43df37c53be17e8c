/** The operations of a changeset: finding what they name, and applying them inside its transaction. */
import { type Actor, allows } from '#domain/access.ts';
import {
  checkOperations,
  definitionEditOf,
  type Edit,
  kindOf,
  maxBases,
  maxChangesetOperations,
  nameOf,
  type PlacedOperation,
  patchOf,
  permissionFor,
  type WantedOperation,
} from '#domain/changesets.ts';
import { definitionNotFound, parseStored } from '#domain/definitions/definition.ts';
import { sentenceOf } from '#domain/definitions/edit-now.ts';
import { applyEdit } from '#domain/definitions/edits.ts';
import { parseSegmentRules } from '#domain/definitions/parse.ts';
import type { Environment } from '#domain/environments.ts';
import { type Flag, type FlagSettings, patchFlag, settingsNow, settingsOf } from '#domain/flags.ts';
import { joinObjects } from '#domain/json.ts';
import { Problem, refuse } from '#domain/problems.ts';
import type { Note, Project } from '#domain/projects.ts';
import { mergeEdit } from '#domain/ramps.ts';
import { requireMatch } from '#domain/revisions.ts';
import { rulesTextOf } from '#domain/rule-based-segments.ts';
import { parseKeys, type Segment, type SegmentKind } from '#domain/segments.ts';
import { findStoredDefinition } from '#store/definitions.ts';
import { listEnvironments, lockEnvironment } from '#store/environments.ts';
import { findFlag, lockFlag } from '#store/flags.ts';
import { listRolloutStatuses } from '#store/rollout-statuses.ts';
import { listPresentKeys } from '#store/segment-keys.ts';
import { findActivation, findSegment, lockSegment } from '#store/segments.ts';
import type { Reader } from '#store/sql.ts';
import { type Grant, roleMissing } from './actors.ts';
import type { RecordingTx } from './context.ts';
import { editDefinitionIn } from './definitions.ts';
import { patchFlagIn } from './flags.ts';
import { emptyLargeSegmentIn, serveList } from './large-segments.ts';
import { replaceRulesIn } from './rule-based-segments.ts';
import { addKeysIn, removeKeysIn } from './segment-keys.ts';

/** What applying the operation takes, as the request that does only this. */
export const grantFor = (project: Project, operation: PlacedOperation): Grant => ({
  access: { needs: permissionFor(operation), scope: operation.kind === 'flag' ? 'project' : 'environment' },
  project,
  environment: operation.environment,
  flag: operation.kind === 'segment' ? undefined : operation.object,
});

/** Operations that take the same are asked about once. */
export function byGrant(
  project: Project,
  operations: readonly PlacedOperation[],
): { readonly grant: Grant; readonly operations: PlacedOperation[] }[] {
  const groups = new Map<string, { grant: Grant; operations: PlacedOperation[] }>();
  for (const operation of operations) {
    const grant = grantFor(project, operation);
    const key = `${grant.access.needs} ${grant.environment?.id} ${grant.flag?.id}`;
    const group = groups.get(key) ?? { grant, operations: [] };
    group.operations.push(operation);
    groups.set(key, group);
  }
  return [...groups.values()];
}

interface Objects {
  readonly flags: ReadonlyMap<string, Flag>;
  readonly segments: ReadonlyMap<string, Segment>;
  readonly environments: ReadonlyMap<string, Environment>;
}

/** Those that are still there. Flags and segments before environments, each by id: the order of all commands. */
export async function lockObjects(
  tx: RecordingTx,
  project: Project,
  operations: readonly PlacedOperation[],
): Promise<Objects> {
  const idsOf = (isWanted: (operation: PlacedOperation) => boolean) =>
    [...new Set(operations.filter(isWanted).map(({ object }) => object.id))].sort();
  const flags = new Map<string, Flag>();
  for (const id of idsOf(({ kind }) => kind !== 'segment')) {
    const flag = await lockFlag(tx, id);
    if (flag) flags.set(id, flag);
  }
  const segments = new Map<string, Segment>();
  for (const id of idsOf(({ kind }) => kind === 'segment')) {
    const segment = await lockSegment(tx, id);
    if (segment) segments.set(id, segment);
  }
  const needed = new Set(operations.map(({ environment }) => environment?.id));
  const reached = await listEnvironments(tx, project.id, tx.actor.scope);
  const environments = new Map<string, Environment>();
  for (const id of reached.flatMap((one) => (needed.has(one.id) ? [one.id] : [])).sort()) {
    environments.set(id, await lockEnvironment(tx, id));
  }
  return { flags, segments, environments };
}

interface Applying {
  readonly project: Project;
  readonly note: Note;
  readonly objects: Objects;
}

interface Applied {
  readonly conflicts: readonly string[];
  /** The edit as it was carried out, if that is less than was asked for. */
  readonly edit?: Edit;
}

const done: Applied = { conflicts: [] };
const gone = (what: string): Applied => ({ conflicts: [`${what} was deleted`] });

export const appliers: Readonly<
  Record<PlacedOperation['kind'], (tx: RecordingTx, applying: Applying, operation: PlacedOperation) => Promise<Applied>>
> = {
  definition: async (tx, { objects, ...applying }, operation) => {
    const { object, environment: at } = operation;
    const environment = objects.environments.get(at?.id ?? '');
    if (!environment) return gone('the environment');
    const flag = objects.flags.get(object.id);
    if (!flag) return gone('the flag');
    const stored = await findStoredDefinition(tx, environment, flag.id);
    const { edit: now, conflicts } = mergeEdit(operation, stored && parseStored(stored));
    const change = { ...applying, environment, flag, nameOrId: flag.name, ifMatch: undefined };
    if (now) await editDefinitionIn(tx, change, now);
    return { conflicts: conflicts.map(sentenceOf) };
  },
  flag: async (tx, { objects, ...applying }, operation) => {
    const flag = objects.flags.get(operation.object.id);
    if (!flag) return gone('the flag');
    const { operations, conflicts } = await flagPatchNow(tx, applying.project, flag, operation);
    if (conflicts.length === 0) await patchFlagIn(tx, { ...applying, flag, ifMatch: undefined, operations });
    return { conflicts };
  },
  segment: async (tx, { objects, ...applying }, { object, environment: at, edit, base }) => {
    const environment = objects.environments.get(at?.id ?? '');
    if (!environment) return gone('the environment');
    const segment = objects.segments.get(object.id);
    const activation = segment && (await findActivation(tx, environment.id, segment.id));
    if (!segment || !activation) return gone('the segment');
    const change = { ...applying, environment, segment };
    if (edit.kind === 'replaceRules') {
      if (rulesTextOf(activation) !== base) return { conflicts: ['someone else changed its rules'] };
      await replaceRulesIn(tx, { ...change, ifMatch: undefined }, edit.body);
      return done;
    }
    if (edit.kind === 'removeAllKeys') {
      await emptyLargeSegmentIn(tx, change);
      return done;
    }
    if (edit.kind === 'uploadKeys') {
      if (!edit.list) return { conflicts: ['its file has not arrived'] };
      await serveList(tx, change, { ...edit.list, firstKeys: edit.keys ?? [] });
      return done;
    }
    const keys = parseKeys(edit.keys ?? []);
    const present = await listPresentKeys(tx, { environmentId: environment.id, segment: segment.name }, keys);
    const adds = edit.kind === 'addKeys';
    // A revert takes back only these.
    const changed = keys.filter((key) => present.has(key) !== adds);
    await (adds ? addKeysIn : removeKeysIn)(tx, { ...change, keys: changed, source: 'changeset' });
    return { ...done, edit: { kind: edit.kind, keys: changed } };
  },
};

/** The patch of the flag as it is now, and what conflicts with it. */
export async function flagPatchNow(db: Reader, project: Project, flag: Flag, { edit, base = '{}' }: PlacedOperation) {
  const { operations, conflicts } = settingsNow(patchOf(edit), JSON.parse(base) as FlagSettings, flag);
  const status = operations.find(({ path }) => path === '/rolloutStatus/id');
  const statuses = status ? await listRolloutStatuses(db, project.id) : [];
  const isGone = status && !statuses.some(({ id }) => id === status.value);
  return { operations, conflicts: isGone ? [...conflicts, 'the rollout status was deleted'] : conflicts };
}

/** Finds what the operations name, and keeps what they start from. Refuses edits that could never be applied. */
export async function placeOperations(
  db: Reader,
  actor: Actor,
  project: Project,
  operations: readonly WantedOperation[],
): Promise<PlacedOperation[]> {
  checkOperations(operations);
  const environments = await listEnvironments(db, project.id, actor.scope);
  const environmentOf = (nameOrId: string | undefined): Environment | undefined => {
    const found = environments.find(({ id }) => id === nameOrId) ?? environments.find(({ name }) => name === nameOrId);
    if (nameOrId !== undefined && !found) throw new Problem('environment_not_found', { nameOrId });
    return found;
  };
  const placed: PlacedOperation[] = [];
  for (const operation of operations) {
    const kind = kindOf(operation);
    await requireReadable(db, actor, kind);
    const environment = environmentOf(operation.environment);
    if (kind === 'flag') placed.push(await placeFlag(db, project, operation));
    else if (environment) {
      const place = kind === 'segment' ? placeSegment : placeDefinition;
      placed.push(await place(db, { actor, project, environment }, operation));
    }
  }
  checkPlaced(placed);
  return placed;
}

const placeOf = ({ kind, object, environment }: PlacedOperation): string => `${kind} ${object.id} ${environment?.id}`;

function checkPlaced(placed: readonly PlacedOperation[]): void {
  const places = placed.map(placeOf);
  const repeated = placed.find((_, index) => places.indexOf(places[index] ?? '') < index);
  const size = placed.reduce((sum, { base = '' }) => sum + base.length, 0);
  refuse('changeset_invalid', [
    ...(placed.length > maxChangesetOperations
      ? [`a changeset must not have more than ${maxChangesetOperations} operations`]
      : []),
    ...(repeated ? [`operations must change ${nameOf(repeated)} only once`] : []),
    ...(size > maxBases ? ['operations change too much at once: divide them into several changesets'] : []),
  ]);
}

/** With the new ones instead of those for the same objects. The others keep what they start from. */
export function withAdded(before: readonly PlacedOperation[], added: readonly PlacedOperation[]): PlacedOperation[] {
  const replaced = new Set(added.map(placeOf));
  const all = [...before.filter((one) => !replaced.has(placeOf(one))), ...added];
  checkPlaced(all);
  return all;
}

/** Those who do not see an object propose no change to it: the changeset shows it. */
async function requireReadable(db: Reader, actor: Actor, kind: PlacedOperation['kind'] | undefined): Promise<void> {
  const access = { needs: kind === 'segment' ? 'segment.read' : 'definition.read', scope: 'environment' } as const;
  if (!allows(actor, access)) throw await roleMissing(db, actor, access);
}

interface Placing {
  readonly actor: Actor;
  readonly project: Project;
  readonly environment: Environment;
}

async function requireFlag(db: Reader, { id }: Project, { flag: nameOrId = '' }: WantedOperation): Promise<Flag> {
  const flag = await findFlag(db, id, nameOrId);
  if (!flag) throw new Problem('flag_not_found', { nameOrId });
  return flag;
}

const toReference = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name });

async function placeDefinition(
  db: Reader,
  { actor, project, environment }: Placing,
  operation: WantedOperation,
): Promise<PlacedOperation> {
  const flag = await requireFlag(db, project, operation);
  const stored = await findStoredDefinition(db, environment, flag.id);
  const edit = definitionEditOf(operation.edit);
  if (edit.kind === 'create') {
    if (stored) throw new Problem('definition_exists', { flag: flag.name, environment: environment.name });
    applyEdit(undefined, edit);
  } else {
    if (!stored) throw definitionNotFound(actor, { project, environment, nameOrId: flag.name }, 'definition');
    const now = parseStored(stored);
    requireMatch(operation.ifMatch, now);
    applyEdit(now, edit);
  }
  return {
    kind: 'definition',
    object: toReference(flag),
    environment: toReference(environment),
    edit: operation.edit,
    base: stored && joinObjects(JSON.stringify({ revision: stored.revision }), stored.targeting),
  };
}

async function placeFlag(db: Reader, project: Project, operation: WantedOperation): Promise<PlacedOperation> {
  const flag = await requireFlag(db, project, operation);
  const { edit } = operation;
  patchFlag(flag, patchOf(edit));
  const base = JSON.stringify(settingsOf(flag));
  return { kind: 'flag', object: toReference(flag), environment: undefined, edit, base };
}

const segmentKindFor = ({ kind }: Edit): SegmentKind => {
  if (kind === 'replaceRules') return 'rule_based';
  return kind === 'removeAllKeys' || kind === 'uploadKeys' ? 'large' : 'standard';
};

async function placeSegment(
  db: Reader,
  { project, environment }: Placing,
  { segment: nameOrId = '', edit, ifMatch }: WantedOperation,
): Promise<PlacedOperation> {
  const kind = segmentKindFor(edit);
  const segment = await findSegment(db, { projectId: project.id, kind }, nameOrId);
  if (!segment) throw new Problem('segment_not_found', { nameOrId });
  const activation = await findActivation(db, environment.id, segment.id);
  if (!activation) throw new Problem('segment_not_active', { name: segment.name, environment: environment.name });
  if (edit.kind === 'replaceRules') {
    requireMatch(ifMatch, { id: segment.id, revision: activation.changeNumber });
    parseSegmentRules(edit.body);
  } else parseKeys(edit.keys ?? []);
  const base = edit.kind === 'replaceRules' ? rulesTextOf(activation) : undefined;
  return { kind: 'segment', object: toReference(segment), environment: toReference(environment), edit, base };
}
