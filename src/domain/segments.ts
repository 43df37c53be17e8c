/** Segments: named groups of keys. A name exists once in a project over all kinds, because rules name any of them. */
import { type Static, Type } from 'typebox';
import { refuse } from './problems.ts';
import { Description, Millis, NullableArray, OneOf, patterns, Reference } from './schema.ts';

export const segmentKinds = ['standard', 'large', 'rule_based'] as const;
export type SegmentKind = (typeof segmentKinds)[number];

export const SegmentName = Type.String({ pattern: patterns.segmentName, minLength: 1, maxLength: 100 });
export const NewSegment = Type.Object({ name: SegmentName, description: Type.Optional(Description) });

/** A segment in its project. The vendor's has no id. */
export const SegmentReply = Type.Object({
  name: Type.String(),
  description: Type.String(),
  trafficType: Reference,
  creationTime: Millis,
  tags: NullableArray(Type.Object({ name: Type.String() })),
});

/** A segment in an environment. */
export const ActiveSegmentReply = Type.Object({
  name: Type.String(),
  environment: Reference,
  trafficType: Reference,
  creationTime: Millis,
});

/** A stored segment of any kind. */
export interface Segment extends Static<typeof SegmentReply> {
  readonly id: string;
  readonly projectId: string;
  readonly kind: SegmentKind;
  readonly creator: { readonly type: string; readonly id: string; readonly name: string };
}

export const toSegmentReply = ({
  name,
  description,
  trafficType,
  creationTime,
  tags,
}: Segment): Static<typeof SegmentReply> => ({ name, description, trafficType, creationTime, tags });

/** Where a segment is active. */
export interface Activation {
  readonly changeNumber: number;
  readonly keyCount: number;
  /** JSON text; only for rule-based segments. */
  readonly rules: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A flag with a definition, or a rule-based segment, that names a segment in the environment. */
export const SegmentUser = Type.Object({
  kind: OneOf(['flag', 'segment']),
  name: Type.String(),
  environment: Reference,
});
export type SegmentUser = Static<typeof SegmentUser>;

/** The SDKs' own limit. */
const longestKey = 250;
export const maxKeysPerCall = 10_000;
export const maxKeys = 100_000;

/**
 * The keys that a call means, each once: trimmed, without empty ones, which clients send. Refuses keys that are too
 * long, and too many of them.
 */
export function parseKeys(sent: readonly string[]): string[] {
  const keys = new Set<string>();
  const complaints: string[] = [];
  for (const [index, text] of sent.entries()) {
    const key = text.trim();
    if (key.length > longestKey) complaints.push(`keys/${index} must not have more than ${longestKey} characters`);
    else if (key !== '') keys.add(key);
  }
  if (keys.size > maxKeysPerCall) complaints.push(`keys must not have more than ${maxKeysPerCall} different keys`);
  refuse('segment_invalid', complaints);
  return [...keys];
}
