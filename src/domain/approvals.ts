/** Approvals of changesets: what people say about one and do with it, and what it needs before it is applied. */
import { type Static, Type } from 'typebox';
import { Millis, OneOf, Reference } from './schema.ts';

const reviewKinds = [
  'comment',
  'request',
  'edit',
  'approve',
  'ask',
  'reject',
  'withdraw',
  'pause',
  'resume',
  'skip',
  'abort',
  'apply',
  'fail',
  'expire',
] as const;

export const Person = Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() });
export type Person = Static<typeof Person>;

export const Review = Type.Object({
  kind: OneOf(reviewKinds),
  by: Person,
  comment: Type.String(),
  at: Millis,
  voidedAt: Type.Optional(Type.Unsafe<number>({ ...Millis, description: 'of an approval: when an edit made it void' })),
});
export type Review = Static<typeof Review>;

/** They are read together. */
export const maxReviews = 500;

export const NeededApproval = Type.Object({
  environment: Reference,
  approvedBy: Type.Array(Person, { description: 'whose approvals count now' }),
  isGiven: Type.Boolean(),
  without: Type.Optional(
    OneOf(['kill', 'skipped'], { description: 'why whoever asks needs none: kills need none, or they may skip it' }),
  ),
  mayApprove: Type.Boolean({ description: 'whether whoever asks can give it' }),
});
export type NeededApproval = Static<typeof NeededApproval>;

export const isSame = (one: Pick<Person, 'type' | 'id'>, other: Pick<Person, 'type' | 'id'>): boolean =>
  one.type === other.type && one.id === other.id;

/** Those who wrote what would be approved: the author, and everyone who edited it. */
export const hasWritten = (actor: Pick<Person, 'type' | 'id'>, author: Person, reviews: readonly Review[]): boolean =>
  isSame(actor, author) || reviews.some(({ kind, by }) => kind === 'edit' && isSame(actor, by));
