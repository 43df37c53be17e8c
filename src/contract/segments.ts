import { Type } from 'typebox';
import { extend, Id, OneOf } from '#domain/schema.ts';
import {
  ActiveSegmentReply,
  KeyChange,
  ListedKey,
  ListedSegment,
  NewSegment,
  OpenRequest,
  SegmentDetails,
  SegmentReply,
  SegmentUser,
  segmentKinds,
  TagName,
  UploadRecord,
} from '#domain/segments.ts';
import { endpoint } from './endpoint.ts';
import { keysBodyLimit, NoteQuery, OffsetListing, OffsetPage, True } from './parts.ts';

const pageSize = { default: 20, max: 200 };
const addition = 'An addition to the vendor’s API.';
const readProject = { needs: 'segment.read', scope: 'project' } as const;
const writeProject = { needs: 'segment.write', scope: 'project' } as const;
const readContent = { needs: 'segment.read', scope: 'environment' } as const;
const writeContent = { needs: 'segmentContent.write', scope: 'environment' } as const;

export const createSegment = endpoint({
  method: 'POST',
  path: '/segments/ws/:project/trafficTypes/:trafficType',
  summary: 'Create a segment',
  description: 'It is active nowhere yet. A name exists once in a project over all kinds of segments.',
  access: writeProject,
  body: NewSegment,
  reply: SegmentReply,
  problems: ['segment_name_taken'],
});

export const listSegments = endpoint({
  method: 'GET',
  path: '/segments/ws/:project',
  summary: 'List segments',
  description:
    'Standard segments, in order of creation. All parameters except `tag`, `offset` and `limit` are additions to the vendor’s API.',
  access: readProject,
  pageSize,
  query: extend(
    OffsetPage(pageSize),
    Type.Object({
      tag: Type.Optional(
        Type.Array(Type.String({ maxLength: 255 }), {
          maxItems: 50,
          description: 'repeatable: segments with any of these tags',
        }),
      ),
      name: Type.Optional(
        Type.String({ maxLength: 255, description: 'segments whose name contains this, ignoring case' }),
      ),
      names: Type.Optional(
        Type.Array(Type.String({ maxLength: 255 }), {
          maxItems: 100,
          description: 'repeatable: segments with exactly these names, by name',
        }),
      ),
      kind: Type.Optional(
        OneOf([...segmentKinds, 'all'], { description: 'default `standard`; `all` lists all kinds by name' }),
      ),
      expand: Type.Optional(
        OneOf(['environments'], {
          description:
            'adds the id, the kind, how many objects name it, and for each environment the size and what names it; with ' +
            '`offset` 0 also `allTags`, how many segments of the project have each tag',
        }),
      ),
      environmentId: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'Only those that are active there.' })),
      usedBy: Type.Optional(
        Type.String({ maxLength: 255, description: 'the name of a flag: only segments that its definitions name' }),
      ),
      used: Type.Optional(OneOf(['false'], { description: 'only segments that nothing names' })),
    }),
  ),
  reply: extend(
    OffsetListing(ListedSegment),
    Type.Object({
      allTags: Type.Optional(Type.Array(Type.Object({ name: Type.String(), count: Type.Integer() }))),
    }),
  ),
  problems: [],
});

export const getSegment = endpoint({
  method: 'GET',
  path: '/segments/ws/:project/:segment',
  summary: 'Get a segment',
  access: readProject,
  reply: SegmentReply,
  problems: [],
});

export const deleteSegment = endpoint({
  method: 'DELETE',
  path: '/segments/ws/:project/:segment',
  summary: 'Delete a segment',
  description:
    'Also removes it, with its keys, from all environments. Refused while something names it. It can be restored from the audit log, without its keys.',
  access: writeProject,
  reply: True,
  problems: ['segment_in_use'],
});

export const undeleteSegment = endpoint({
  method: 'POST',
  path: '/segments/ws/:project/deleted/:deletedSegment/restore',
  summary: 'Restore a deleted segment',
  description: `Of any kind, by its id, from the audit log: the segment is active again where it was, in environments that still exist, and a rule-based one has its rules. That needs an approval only where something names it meanwhile: 403 then. The log has no keys, so a list of keys comes back empty. ${addition}`,
  access: writeProject,
  query: NoteQuery,
  body: NoteQuery,
  bodyIsOptional: true,
  reply: SegmentReply,
  problems: [
    'deleted_segment_not_found',
    'segment_name_taken',
    'traffic_type_not_found',
    'approvals_required',
    'rule_based_segment_invalid',
    'note_required',
  ],
});

export const listSegmentUsers = endpoint({
  method: 'GET',
  path: '/segments/ws/:project/:anySegment/dependents',
  summary: 'List what uses a segment',
  description: `Flags whose definitions name the segment, and rule-based segments that do, once for each environment. The segment may be of any kind. ${addition}`,
  access: readProject,
  pageSize,
  query: extend(
    OffsetPage(pageSize),
    Type.Object({
      environmentId: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'Only in this environment.' })),
    }),
  ),
  reply: OffsetListing(SegmentUser),
  problems: [],
});

export const changeSegmentDetails = endpoint({
  method: 'PUT',
  path: '/segments/ws/:project/:anySegment/details',
  summary: 'Change the description and tags of a segment',
  description: `Of any kind. What the body leaves out stays as it is; \`tags\` replaces all of them. ${addition}`,
  access: writeProject,
  query: NoteQuery,
  body: SegmentDetails,
  reply: SegmentReply,
  problems: ['note_required'],
});

/** The vendor's tag endpoint, once for each kind: the last word of the path decides what the object is. */
const tagging = {
  method: 'POST',
  description: 'The body lists all names that the segment should have; tags that it does not list are removed.',
  access: writeProject,
  query: NoteQuery,
  body: Type.Array(TagName, { maxItems: 100 }),
  reply: OffsetListing(Type.Object({ name: Type.String(), objectType: Type.String(), objectName: Type.String() })),
  problems: [],
} as const;

export const tagSegment = endpoint({
  ...tagging,
  path: '/tags/ws/:project/object/:segment/objecttype/Segment',
  summary: 'Set the tags of a segment',
});

export const tagLargeSegment = endpoint({
  ...tagging,
  path: '/tags/ws/:project/object/:largeSegment/objecttype/LargeSegment',
  summary: 'Set the tags of a large segment',
});

export const tagRuleBasedSegment = endpoint({
  ...tagging,
  path: '/tags/ws/:project/object/:ruleBasedSegment/objecttype/RuleBasedSegment',
  summary: 'Set the tags of a rule-based segment',
});

export const listActiveSegments = endpoint({
  method: 'GET',
  path: '/segments/ws/:project/environments/:environment',
  summary: 'List segments of an environment',
  description: 'Standard segments that are active there, in order of creation.',
  access: readContent,
  pageSize,
  query: OffsetPage(pageSize),
  reply: OffsetListing(ActiveSegmentReply),
  problems: [],
});

export const listMemberships = endpoint({
  method: 'GET',
  path: '/segments/ws/:project/environments/:environment/memberships',
  summary: 'List the segments of a key',
  description: `Standard and large segments that contain the key in the environment, by name. Whether a rule-based segment does depends on the attributes of the key, so those are not listed. ${addition}`,
  access: readContent,
  query: Type.Object({ key: Type.String({ minLength: 1, maxLength: 250, description: 'the key to look for' }) }),
  reply: Type.Object({
    key: Type.String(),
    segments: Type.Array(
      Type.Object({
        name: Type.String(),
        kind: OneOf(['standard', 'large']),
        since: Type.Integer({
          description: 'when the key was added, or the keys of the large segment were replaced, in milliseconds',
        }),
      }),
    ),
  }),
  problems: [],
});

const path = '/segments/:environment/:segment';

export const activateSegment = endpoint({
  method: 'POST',
  path,
  summary: 'Activate a segment',
  description: 'Makes it usable in the environment, without keys. A body is ignored.',
  access: writeContent,
  reply: ActiveSegmentReply,
  problems: ['segment_active'],
});

export const deactivateSegment = endpoint({
  method: 'DELETE',
  path,
  summary: 'Deactivate a segment',
  description: 'Removes it from the environment. Refused while it has keys there, and while something names it there.',
  access: writeContent,
  reply: True,
  problems: ['segment_not_active', 'segment_has_keys', 'segment_in_use'],
});

const keyPageSize = { default: 100, max: 1_000 };

export const listKeys = endpoint({
  method: 'GET',
  path: `${path}/keys`,
  summary: 'List keys',
  description:
    'In order. `count` and `totalCount` are the same. `prefix` and `expand` are additions to the vendor’s API.',
  access: readContent,
  pageSize: keyPageSize,
  query: extend(
    OffsetPage(keyPageSize),
    Type.Object({
      prefix: Type.Optional(Type.String({ maxLength: 250, description: 'only keys that start with this' })),
      expand: Type.Optional(OneOf(['origin'], { description: 'adds who added each key, when, and from where' })),
    }),
  ),
  reply: Type.Object({
    keys: Type.Array(ListedKey),
    openChangeRequestId: OpenRequest,
    count: Type.Integer(),
    totalCount: Type.Integer(),
    offset: Type.Integer(),
    limit: Type.Integer(),
  }),
  problems: ['segment_not_active'],
});

const keyChangesPageSize = { default: 50, max: 200 };

export const listKeyChanges = endpoint({
  method: 'GET',
  path: `${path}/keyChanges`,
  summary: 'List key changes',
  description: `Every call that changed the keys, newest first, with the size after it. ${addition}`,
  access: readContent,
  pageSize: keyChangesPageSize,
  query: OffsetPage(keyChangesPageSize),
  reply: OffsetListing(KeyChange),
  problems: ['segment_not_active'],
});

/** More than clients send: up to 10,000 keys, and as many empty strings. */
const Keys = Type.Array(Type.String(), { maxItems: 50_000 });
const KeysBody = Type.Object({ keys: Keys, ...NoteQuery.properties });
const Replace = Type.Object({
  replace: Type.Optional(
    OneOf(['', 'true', 'True', 'TRUE', 'false', 'False', 'FALSE'], {
      description: '`true`, or without a value: the keys replace those that are there. Otherwise they are added',
    }),
  ),
});
const keyCall = {
  method: 'PUT',
  access: writeContent,
  bodyLimit: keysBodyLimit,
  problems: ['approvals_required', 'segment_not_active', 'segment_invalid', 'note_required'],
} as const;
const limits = 'At most 10,000 keys; a segment has at most 100,000.';

export const uploadKeys = endpoint({
  ...keyCall,
  path: `${path}/uploadKeys`,
  summary: 'Add or replace keys',
  description: limits,
  query: extend(NoteQuery, Replace),
  body: KeysBody,
  reply: UploadRecord,
});

export const uploadKeyFile = endpoint({
  ...keyCall,
  path: `${path}/upload`,
  summary: 'Add or replace keys by list or file',
  description: `A JSON list, or a form with a CSV file in the part \`file\`: one key per line, without a header. ${limits}`,
  query: extend(NoteQuery, Replace),
  body: Keys,
  mayBeForm: true,
  reply: UploadRecord,
});

const Removed = Type.Object({
  code: Type.Literal(200),
  message: Type.String(),
  details: Type.Null(),
  transactionId: Type.Null(),
});

export const removeKeys = endpoint({
  ...keyCall,
  path: `${path}/removeKeys`,
  summary: 'Remove keys',
  description: 'The message says how many of them were there.',
  query: NoteQuery,
  body: KeysBody,
  reply: Removed,
});

export const deleteKeys = endpoint({
  ...keyCall,
  path: `${path}/deleteKeys`,
  summary: 'Remove keys by list',
  description: 'The older form of `removeKeys`.',
  query: NoteQuery,
  body: Keys,
  reply: Removed,
});
