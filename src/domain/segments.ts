/** Segments: named groups of keys. A name exists once in a project over all kinds, because rules name any of them. */
import { type Static, Type } from 'typebox';
import { refuse } from './problems.ts';
import { Description, Millis, Nullable, NullableArray, OneOf, patterns, Reference } from './schema.ts';

export const segmentKinds = ['standard', 'large', 'rule_based'] as const;
export type SegmentKind = (typeof segmentKinds)[number];

export const SegmentName = Type.String({ pattern: patterns.segmentName, minLength: 1, maxLength: 100 });
export const TagName = Type.String({ pattern: patterns.tag, minLength: 1, maxLength: 255 });
export const NewSegment = Type.Object({ name: SegmentName, description: Type.Optional(Description) });

/** A segment in its project. The vendor's has no id. */
export const SegmentReply = Type.Object({
  name: Type.String(),
  description: Type.String(),
  trafficType: Reference,
  creationTime: Millis,
  tags: NullableArray(Type.Object({ name: Type.String() })),
});

const Usage = Type.Object({
  environment: Reference,
  active: Type.Boolean(),
  keyCount: Type.Integer(),
  ruleCount: Type.Optional(Type.Integer({ description: 'only for rule-based segments that are active there' })),
  lastUpdateTime: Type.Optional(Millis),
  usedBy: Type.Integer({ description: 'how many definitions and rule-based segments name it there' }),
});
/** What a segment is in an environment where it is active or named. */
export type Usage = Static<typeof Usage>;

export const ListedSegment = Type.Object({
  ...SegmentReply.properties,
  id: Type.Optional(Type.String()),
  kind: Type.Optional(OneOf(segmentKinds)),
  usedBy: Type.Optional(
    Type.Object(
      { flags: Type.Integer(), segments: Type.Integer() },
      { description: 'how many flags and rule-based segments name it, in any environment' },
    ),
  ),
  environments: Type.Optional(Type.Array(Usage)),
});

/** What can be changed of a segment. */
export const SegmentDetails = Type.Object({
  description: Type.Optional(Description),
  tags: Type.Optional(Type.Array(TagName, { maxItems: 100 })),
});
export type SegmentDetails = Static<typeof SegmentDetails>;

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

const Editor = Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() });

/** A key, and on request who added it. */
export const ListedKey = Type.Object({
  key: Type.String(),
  addedAt: Type.Optional(Millis),
  addedBy: Type.Optional(Editor),
  source: Type.Optional(Type.String({ description: 'the name of the file, `api`, or `hand` in the interface' })),
});
export type ListedKey = Static<typeof ListedKey>;

/** A call that changed the keys of a segment in an environment. */
export const KeyChange = Type.Object({
  at: Type.Integer({ description: 'milliseconds since the Unix epoch; also the number of the change' }),
  editor: Editor,
  source: Type.String({ description: 'the name of the file, `api`, or `hand` in the interface' }),
  added: Type.Integer(),
  removed: Type.Integer(),
  keyCount: Type.Integer({ description: 'how many keys there were after it' }),
});
export type KeyChange = Static<typeof KeyChange>;

export const OpenRequest = Nullable(
  Type.String({ description: 'the change request about its keys here that is not over' }),
);

/** What an upload answers: the vendor's record. */
export const UploadRecord = Type.Object({
  id: Type.String(),
  orgId: Type.String(),
  environment: Type.String(),
  environmentURN: Type.Object({ type: Type.Literal('Environment'), id: Type.String(), name: Type.String() }),
  name: Type.String(),
  trafficTypeId: Type.String(),
  trafficTypeURN: Type.Object({ type: Type.Literal('TRAFFIC_TYPE'), id: Type.String(), name: Type.String() }),
  description: Type.String(),
  creator: Editor,
  status: Type.Literal('ACTIVE'),
  creationTime: Millis,
  lastUpdateTime: Millis,
  iAmInThisSegment: Type.Null(),
  metadataId: Type.String(),
  keys: Type.Null(),
  openChangeRequestId: OpenRequest,
  approvers: Type.Null(),
  type: Type.Literal('Segment'),
});

interface Uploaded extends Pick<Static<typeof UploadRecord>, 'orgId' | 'openChangeRequestId'> {
  readonly segment: Segment;
  readonly environment: Reference;
  readonly activation: Activation;
}

export const toUploadRecord = ({
  orgId,
  segment,
  environment,
  activation,
  openChangeRequestId,
}: Uploaded): Static<typeof UploadRecord> => ({
  id: segment.id,
  orgId,
  environment: environment.id,
  environmentURN: { type: 'Environment', id: environment.id, name: environment.name },
  name: segment.name,
  trafficTypeId: segment.trafficType.id,
  trafficTypeURN: { type: 'TRAFFIC_TYPE', ...segment.trafficType },
  description: segment.description,
  creator: { ...segment.creator, type: segment.creator.type === 'user' ? 'User' : segment.creator.type },
  status: 'ACTIVE',
  creationTime: activation.createdAt,
  lastUpdateTime: activation.updatedAt,
  iAmInThisSegment: null,
  metadataId: segment.id,
  keys: null,
  openChangeRequestId,
  approvers: null,
  type: 'Segment',
});

/** A warning for each of the names that no segment has, or none that is active in the environment. */
export function warnAboutEmpty(
  names: readonly string[],
  found: readonly { readonly name: string; readonly isActive: boolean }[],
  environment: string,
): string[] {
  const byName = new Map(found.map((segment) => [segment.name, segment]));
  return names
    .filter((name) => !byName.get(name)?.isActive)
    .map((name) => {
      const what = byName.has(name) ? `is not active in ${environment}` : 'does not exist';
      return `Segment ${name} ${what}, so it counts as empty`;
    });
}

/** The SDKs' own limit. */
export const longestKey = 250;
export const maxKeysPerCall = 10_000;
export const maxKeys = 100_000;

/**
 * The keys that a call means, each once and sorted: trimmed, without empty ones, which clients send. Refuses keys that
 * are too long, and too many of them.
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
  return [...keys].sort();
}

/** Empty lines included; more are refused before they cost time. */
const maxLines = 100_000;

/**
 * The first column of a CSV file without a header: one key per line, perhaps in quotes. Own code, because parsers block
 * the event loop for 250 ms for 10,000 long keys, and for seconds for hostile files.
 */
export function keysOfFile(text: string): string[] {
  const keys: string[] = [];
  for (const [line] of text.replace(/^\ufeff/, '').matchAll(/[^\r\n]+/g)) {
    if (keys.length === maxLines) refuse('segment_invalid', [`file must not have more than ${maxLines} lines`]);
    // Longer keys are refused anyway.
    const quoted = line.includes('"') ? /^\s*"((?:[^"]|"")*)"/.exec(line.slice(0, 3 * longestKey))?.[1] : undefined;
    keys.push(quoted?.replaceAll('""', '"') ?? line.split(',', 1)[0] ?? '');
  }
  // Parts of a text are slow to compare: sorting them takes three times as long as sorting texts of their own.
  return JSON.parse(JSON.stringify(keys)) as string[];
}
