/** Changesets: edits to several objects of a project that are applied together, or not at all. */
import { type Static, Type } from 'typebox';
import type { Permission } from './access.ts';
import { Review } from './approvals.ts';
import type { Bucketing } from './bucketing.ts';
import type { Change } from './changes.ts';
import { type Definition, type Targeting, toTargeting } from './definitions/definition.ts';
import { editNow } from './definitions/edit-now.ts';
import { applyEdit, type DefinitionEdit } from './definitions/edits.ts';
import { type Flag, patchTo, settingsOf } from './flags.ts';
import { Patch, type Operation as PatchOperation } from './json-patch.ts';
import { noteLimit } from './notes.ts';
import { refuse } from './problems.ts';
import { type SegmentRules, toRulesText } from './rule-based-segments.ts';
import { LocalTime, maxSteps, maxWaitMs, Schedule } from './schedules.ts';
import { Millis, OneOf, Reference } from './schema.ts';
import { maxKeysPerCall } from './segments.ts';

export const changesetStates = [
  'DRAFT',
  'REQUESTED',
  'APPROVED',
  'SCHEDULE_REQUESTED',
  'SCHEDULED',
  'PUBLISHED',
  'REJECTED',
  'WITHDRAWN',
  'EXPIRED',
  'FAILED',
] as const;
export type ChangesetState = (typeof changesetStates)[number];

/** Not over yet: it can be edited, applied and withdrawn. */
export const openStates: readonly ChangesetState[] = ['DRAFT', 'REQUESTED', 'APPROVED'];
/** A schedule applies it, once it has its approvals. */
export const scheduledStates: readonly ChangesetState[] = ['SCHEDULE_REQUESTED', 'SCHEDULED'];
/** Waits for an approval, or has what it needs. */
export const requestedStates: readonly ChangesetState[] = ['REQUESTED', 'APPROVED', ...scheduledStates];
/** Given up if nobody acts in time. */
export const expiringStates: readonly ChangesetState[] = ['REQUESTED', 'APPROVED', 'SCHEDULE_REQUESTED'];

/** Which edits each kind of object takes. */
const editsOf = {
  definition: ['create', 'replace', 'patch', 'kill', 'restore', 'delete'],
  flag: ['patch'],
  segment: ['addKeys', 'removeKeys', 'removeAllKeys', 'replaceRules', 'uploadKeys'],
} as const;
export type ObjectKind = keyof typeof editsOf;

const editKinds = [...new Set(Object.values(editsOf).flat())];
type EditKind = (typeof editKinds)[number];
/** A file comes with a change request, which fills in its list. */
const newEditKinds = editKinds.filter((kind): kind is Exclude<EditKind, 'uploadKeys'> => kind !== 'uploadKeys');

const editMembers = {
  body: Type.Optional(
    Type.Unknown({ description: 'for `create`, `replace` and `replaceRules`: as in the request that does only this' }),
  ),
  operations: Type.Optional(Patch),
  keys: Type.Optional(
    Type.Array(Type.String(), { maxItems: maxKeysPerCall, description: 'for `addKeys` and `removeKeys`' }),
  ),
};

const NewEdit = Type.Object({
  kind: OneOf(newEditKinds, {
    description:
      'A definition: `create`, `replace`, `patch`, `kill`, `restore`, `delete`. A flag without an environment: `patch`. A segment: `addKeys`, `removeKeys`, `replaceRules`. A large segment: `removeAllKeys`.',
  }),
  ...editMembers,
});

const Edit = Type.Object({
  kind: OneOf(editKinds, { description: '`uploadKeys`: a file replaces the keys of a large segment' }),
  ...editMembers,
  list: Type.Optional(
    Type.Object(
      { id: Type.Integer(), digest: Type.String(), keyCount: Type.Integer() },
      { description: 'of `uploadKeys`, when the file has arrived; then `keys` has the first hundred' },
    ),
  ),
});
export type Edit = Static<typeof Edit>;

export const maxChangesetOperations = 100;
/** Characters of all definitions that the operations of a changeset start from: they are read together. */
export const maxBases = 8_388_608;

const word = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });

const NewOperation = Type.Object({
  environment: Type.Optional(word('Id or name. Absent only for a flag’s description, tags and status.')),
  flag: Type.Optional(word('Id or name of the flag.')),
  segment: Type.Optional(word('Name of the segment.')),
  edit: NewEdit,
  ifMatch: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        'ETag of the definition, or of the rules of a segment, that the edit was made for: 412 if someone has changed it since.',
    }),
  ),
});
export type NewOperation = Static<typeof NewOperation>;
/** The same, or one that Burgee makes: a file replaces keys. */
export type WantedOperation = Omit<NewOperation, 'edit'> & { readonly edit: Edit };

const text = (description: string) => Type.Optional(Type.String({ maxLength: noteLimit, description }));
const operations = Type.Array(NewOperation, { minItems: 1, maxItems: maxChangesetOperations });

export const NewChangeset = Type.Object({
  workspace: Type.Object({ id: word('Id or name of the project.') }),
  title: text('What it is for, in a few words. Audit entries repeat it.'),
  comment: text('Why, in more words.'),
  operations,
});

/** Absent members stay as they are. New operations are based on the current state. */
export const ChangesetUpdate = Type.Object({
  title: NewChangeset.properties.title,
  comment: NewChangeset.properties.comment,
  operations: Type.Optional(operations),
  add: Type.Optional(
    Type.Unsafe<NewOperation[]>({
      ...operations,
      description: 'Operations to add. One for the same object is replaced; the others keep what they are based on.',
    }),
  ),
});

const Operation = Type.Object({
  environment: Type.Optional(Reference),
  flag: Type.Optional(Reference),
  segment: Type.Optional(Reference),
  edit: Edit,
});

const maxApprovers = 50;

export const ChangesetRequest = Type.Object({
  comment: text('What those who approve it should know.'),
  approvers: Type.Optional(
    Type.Array(word('Email address.'), {
      maxItems: maxApprovers,
      description:
        'Email addresses of the people who are asked to approve; only they can then. Empty or absent: everyone who has the right to. Must be empty where an environment restricts its approvers.',
    }),
  ),
});
export type ChangesetRequest = Static<typeof ChangesetRequest>;

const StepRequest = Type.Object({
  waitMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxWaitMs,
      description: 'Milliseconds after the step before it, up to 90 days. Each step has this or `hold`.',
    }),
  ),
  hold: Type.Optional(Type.Boolean({ description: '`true`: waits until somebody resumes.' })),
  operations: Type.Array(NewOperation, {
    minItems: 1,
    maxItems: maxChangesetOperations,
    description:
      'Edits of definitions that the changeset’s own operations edit: `replace`, `patch`, `kill`, `restore`.',
  }),
});

export const ScheduleRequest = Type.Object({
  ...ChangesetRequest.properties,
  at: Type.Optional(
    Type.Object(LocalTime.properties, {
      description: 'When its own operations are applied. Absent: as soon as it has its approvals.',
    }),
  ),
  operations: Type.Optional(
    Type.Unsafe<NewOperation[]>({
      ...operations,
      description:
        'Other edits of definitions that its own operations edit, of the same kind, for example a smaller share as the first step of a ramp. They keep what they are based on; operations that are not named stay.',
    }),
  ),
  steps: Type.Optional(
    Type.Array(StepRequest, {
      maxItems: maxSteps,
      description:
        'Of a ramp: what follows its own operations. Of one that has begun: the steps that are still to come.',
    }),
  ),
});
export type ScheduleRequest = Static<typeof ScheduleRequest>;

export const Remark = Type.Object({ comment: text('Why.') });
export const Comment = Type.Object({ comment: Type.String({ minLength: 1, maxLength: noteLimit }) });

export const Changeset = Type.Object({
  id: Type.String(),
  type: Type.Literal('changeset'),
  status: OneOf(changesetStates),
  title: Type.String(),
  comment: Type.String(),
  workspace: Reference,
  author: Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() }),
  reverts: Type.Optional(Type.String({ description: 'the changeset that this one takes back' })),
  approvers: Type.Array(Type.String(), { description: 'who was asked to approve it; empty: everyone who can' }),
  operationType: Type.Optional(Type.String({ description: 'if it was submitted as a change request' })),
  reason: Type.Optional(
    Type.String({ description: 'why it was rejected, expired or failed, or how far a ramp came that was ended' }),
  ),
  reviews: Type.Optional(
    Type.Array(Review, { description: 'what people said about it and did with it, in their order; not in lists' }),
  ),
  operations: Type.Array(Operation),
  schedule: Type.Optional(Type.Object(Schedule.properties, { description: 'if it was scheduled; not in lists' })),
  dueAt: Type.Optional(
    Type.Unsafe<number>({ ...Millis, description: 'if it was scheduled: when the next step is due' }),
  ),
  createdAt: Millis,
  updatedAt: Millis,
  publishedAt: Type.Optional(Millis),
  expiresAt: Type.Optional(
    Type.Unsafe<number>({ ...Millis, description: 'while it is requested: when it is given up' }),
  ),
});
export type Changeset = Omit<Static<typeof Changeset>, 'schedule'> & {
  readonly revision: number;
  readonly schedule?: Schedule;
};

/** An operation with the object that it edits. */
export interface PlacedOperation {
  readonly kind: ObjectKind;
  readonly object: Reference;
  readonly environment: Reference | undefined;
  readonly edit: Edit;
  /** JSON of what the edit started from; undefined if there was nothing, or if it does not matter. */
  readonly base: string | undefined;
}

export const toChangeset = (
  head: Omit<Changeset, 'operations' | 'type'>,
  placed: readonly PlacedOperation[],
  reviews?: readonly Review[],
): Changeset => ({
  ...head,
  type: 'changeset',
  operations: placed.map(toOperation),
  ...(reviews ? { reviews: [...reviews] } : {}),
});

/** The members of a changeset about its schedule. Nothing is due once it is over. */
export function scheduleAs(status: ChangesetState, schedule: Schedule): Pick<Changeset, 'schedule' | 'dueAt'> {
  if (scheduledStates.includes(status)) {
    return { schedule, ...(schedule.dueAt === undefined ? {} : { dueAt: schedule.dueAt }) };
  }
  const { dueAt: _, pausedAt: __, leftMs: ___, ...over } = schedule;
  return { schedule: over };
}

export const toOperation = ({ kind, object, environment, edit }: PlacedOperation): Static<typeof Operation> => ({
  ...(environment ? { environment } : {}),
  [kind === 'segment' ? 'segment' : 'flag']: object,
  edit,
});

/** The kind of object that the operation names, or undefined if it names none or several. */
export const kindOf = ({ environment, flag, segment }: WantedOperation): ObjectKind | undefined => {
  if ((flag === undefined) === (segment === undefined)) return undefined;
  if (segment !== undefined) return environment === undefined ? undefined : 'segment';
  return environment === undefined ? 'flag' : 'definition';
};

/** Refuses operations that are not complete, whatever they name. */
export function checkOperations(all: readonly WantedOperation[]): void {
  refuse(
    'changeset_invalid',
    all.flatMap((operation, index) => complaintsOf(operation).map((complaint) => `operations/${index} ${complaint}`)),
  );
}

function complaintsOf(operation: WantedOperation): string[] {
  const kind = kindOf(operation);
  if (!kind) {
    return ['must name a flag or a segment, and its environment; only a patch of a flag’s details has no environment'];
  }
  const allowed: readonly string[] = editsOf[kind];
  const { edit } = operation;
  if (!allowed.includes(edit.kind)) {
    const what =
      kind === 'definition' ? 'a definition' : kind === 'flag' ? 'a flag without an environment' : 'a segment';
    return [`edit/kind must be one of ${allowed.join(', ')} for ${what}`];
  }
  const needed = neededMember(edit.kind);
  return needed && edit[needed] === undefined ? [`edit/${needed} is needed to ${edit.kind}`] : [];
}

function neededMember(kind: Edit['kind']): 'body' | 'operations' | 'keys' | undefined {
  if (kind === 'patch') return 'operations';
  if (kind === 'addKeys' || kind === 'removeKeys') return 'keys';
  return kind === 'create' || kind === 'replace' || kind === 'replaceRules' ? 'body' : undefined;
}

/** An edit of a definition that `checkOperations` let pass. */
export const definitionEditOf = ({ kind, body, operations: patch }: Edit): DefinitionEdit =>
  ({ kind, ...(body === undefined ? {} : { body }), ...(patch ? { operations: patch } : {}) }) as DefinitionEdit;

export const patchOf = ({ operations: patch = [] }: Edit): readonly PatchOperation[] => patch;

export function permissionFor({ kind, edit }: Pick<PlacedOperation, 'kind' | 'edit'>): Permission {
  if (kind === 'flag') return 'flag.write';
  if (kind === 'segment') return 'segmentContent.write';
  return edit.kind === 'kill' || edit.kind === 'restore' ? 'definition.kill' : 'definition.write';
}

/** "checkout_one_page in Production". */
export const nameOf = ({ object, environment }: Pick<PlacedOperation, 'object' | 'environment'>): string =>
  environment ? `${object.name} in ${environment.name}` : object.name;

/**
 * The operations that take recorded changes back, the last change first. `changes` are in their order, `applied` are
 * the operations of the changeset that made them. None for the keys of a large segment: old ones are not kept.
 */
export function inversesOf(changes: readonly Change[], applied: readonly PlacedOperation[]): PlacedOperation[] {
  const objects = Map.groupBy(changes, ({ object, environmentId = '' }) => `${object.id} ${environmentId}`);
  return [...objects.values()].flatMap((these) => inverseOf(these, applied) ?? []).reverse();
}

function inverseOf(changes: readonly Change[], applied: readonly PlacedOperation[]): PlacedOperation | undefined {
  const { object, environmentId, before, after } = changes.at(-1) as Change;
  const made = applied.find((one) => one.object.id === object.id && one.environment?.id === environmentId);
  if (!made) throw new Error(`no operation changed ${object.name}`);
  if (made.kind === 'definition') return { ...made, ...inverseOfSteps(changes) };
  if (made.kind === 'flag') return { ...made, ...inverseOfSettings(before as Flag, after as Flag) };
  const { kind, keys = [] } = made.edit;
  if (kind === 'removeAllKeys' || kind === 'uploadKeys') return undefined;
  if (kind === 'replaceRules')
    return { ...made, edit: { kind, body: before }, base: toRulesText(after as SegmentRules) };
  return { ...made, edit: { kind: kind === 'addKeys' ? 'removeKeys' : 'addKeys', keys } };
}

/** Takes back the last step, then those before it. What others changed between them stays. */
function inverseOfSteps(changes: readonly Change[]): Inverse {
  const { before, after } = changes.at(-1) as Change;
  const first = changes[0]?.before;
  if (changes.length === 1 || first === undefined) return inverseOfDefinition(first, after);
  let back = before as Definition;
  for (const step of changes.slice(0, -1).toReversed()) {
    const base = { ...toTargeting(step.after as Recorded), revision: -1 };
    const { edit } = editNow({ kind: 'replace', body: toTargeting(step.before as Recorded) }, base, back);
    if (edit?.kind === 'replace') back = { ...back, ...applyEdit(back, edit) };
  }
  return inverseOfDefinition(back, after);
}

type Inverse = Pick<PlacedOperation, 'edit' | 'base'>;
type Recorded = Targeting & Bucketing & { readonly changeNumber: number };

function inverseOfDefinition(before: unknown, after: unknown): Inverse {
  const base = after === undefined ? undefined : baseOf(after as Recorded);
  if (before === undefined) return { edit: { kind: 'delete' }, base };
  // With its seeds.
  if (after === undefined) return { edit: { kind: 'create', body: before }, base };
  return { edit: { kind: 'replace', body: toTargeting(before as Recorded) }, base };
}

const baseOf = (recorded: Recorded): string =>
  JSON.stringify({ revision: recorded.changeNumber, ...toTargeting(recorded) });

const inverseOfSettings = (before: Flag, after: Flag): Inverse => ({
  edit: { kind: 'patch', operations: patchTo(settingsOf(before)) },
  base: JSON.stringify(settingsOf(after)),
});
