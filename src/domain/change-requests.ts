/** Change requests as clients of the vendor's API know them: changesets about one object. */
import { type Static, Type } from 'typebox';
import type { Review } from './approvals.ts';
import { isZone, localTimeAt } from './calendar.ts';
import {
  type Changeset,
  type ChangesetState,
  changesetStates,
  definitionEditOf,
  type Edit,
  type PlacedOperation,
  type WantedOperation,
} from './changesets.ts';
import { type Definition, type Targeting, toTargeting } from './definitions/definition.ts';
import type { EditBase } from './definitions/edit-now.ts';
import { applyEdit } from './definitions/edits.ts';
import { parseSegmentRules } from './definitions/parse.ts';
import { isObject } from './json.ts';
import { noteLimit } from './notes.ts';
import { Problem, refuse } from './problems.ts';
import type { LocalTime } from './schedules.ts';
import { Millis, OneOf, Reference } from './schema.ts';
import { maxKeysPerCall } from './segments.ts';

export const operationTypes = ['CREATE', 'UPDATE', 'KILL', 'RESTORE', 'ARCHIVE', 'UPLOAD'] as const;
export type OperationType = (typeof operationTypes)[number];

/** One of these is changed. */
const subjects = ['split', 'segment', 'largeSegment', 'ruleBasedSegment'] as const;
type Subject = (typeof subjects)[number];
type Named = Readonly<Record<string, unknown>> & { readonly name: string };

const subject = (description: string) =>
  Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>> | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description,
    }),
  );
const text = Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: noteLimit }));

export const NewChangeRequest = Type.Object({
  split: subject('a flag: its name and, to CREATE or UPDATE, its definition'),
  segment: subject('a standard segment: its name and `keys`'),
  largeSegment: subject('a large segment: its name'),
  ruleBasedSegment: subject('a rule-based segment: its name and its definition'),
  operationType: OneOf(operationTypes, {
    description:
      'A flag: all but UPLOAD. A segment: CREATE adds keys, ARCHIVE removes them. A large segment: UPLOAD, ARCHIVE. A rule-based segment: CREATE, UPDATE, ARCHIVE.',
  }),
  title: text,
  comment: text,
  approvers: Type.Optional(
    Type.Unsafe<readonly string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string', minLength: 1, maxLength: 255 },
      maxItems: 50,
      description:
        'Email addresses of the people who are asked to approve. Must be empty where the environment restricts its approvers.',
    }),
  ),
  rolloutStatus: Type.Optional(
    Type.Unsafe<{ readonly id: string } | null>({
      type: ['object', 'null'],
      required: ['id'],
      properties: { id: { type: 'string', minLength: 1, maxLength: 255 } },
      description: 'of the flag, once it is published',
    }),
  ),
  scheduledFor: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'When it is published, in milliseconds since 1970, once it has its approvals. Not for an UPLOAD.',
    }),
  ),
  scheduledForTimezone: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 64,
      description: 'IANA name of the time zone in which people read that time. Without one it is UTC.',
    }),
  ),
});
export type NewChangeRequest = Static<typeof NewChangeRequest>;

export const Decision = Type.Object({
  status: OneOf(['APPROVED', 'REJECTED', 'WITHDRAWN', 'PUBLISHED']),
  comment: text,
});
export interface Decision {
  readonly status: Static<typeof Decision>['status'];
  readonly comment?: string | undefined;
}

type EditOf = (sent: Named) => Edit;

const edits: Readonly<Record<Subject, Partial<Record<OperationType, EditOf>>>> = {
  split: {
    CREATE: (body) => ({ kind: 'create', body }),
    UPDATE: (body) => ({ kind: 'replace', body }),
    KILL: () => ({ kind: 'kill' }),
    RESTORE: () => ({ kind: 'restore' }),
    ARCHIVE: () => ({ kind: 'delete' }),
  },
  segment: {
    CREATE: ({ keys }) => ({ kind: 'addKeys', keys: keysIn(keys) }),
    ARCHIVE: ({ keys }) => ({ kind: 'removeKeys', keys: keysIn(keys) }),
  },
  largeSegment: { UPLOAD: () => ({ kind: 'uploadKeys' }), ARCHIVE: () => ({ kind: 'removeAllKeys' }) },
  ruleBasedSegment: {
    CREATE: (body) => ({ kind: 'replaceRules', body }),
    UPDATE: (body) => ({ kind: 'replaceRules', body }),
    ARCHIVE: () => ({ kind: 'replaceRules', body: {} }),
  },
};

function keysIn(keys: unknown): string[] {
  const complaint = complaintAboutKeys(keys);
  if (complaint !== undefined) throw new Problem('segment_invalid', { complaints: [`segment/keys ${complaint}`] });
  return keys as string[];
}

function complaintAboutKeys(keys: unknown): string | undefined {
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== 'string')) return 'must be an array of strings';
  return keys.length > maxKeysPerCall ? `must not have more than ${maxKeysPerCall} keys` : undefined;
}

/** What it changes. Refuses what is not one change that Burgee knows. */
export function operationsOf(sent: NewChangeRequest, environment: string): WantedOperation[] {
  const [name, ...others] = subjects.filter((one) => sent[one]);
  if (!name || others.length > 0) throw unsupported(`A change request needs one of ${subjects.join(', ')}`);
  const object = sent[name] as Named;
  if (typeof object.name !== 'string' || object.name === '') {
    throw new Problem('request_invalid', { complaints: [`${name}/name is required`] });
  }
  const edit = edits[name][sent.operationType]?.(object);
  if (!edit) {
    throw unsupported(`operationType of a ${name} must be one of ${Object.keys(edits[name]).join(', ')}`);
  }
  if (name !== 'split') return [{ environment, segment: object.name, edit }];
  const status = sent.rolloutStatus;
  const patch = { op: 'replace', path: '/rolloutStatus/id', value: status?.id } as const;
  return [
    { environment, flag: object.name, edit },
    ...(status ? [{ flag: object.name, edit: { kind: 'patch' as const, operations: [patch] } }] : []),
  ];
}

/** When it is published; undefined: as soon as nothing is missing. */
export function scheduledTimeOf(sent: NewChangeRequest): LocalTime | undefined {
  const { scheduledFor, scheduledForTimezone: zone } = sent;
  const instant = scheduledFor ?? undefined;
  if (instant === undefined) return undefined;
  if (sent.operationType === 'UPLOAD') throw unsupported('An UPLOAD cannot be scheduled');
  refuse(
    'request_invalid',
    instant >= 0 && instant <= lastInstant ? [] : ['scheduledFor must be milliseconds since 1970'],
  );
  if (zone && !isZone(zone)) {
    refuse('request_invalid', [
      `scheduledForTimezone ${zone} is not a known time zone; send a name such as Europe/Berlin`,
    ]);
  }
  // Of a local time that comes twice, a schedule means the first.
  const time = zone ? localTimeAt(instant, zone) : undefined;
  if (zone && time !== undefined) return { time, zone };
  return { time: localTimeAt(instant, 'UTC') ?? '', zone: 'UTC' };
}

/** Later ones have years of more than four digits. */
const lastInstant = Date.parse('9999-12-31T00:00Z');

const unsupported = (reason: string) => new Problem('change_request_unsupported', { reason });

const states = changesetStates.filter((state) => state !== 'DRAFT');
const changeRequestStatuses = ['AWAITING', ...states] as const;

const Nothing = Type.Null();
const shown = (description: string) =>
  Type.Unsafe<Named | null>({ type: ['object', 'null'], additionalProperties: true, description });

export const ChangeRequest = Type.Object({
  id: Type.String(),
  status: OneOf(changeRequestStatuses, {
    description: 'AWAITING: for the file of an UPLOAD; REJECTED if it did not arrive, or was refused',
  }),
  operationType: OneOf(operationTypes),
  title: Type.String(),
  comment: Nothing,
  comments: Type.Array(
    Type.Object({
      comment: Type.String(),
      user: Type.String(),
      role: OneOf(['SUBMITTER', 'APPROVER']),
      timestamp: Millis,
    }),
  ),
  approvers: Type.Array(Type.String(), {
    description: 'who was asked or, where the environment restricts who approves, who is on its list',
  }),
  workspace: Type.Object({ id: Type.String(), type: Type.Literal('workspace') }),
  environment: Reference,
  split: shown('the definition as it would be; of an ARCHIVE, the one that would go'),
  segment: shown('name and keys'),
  largeSegment: shown('name'),
  ruleBasedSegment: shown('name and definition'),
  rolloutStatus: Type.Unsafe<{ readonly id: string; readonly type: 'rolloutStatus'; readonly name: string } | null>({
    type: ['object', 'null'],
    properties: { id: { type: 'string' }, type: { type: 'string' }, name: { type: 'string' } },
  }),
  rolloutStatusTimestamp: Nothing,
  scheduledFor: Type.Optional(
    Type.Unsafe<number>({ ...Millis, description: 'when it is published; absent if it is not scheduled, or is over' }),
  ),
  reason: Type.Optional(Type.String({ description: 'why it was rejected, expired or failed' })),
  transactionMetadata: Type.Unsafe<{
    readonly method: 'PUT';
    readonly url: string;
    readonly headers: { readonly Host: readonly string[] };
  } | null>({
    type: ['object', 'null'],
    description: 'Where to send the file: one key per line, no header. Only in the reply to an UPLOAD.',
    properties: {
      method: { type: 'string' },
      url: { type: 'string', description: 'needs no key, works once, for five minutes' },
      headers: { type: 'object', properties: { Host: { type: 'array', items: { type: 'string' } } } },
    },
  }),
});
export type ChangeRequest = Static<typeof ChangeRequest>;

/** What a change request shows beside its changeset. */
export interface Shown {
  readonly reviews: readonly Review[];
  /** Of the environment, if it restricts who approves. */
  readonly approverNames: readonly string[];
  readonly trafficType: Reference | undefined;
  readonly statusName: string | undefined;
  /** A file can still arrive. */
  readonly isAwaitingFile: boolean;
  readonly address?: ChangeRequest['transactionMetadata'];
}

export function toChangeRequest(
  head: Omit<Changeset, 'operations' | 'type'>,
  operations: readonly PlacedOperation[],
  more: Shown,
): ChangeRequest {
  const { id, author, createdAt, workspace } = head;
  const [first, second] = operations;
  if (!first?.environment) throw new Error(`the change request ${id} has no operation`);
  const said = [
    { comment: head.comment, by: author, at: createdAt },
    ...more.reviews.map(({ comment, by, at }) => ({ comment, by, at })),
  ].filter(({ comment }) => comment !== '');
  const rolloutStatusId = second?.edit.operations?.[0]?.value;
  return {
    id,
    status: statusOf(head.status, first.edit, more.isAwaitingFile),
    operationType: head.operationType as OperationType,
    title: head.title,
    comment: null,
    comments: said.map(({ comment, by, at }) => ({
      comment,
      user: by.name,
      role: by.type === author.type && by.id === author.id ? 'SUBMITTER' : 'APPROVER',
      timestamp: at,
    })),
    approvers: head.approvers.length > 0 ? [...head.approvers] : [...more.approverNames],
    workspace: { id: workspace.id, type: 'workspace' },
    environment: first.environment,
    ...subjectOf(id, first, more.trafficType),
    rolloutStatus:
      typeof rolloutStatusId === 'string'
        ? { id: rolloutStatusId, type: 'rolloutStatus', name: more.statusName ?? '' }
        : null,
    rolloutStatusTimestamp: null,
    ...(head.dueAt === undefined ? {} : { scheduledFor: head.dueAt }),
    ...(head.reason === undefined ? {} : { reason: head.reason }),
    transactionMetadata: more.address ?? null,
  };
}

/** A draft waits for its file, and so did one that expired without it. */
function statusOf(state: ChangesetState, { kind, list }: Edit, isAwaitingFile: boolean): ChangeRequest['status'] {
  if (kind === 'uploadKeys' && !list && (state === 'DRAFT' || state === 'EXPIRED')) {
    return isAwaitingFile ? 'AWAITING' : 'REJECTED';
  }
  return state === 'DRAFT' ? 'AWAITING' : state;
}

function subjectOf(
  id: string,
  operation: PlacedOperation,
  trafficType: Reference | undefined,
): Pick<ChangeRequest, Subject> {
  const none = { split: null, segment: null, largeSegment: null, ruleBasedSegment: null };
  const { object, environment, edit } = operation;
  const { name } = object;
  if (operation.kind !== 'segment') {
    const targeting = targetingIn(operation);
    const place = { id: object.id, name, environment, trafficType: trafficType ?? null };
    return { ...none, split: { ...place, ...targeting, openChangeRequestId: id } };
  }
  if (edit.kind === 'uploadKeys' || edit.kind === 'removeAllKeys')
    return { ...none, largeSegment: { name, environment } };
  if (edit.kind !== 'replaceRules') return { ...none, segment: { name, keys: edit.keys ?? [], environment } };
  const { rules, excludedKeys, excludedSegments } = parseSegmentRules(isObject(edit.body) ? edit.body : {});
  return { ...none, ruleBasedSegment: { name, environment, rules, excludedKeys, excludedSegments } };
}

/** The definition that is asked for; of a deletion, the one that there is. */
function targetingIn({ edit, base }: PlacedOperation): Targeting | undefined {
  const change = definitionEditOf(edit);
  if (change.kind === 'create') return applyEdit(undefined, change);
  if (base === undefined) return undefined;
  const before = JSON.parse(base) as EditBase;
  return change.kind === 'delete' ? toTargeting(before) : applyEdit(before as Definition, change);
}
