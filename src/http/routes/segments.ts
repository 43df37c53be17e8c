import { undeleteSegment } from '#commands/deleted-segments.ts';
import { addKeys, type KeysChange, removeKeys, replaceKeys } from '#commands/segment-keys.ts';
import {
  activateSegment,
  changeSegmentDetails,
  createSegment,
  deactivateSegment,
  deleteSegment,
  tagSegment,
} from '#commands/segments.ts';
import { SentForm } from '#contract/endpoint.ts';
import { limited } from '#contract/parts.ts';
import * as contract from '#contract/segments.ts';
import type { Actor } from '#domain/access.ts';
import { Problem } from '#domain/problems.ts';
import type { Note } from '#domain/projects.ts';
import type { Reference } from '#domain/schema.ts';
import { keysOfFile, parseKeys, type Segment, toSegmentReply, toUploadRecord } from '#domain/segments.ts';
import { findPending } from '#store/change-requests.ts';
import { listLargeSegmentsOf } from '#store/large-segments.ts';
import { countSegmentUsers, listSegmentUsers } from '#store/references.ts';
import {
  countKeyChanges,
  countKeys,
  listKeyChanges,
  listKeyOrigins,
  listKeys,
  listMemberships,
} from '#store/segment-keys.ts';
import {
  countSegments,
  countSegmentTags,
  countSegmentUses,
  findActivation,
  listSegments,
  listUsage,
} from '#store/segments.ts';
import type { Reader } from '#store/sql.ts';
import { offsetPage } from '../paging/offset.ts';
import { type Call, implement } from '../pipeline/implement.ts';
import { noteOf } from '../pipeline/notes.ts';

export const segments = (db: Reader, accountId: string) => {
  const openRequest = async (segment: Segment, environment: Reference) =>
    (await findPending(db, { kind: 'segment', object: segment, environment })) ?? null;
  const upload = async ({ context, query: { replace } }: Upload, change: KeysChange) => {
    const isReplacement = replace !== undefined && replace.toLowerCase() !== 'false';
    const uploaded = await (isReplacement ? replaceKeys : addKeys)(context, change);
    const openChangeRequestId = await openRequest(uploaded.segment, uploaded.environment);
    return toUploadRecord({ orgId: accountId, ...uploaded, openChangeRequestId });
  };
  return implement(contract, {
    createSegment: async ({ context, project, trafficType, body: { name, description = '' } }) =>
      toSegmentReply(await createSegment(context, { project, trafficType, kind: 'standard', name, description })),
    listSegments: async ({ project, query }) => {
      const {
        tag: tags = [],
        name,
        names = [],
        kind = 'standard',
        expand,
        environmentId,
        usedBy,
        used,
        ...page
      } = query;
      const ofKind = kind === 'all' ? undefined : kind;
      const isUnused = used === 'false';
      const filter = { projectId: project.id, kind: ofKind, tags, name, names, environmentId, usedBy, isUnused };
      const listing = await offsetPage(page, contract.listSegments.pageSize, {
        list: async (slice) => {
          const found = await listSegments(db, filter, slice);
          return expand ? expanded(db, project, found) : found.map(toSegmentReply);
        },
        count: () => countSegments(db, filter),
      });
      const hasTags = expand && listing.offset === 0 && names.length === 0;
      return hasTags ? { ...listing, allTags: await countSegmentTags(db, project.id) } : listing;
    },
    getSegment: async ({ segment }) => toSegmentReply(segment),
    deleteSegment: async ({ context, segment }) => deleteSegment(context, segment),
    undeleteSegment: async ({ context, project, params, query, body }) =>
      toSegmentReply(
        await undeleteSegment(context, { project, segmentId: params.deletedSegment, note: noteOf(query, body) }),
      ),
    listSegmentUsers: async ({ project, anySegment, query }) => {
      const filter = { projectId: project.id, segment: anySegment.name, environmentId: query.environmentId };
      return offsetPage(query, contract.listSegmentUsers.pageSize, {
        list: (page) => listSegmentUsers(db, filter, page),
        count: () => countSegmentUsers(db, filter),
      });
    },
    changeSegmentDetails: async ({ context, project, anySegment, query, body: details }) =>
      toSegmentReply(await changeSegmentDetails(context, anySegment, { project, details, note: noteOf(query) })),
    tagSegment: async (call) => tag(call, call.segment, 'Segment'),
    tagLargeSegment: async (call) => tag(call, call.largeSegment, 'LargeSegment'),
    tagRuleBasedSegment: async (call) => tag(call, call.ruleBasedSegment, 'RuleBasedSegment'),
    listActiveSegments: async ({ project, environment, query }) => {
      const filter = { projectId: project.id, kind: 'standard', environmentId: environment.id } as const;
      return offsetPage(query, contract.listActiveSegments.pageSize, {
        list: async (page) => (await listSegments(db, filter, page)).map((segment) => toActive(segment, environment)),
        count: () => countSegments(db, filter),
      });
    },
    listMemberships: async ({ environment, query: { key } }) => {
      const standard = await listMemberships(db, environment.id, key);
      const large = await listLargeSegmentsOf(db, environment.id, key);
      const segments = [
        ...standard.map((one) => ({ ...one, kind: 'standard' as const })),
        ...large.map((one) => ({ ...one, kind: 'large' as const })),
      ];
      return { key, segments: segments.sort((a, b) => (a.name < b.name ? -1 : 1)) };
    },
    activateSegment: async ({ context, environment, segment }) => {
      await activateSegment(context, { environment, segment });
      return toActive(segment, environment);
    },
    deactivateSegment: async ({ context, environment, segment }) =>
      deactivateSegment(context, { environment, segment }),
    listKeys: async ({ environment, segment, query: { prefix, expand, offset = 0, limit: asked } }) => {
      const { keyCount, changeNumber: changes } = await requireActive(db, environment, segment);
      const filter = { environmentId: environment.id, segment: segment.name, prefix };
      const limit = limited(asked, contract.listKeys.pageSize);
      const count = prefix === undefined ? keyCount : await countKeys(db, filter);
      const keys = await listKeys(db, filter, { offset, limit }, { total: count, changes });
      const shown = expand ? await withOrigins(db, filter, keys) : keys;
      return {
        keys: shown,
        openChangeRequestId: await openRequest(segment, environment),
        count,
        totalCount: count,
        offset,
        limit,
      };
    },
    listKeyChanges: async ({ environment, segment, query }) => {
      await requireActive(db, environment, segment);
      const place = { environmentId: environment.id, segment: segment.name };
      return offsetPage(query, contract.listKeyChanges.pageSize, {
        list: (page) => listKeyChanges(db, place, page),
        count: () => countKeyChanges(db, place),
      });
    },
    uploadKeys: async (call) => upload(call, changeOf(call, call.body.keys, noteOf(call.query, call.body))),
    uploadKeyFile: async (call) => upload(call, fromListOrFile(call)),
    removeKeys: async (call) => remove(call, changeOf(call, call.body.keys, noteOf(call.query, call.body))),
    deleteKeys: async (call) => remove(call, changeOf(call, call.body, noteOf(call.query))),
  });
};

const toActive = ({ name, trafficType, creationTime }: Segment, { id, name: environment }: Reference) => ({
  name,
  environment: { id, name: environment },
  trafficType,
  creationTime,
});

async function expanded(db: Reader, project: Reference, found: readonly Segment[]) {
  const usage = await listUsage(db, project.id, found);
  const uses = await countSegmentUses(db, project.id, found);
  return found.map((segment) => ({
    ...toSegmentReply(segment),
    id: segment.id,
    kind: segment.kind,
    usedBy: uses.get(segment.name) ?? { flags: 0, segments: 0 },
    environments: usage.get(segment.name) ?? [],
  }));
}

async function requireActive(db: Reader, environment: Reference, { id, name }: Segment) {
  const activation = await findActivation(db, environment.id, id);
  if (!activation) throw new Problem('segment_not_active', { name, environment: environment.name });
  return activation;
}

async function withOrigins(db: Reader, place: Parameters<typeof listKeyOrigins>[1], keys: readonly { key: string }[]) {
  const origins = await listKeyOrigins(
    db,
    place,
    keys.map(({ key }) => key),
  );
  const byKey = new Map(origins.map((origin) => [origin.key, origin]));
  return keys.map((one) => byKey.get(one.key) ?? one);
}

type Tagging = Pick<Call<typeof contract.tagSegment>, 'context' | 'query' | 'body'>;

async function tag({ context, query, body }: Tagging, segment: Segment, objectType: string) {
  const { tags, name } = await tagSegment(context, segment, { tags: body, note: noteOf(query) });
  const objects = (tags ?? []).map((one) => ({ name: one.name, objectType, objectName: name }));
  // Always the whole list; clients expect a limit of 20 here.
  return { objects, offset: 0, limit: Math.max(20, objects.length), totalCount: objects.length };
}

type Place = Pick<KeysChange, 'project' | 'environment' | 'segment'> & { readonly actor: Actor };

const changeOf = (
  { project, environment, segment, actor }: Place,
  keys: readonly string[],
  note: Note,
  source = actor.type === 'user' ? 'hand' : 'api',
): KeysChange => ({ project, environment, segment, keys: parseKeys(keys), note, source });

/** In a form, title and comment come in the part `payload`, as JSON. */
function fromListOrFile(call: Call<typeof contract.uploadKeyFile>): KeysChange {
  const { body, query } = call;
  if (!(body instanceof SentForm)) return changeOf(call, body, noteOf(query));
  const note = noteOf(query, payloadOf(body.parts.payload));
  return changeOf(call, keysOfFile(body.file.text), note, body.file.name.slice(0, 255) || 'file');
}

function payloadOf(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('json_invalid', { reason: 'the part "payload" is not JSON' });
  }
}

type Upload = Pick<Call<typeof contract.uploadKeys>, 'context' | 'query'>;

async function remove({ context }: Pick<Upload, 'context'>, change: KeysChange) {
  const removed = await removeKeys(context, change);
  return { code: 200 as const, message: `Deleted ${removed} keys`, details: null, transactionId: null };
}
