import type * as changeRequestsContract from '../change-requests.ts';
import type * as largeSegmentsContract from '../large-segments.ts';
import type * as ruleBasedSegmentsContract from '../rule-based-segments.ts';
import type * as segmentsContract from '../segments.ts';
import type * as uploadsContract from '../uploads.ts';
import { at, type ExamplesOf, environmentReference, ids, markerPage, page, trafficTypeReference } from './values.ts';

const segment = {
  name: 'beta_testers',
  description: 'They see new features first',
  trafficType: trafficTypeReference,
  creationTime: at,
  tags: null,
};
const activeSegment = {
  name: segment.name,
  environment: environmentReference,
  trafficType: trafficTypeReference,
  creationTime: at,
};
const editor = { type: 'user', id: ids.user, name: 'ada@example.com' };
const uploadRecord = {
  id: ids.segment,
  orgId: ids.account,
  environment: ids.environment,
  environmentURN: { type: 'Environment' as const, ...environmentReference },
  name: segment.name,
  trafficTypeId: ids.trafficType,
  trafficTypeURN: { type: 'TRAFFIC_TYPE' as const, ...trafficTypeReference },
  description: segment.description,
  creator: { ...editor, type: 'User' },
  status: 'ACTIVE' as const,
  creationTime: at,
  lastUpdateTime: at,
  iAmInThisSegment: null,
  metadataId: ids.segment,
  keys: null,
  openChangeRequestId: null,
  approvers: null,
  type: 'Segment' as const,
};

const removedKeys = { code: 200 as const, message: 'Deleted 1 keys', details: null, transactionId: null };
const largeSegment = {
  id: ids.largeSegment,
  name: 'loyalty_members',
  description: 'Members of the loyalty programme',
  trafficType: trafficTypeReference,
  creationTime: at,
  tags: [],
};

const activeLargeSegment = {
  id: ids.largeSegment,
  name: 'loyalty_members',
  environment: environmentReference,
  trafficType: trafficTypeReference,
  creationTime: at,
  count: 2,
  lastUpdateTime: at,
};

const changeRequest = {
  id: ids.changeRequest,
  status: 'AWAITING',
  operationType: 'UPLOAD',
  title: 'Nightly export',
  comment: null,
  comments: [] as never[],
  approvers: [] as never[],
  workspace: { id: ids.project, type: 'workspace' },
  environment: environmentReference,
  split: null,
  segment: null,
  largeSegment: { name: 'loyalty_members' },
  ruleBasedSegment: null,
  rolloutStatus: null,
  rolloutStatusTimestamp: null,
  transactionMetadata: {
    method: 'PUT',
    url: 'https://flags.example/internal/uploads/Vb8nQ2yTz6LrWf4Xk1HsPd0c',
    headers: { Host: ['flags.example'] },
  },
} as const;
const keyRequest = {
  ...changeRequest,
  status: 'REQUESTED',
  operationType: 'CREATE',
  title: 'New testers',
  segment: { name: segment.name, keys: ['ada'] },
  largeSegment: null,
  transactionMetadata: null,
} as const;

const ruleBasedSegment = {
  id: ids.segment,
  orgId: ids.account,
  workspaceIds: [ids.project],
  name: 'paying_customers',
  description: 'Everyone with a paid plan, except test accounts',
  status: 'ACTIVE' as const,
  trafficType: trafficTypeReference,
  trafficTypeId: ids.trafficType,
  trafficTypeURN: null,
  creator: { type: 'user', id: ids.user, name: 'ada@example.com' },
  creationTime: at,
  tags: null,
};

const segmentRules = {
  rules: [
    {
      condition: {
        combiner: 'AND' as const,
        matchers: [{ type: 'IN_LIST_STRING' as const, attribute: 'plan', strings: ['team', 'enterprise'] }],
      },
    },
  ],
  excludedKeys: ['qa-1'],
  excludedSegments: [{ name: 'test_accounts', type: 'standard_segment' as const }],
};

const ruleBasedDefinition = {
  name: ruleBasedSegment.name,
  environment: environmentReference,
  trafficType: trafficTypeReference,
  ...segmentRules,
  creationTime: at,
  lastUpdateTime: at,
};

export const segmentExamples: ExamplesOf<
  typeof segmentsContract &
    typeof ruleBasedSegmentsContract &
    typeof largeSegmentsContract &
    typeof changeRequestsContract &
    typeof uploadsContract
> = {
  createSegment: { body: { name: segment.name, description: segment.description }, reply: segment },
  listSegments: { reply: page(segment, 20) },
  getSegment: { reply: segment },
  deleteSegment: { reply: true },
  undeleteSegment: { body: { comment: 'Deleted by mistake' }, reply: segment },
  listSegmentUsers: {
    reply: page({ kind: 'flag' as const, name: 'new_checkout', environment: environmentReference }, 20),
  },
  changeSegmentDetails: {
    body: { description: segment.description, tags: ['beta'] },
    reply: { ...segment, tags: [{ name: 'beta' }] },
  },
  tagSegment: { body: ['beta'], reply: page({ name: 'beta', objectType: 'Segment', objectName: segment.name }, 20) },
  tagLargeSegment: {
    body: ['beta'],
    reply: page({ name: 'beta', objectType: 'LargeSegment', objectName: largeSegment.name }, 20),
  },
  tagRuleBasedSegment: {
    body: ['beta'],
    reply: page({ name: 'beta', objectType: 'RuleBasedSegment', objectName: ruleBasedSegment.name }, 20),
  },
  listActiveSegments: { reply: page(activeSegment, 20) },
  listMemberships: { reply: { key: 'ada', segments: [{ name: segment.name, kind: 'standard' as const, since: at }] } },
  activateSegment: { reply: activeSegment },
  deactivateSegment: { reply: true },
  listKeys: {
    reply: { keys: [{ key: 'ada' }], openChangeRequestId: null, count: 1, totalCount: 1, offset: 0, limit: 100 },
  },
  listKeyChanges: { reply: page({ at, editor, source: 'testers.csv', added: 1, removed: 0, keyCount: 1 }, 50) },
  uploadKeys: { body: { keys: ['ada', 'grace'] }, reply: uploadRecord },
  uploadKeyFile: { body: ['ada', 'grace'], reply: uploadRecord },
  removeKeys: { body: { keys: ['ada'] }, reply: removedKeys },
  deleteKeys: { body: ['grace'], reply: removedKeys },

  listRuleBasedSegments: { reply: [ruleBasedSegment] },
  createRuleBasedSegment: {
    body: { name: ruleBasedSegment.name, description: ruleBasedSegment.description },
    reply: ruleBasedSegment,
  },
  getRuleBasedSegment: { reply: ruleBasedSegment },
  deleteRuleBasedSegment: { reply: true },
  listRuleBasedDefinitions: { reply: [ruleBasedDefinition] },
  activateRuleBasedSegment: {
    reply: { ...ruleBasedDefinition, rules: [], excludedKeys: [], excludedSegments: [] },
  },
  deactivateRuleBasedSegment: { reply: true },
  getRuleBasedDefinition: { reply: ruleBasedDefinition },
  replaceRuleBasedDefinition: { body: segmentRules, reply: ruleBasedDefinition },

  listLargeSegments: { reply: [largeSegment] },
  getLargeSegment: { reply: largeSegment },
  createLargeSegment: {
    body: { name: 'loyalty_members', description: 'Members of the loyalty programme' },
    reply: largeSegment,
  },
  deleteLargeSegment: { reply: true },
  listActiveLargeSegments: { reply: [activeLargeSegment] },
  activateLargeSegment: { reply: { ...activeLargeSegment, count: 0 } },
  deactivateLargeSegment: { reply: true },
  listLargeSegmentKeys: { reply: { keys: [{ key: 'user-1' }, { key: 'user-2' }], count: 2, limit: 100, next: null } },
  listUploads: {
    reply: [
      {
        id: ids.changeRequest,
        status: 'published',
        receivedBytes: 14,
        totalBytes: 14,
        count: 2,
        title: 'Nightly export',
        comment: '',
        editor: { type: 'api_key', id: ids.key, name: 'exporter' },
        createdAt: at,
      },
    ],
  },

  submitChangeRequest: {
    body: { largeSegment: { name: 'loyalty_members' }, operationType: 'UPLOAD', title: 'Nightly export' },
    reply: changeRequest,
  },
  listChangeRequests: { reply: markerPage({ ...changeRequest, transactionMetadata: null }, 20) },
  getChangeRequest: { reply: { ...changeRequest, transactionMetadata: null } },
  submitKeyFile: {
    body: { segmentName: segment.name, operationType: 'CREATE', keys: ['ada'], title: 'New testers' },
    reply: keyRequest,
  },
  decideChangeRequest: {
    body: { status: 'APPROVED', comment: 'Welcome' },
    reply: { ...keyRequest, status: 'PUBLISHED' },
  },

  uploadLargeSegment: { reply: { count: 2 } },
};
