/**
 * Examples of all request bodies and responses, for the OpenAPI document. The interface does not load them. With the
 * values of `parameters` they work on a new server: a test sends them and checks all responses against the schemas.
 */

import type { Static, TSchema } from 'typebox';
import type { permissions } from '#domain/access.ts';
import { permissionsOfPerson } from '#domain/access.ts';
import { defaultRolloutStatuses } from '#domain/rollout-statuses.ts';
import type { accountContract, contract, serviceContract } from './all.ts';
import type { Body, Endpoint } from './endpoint.ts';

type Parts = typeof contract & typeof accountContract & typeof serviceContract;
/** Every endpoint by name, which is its `operationId`. */
type Endpoints = { [Part in keyof Parts]: (one: Parts[Part]) => void }[keyof Parts] extends (one: infer All) => void
  ? All
  : never;

type BodyOf<E extends Endpoint> = E extends { readonly looseBody: infer Schema extends TSchema }
  ? { readonly body: Static<Schema> }
  : E extends { readonly body: TSchema } | { readonly textBody: true }
    ? { readonly body: Body<E> }
    : { readonly body?: never };
type ExampleOf<E> = E extends Endpoint ? BodyOf<E> & { readonly reply: Static<E['reply']> } : never;

const at = 1_767_225_600_000;
const ids = {
  account: '019b76da-a800-7000-8000-00000000ac01',
  project: '019b76da-a800-7000-8000-0000000000a1',
  environment: '019b76da-a800-7000-8000-0000000000e1',
  otherFlag: '019b76da-a800-7000-8000-0000000000f2',
  trafficType: '019b76da-a800-7000-8000-0000000000c1',
  status: '019b76da-a800-7000-8000-0000000000b1',
  flag: '019b76da-a800-7000-8000-0000000000f1',
  segment: '019b76da-a800-7000-8000-000000000061',
  user: '019b76da-a800-7000-8000-0000000000d1',
  group: '019b76da-a800-7000-8000-000000000091',
  administrators: '019b76da-a800-7000-8000-000000000090',
  key: '019b76da-a800-7000-8000-000000000081',
  changeRequest: '019b76da-a800-7000-8000-000000000061',
  largeSegment: '019b76da-a800-7000-8000-000000000051',
  session: '019b76da-a800-7000-8000-000000000071',
};

/** What each path parameter is, and a value that exists on a new server or that the examples create. */
export const parameters: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  project: { description: 'Id or name of the project.', example: 'Default' },
  environment: { description: 'Id or name of the environment.', example: 'Staging-Default' },
  flag: { description: 'Name or id of the feature flag.', example: 'new_checkout' },
  trafficType: { description: 'Id or name of the traffic type.', example: 'user' },
  segment: { description: 'Name of the segment.', example: 'beta_testers' },
  anySegment: { description: 'Name of a segment of any kind.', example: 'beta_testers' },
  ruleBasedSegment: { description: 'Name of the rule-based segment.', example: 'paying_customers' },
  trafficTypeId: { description: 'Id of the traffic type.', example: ids.trafficType },
  attribute: { description: 'Id of the attribute.', example: 'plan' },
  identity: { description: 'The key of the identity.', example: 'ada' },
  largeSegment: { description: 'Name of the large segment.', example: 'loyalty_members' },
  changeRequest: { description: 'Id of the change request.', example: ids.changeRequest },
  objectType: { description: '`Split`: a feature flag.', example: 'Split' },
  flagSet: { description: 'Id of the flag set.', example: '019b76da-a800-7000-8000-000000000041' },
  user: { description: 'Id of the user.', example: ids.user },
  group: { description: 'Id of the group.', example: ids.group },
  key: { description: 'Id of the API key. DELETE also takes the key itself.', example: ids.key },
  session: { description: 'Id of the session.', example: ids.session },
  token: { description: 'The token from the link in the mail.', example: 'Vb8nQ2yTz6LrWf4Xk1HsPd0c' },
};

const project = { name: 'Default', type: 'workspace', id: ids.project, requiresTitleAndComments: false } as const;
const environmentReference = { id: ids.environment, name: 'Staging-Default' };
const trafficTypeReference = { id: ids.trafficType, name: 'user' };
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

const environment = {
  id: '019b76da-a800-7000-8000-0000000000e2',
  type: 'environment',
  name: 'qa',
  environmentType: 'pre_production',
  changePermissions: {},
  dataExportPermissions: {},
  orgId: ids.account,
  creationTime: at,
  production: false,
  status: 'ACTIVE',
  workspaceIds: [ids.project],
  permissioningEnabled: false,
  apiTokens: [
    {
      name: 'server-side - 000a1 - 000e2',
      type: 'api_key',
      id: ids.key,
      apiKeyType: 'sdk',
      key: 'burgee_s_the-key-is-shown-only-here',
    },
  ],
} as const;
const [{ key: _, ...tokenLater }] = environment.apiTokens;

const trafficType = {
  name: 'device',
  type: 'trafficType',
  id: '019b76da-a800-7000-8000-0000000000c2',
  displayAttributeId: '',
  workspace: { id: ids.project, name: 'Default', type: 'workspace' },
} as const;

const attributeBody = {
  id: 'plan',
  displayName: 'Plan',
  description: 'What the account pays for',
  dataType: 'STRING' as const,
  isSearchable: true,
  suggestedValues: ['free', 'team'],
};
const attribute = { ...attributeBody, organizationId: ids.account, trafficTypeId: ids.trafficType };

const identityBody = { key: 'ada', values: { plan: 'team', seats: 12 } };
const identity = {
  key: 'ada',
  organizationId: ids.account,
  trafficTypeId: ids.trafficType,
  environmentId: ids.environment,
  values: { plan: 'team', seats: '12' },
};
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

const rolloutStatuses = [{ id: ids.status, ...defaultRolloutStatuses[0] }];

const flag = {
  id: ids.flag,
  name: 'new_checkout',
  description: 'The checkout with one page instead of three',
  trafficType: trafficTypeReference,
  creationTime: at,
  rolloutStatus: { id: ids.status, name: 'Pre-Production' },
  rolloutStatusTimestamp: at,
  tags: [{ name: 'checkout' }],
};
const readFlag = { ...flag, owners: [{ id: ids.user, type: 'user' as const }] };

/** A tenth of the traffic, everyone on the team plan, and one tester. */
const targeting = {
  killed: false,
  treatments: [
    { name: 'on', description: 'One page', configurations: '{"color":"blue"}', keys: ['tester@example.com'] },
    { name: 'off' },
  ],
  defaultTreatment: 'off',
  baselineTreatment: 'off',
  trafficAllocation: 100,
  rules: [
    {
      buckets: [{ treatment: 'on', size: 100 }],
      condition: {
        combiner: 'AND' as const,
        matchers: [{ type: 'IN_LIST_STRING' as const, attribute: 'plan', strings: ['team'] }],
      },
    },
  ],
  defaultRule: [
    { treatment: 'on', size: 10 },
    { treatment: 'off', size: 90 },
  ],
  impressionsDisabled: false,
};
const definition = {
  id: ids.flag,
  name: 'new_checkout',
  environment: environmentReference,
  trafficType: trafficTypeReference,
  ...targeting,
  creationTime: at,
  lastUpdateTime: at,
};
const summary = {
  environment: environmentReference,
  killed: false,
  treatments: ['on', 'off'],
  defaultTreatment: 'off',
  trafficAllocation: 100,
  defaultRule: targeting.defaultRule,
  ruleCount: 1,
  lastUpdateTime: at,
};
const note = { title: 'Ramp up', comment: 'No errors since Monday' };

const flagSet = {
  id: '019b76da-a800-7000-8000-000000000041',
  name: 'mobile',
  description: 'What the apps ask for',
  workspace: { id: ids.project, type: 'workspace' as const },
  createdAt: '2026-01-01T00:00:00.000000Z',
  type: 'flag_set' as const,
};

const user = {
  id: ids.user,
  type: 'user',
  name: 'Ada',
  email: 'ada@example.com',
  status: 'ACTIVE',
  '2fa': false,
  groups: [{ id: ids.group, type: 'group' }],
} as const;
const invited = { ...user, name: 'ada', status: 'PENDING' } as const;
const group = { id: ids.group, name: 'Developers', description: 'Everybody who ships', type: 'group' } as const;

const keyShown = {
  organization: { type: 'Organization', id: ids.account },
  environments: [{ type: 'Environment', id: '<<GLOBAL>>' }],
  name: 'Continuous integration',
  createdBy: { type: 'user', id: ids.user },
  createdAt: at,
  apiKeyType: 'admin' as const,
  workspace: { type: 'workspace', id: ids.project },
  roles: ['API_FEATURE_FLAG_EDITOR'],
  type: 'api_key' as const,
  id: ids.key,
};
const keyListed = { ...keyShown, lastFour: 'x7Qe', lastUsedAt: at };

const restriction = {
  id: ids.project,
  type: 'restriction',
  resource: { id: ids.project, name: 'Default', type: 'workspace' },
  operations: { view: true },
  resourcePermissions: { view: [{ id: ids.administrators, name: 'Administrators', type: 'group' }] },
} as const;

const projectAccess = {
  id: ids.project,
  name: 'Default',
  view: { restricted: false, grantees: [] },
  edit: { restricted: true, grantees: [{ id: ids.group, name: 'Checkout', type: 'group' as const }] },
  ownersEdit: false,
  environments: [
    {
      id: ids.environment,
      name: 'Prod-Default',
      production: true,
      editors: { restricted: false, grantees: [] },
      killers: [{ id: ids.user, name: 'ana', type: 'user' as const }],
    },
  ],
};

const change = {
  id: '019b76da-a800-7000-8000-000000000061',
  type: 'audit_log',
  auditLogType: 'definition.killed',
  object: { type: 'definition', id: ids.flag, name: 'new_checkout' },
  workspaceId: ids.project,
  environmentId: ids.environment,
  editor: { type: 'user', id: ids.user, name: 'ada@example.com' },
  createdAt: at,
  ...note,
  before: { ...definition, killed: false },
  after: { ...definition, killed: true },
  transactionId: '40rjc6md58w',
} as const;

const session = {
  id: ids.session,
  user,
  administrator: false,
  permissions: [...permissionsOfPerson(false)] as (typeof permissions)[number][],
  projects: 'listed' as const,
  createdAt: at,
};
const password = 'a long sentence nobody else uses';

const page = <Item>(item: Item, limit: number) => ({ objects: [item], offset: 0, limit, totalCount: 1 });
const markerPage = <Item>(item: Item, limit: number) => ({
  ...{ data: [item], nextMarker: null, previousMarker: null, limit, count: 1 },
});
const replace = (path: string, value: unknown) => [{ op: 'replace' as const, path, value }];

export const examples: { readonly [Name in keyof Endpoints]: ExampleOf<Endpoints[Name]> } = {
  listProjects: { reply: page(project, 50) },
  createProject: {
    body: { name: 'Web shop', requiresTitleAndComments: false },
    reply: { ...project, name: 'Web shop' },
  },
  patchProject: { body: replace('/requiresTitleAndComments', false), reply: project },
  deleteProject: { reply: true },

  listEnvironments: { reply: [{ ...environmentReference, production: false }] },
  createEnvironment: {
    body: { name: 'qa', production: false },
    reply: { ...environment, workspaceIds: [ids.project], apiTokens: [...environment.apiTokens] },
  },
  patchEnvironment: {
    body: replace('/production', false),
    reply: { ...environment, name: 'Staging-Default', workspaceIds: [ids.project], apiTokens: [tokenLater] },
  },
  deleteEnvironment: { reply: true },

  listTrafficTypes: { reply: [trafficType] },
  createTrafficType: { body: { name: 'device' }, reply: trafficType },
  deleteTrafficType: { reply: true },

  listAttributes: { reply: [attribute] },
  saveAttribute: { body: attributeBody, reply: attribute },
  replaceAttribute: { body: attributeBody, reply: attribute },
  saveAttributes: { body: [attributeBody], reply: [attribute] },
  patchAttribute: { body: { suggestedValues: ['free', 'team', 'enterprise'] }, reply: attribute },
  deleteAttribute: { reply: true },

  listIdentities: { reply: markerPage(identity, 50) },
  getIdentity: { reply: identity },
  saveIdentities: {
    body: [identityBody],
    reply: { objects: [identity], failed: [], metadata: null, offset: null, limit: null, count: null, total: null },
  },
  replaceIdentity: { body: identityBody, reply: identity },
  patchIdentity: { body: { values: { seats: 12 } }, reply: identity },
  patchIdentityNamedInBody: { body: identityBody, reply: identity },
  patchIdentityByPost: { body: identityBody, reply: identity },
  deleteIdentity: { reply: true },
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
  uploadLargeSegment: { reply: { count: 2 } },
  submitChangeRequest: {
    body: { largeSegment: { name: 'loyalty_members' }, operationType: 'UPLOAD', title: 'Nightly export' },
    reply: changeRequest,
  },
  listChangeRequests: { reply: markerPage({ ...changeRequest, transactionMetadata: null }, 20) },
  getChangeRequest: { reply: { ...changeRequest, transactionMetadata: null } },

  listRolloutStatuses: { reply: rolloutStatuses },
  listRolloutStatusesOfProject: { reply: rolloutStatuses },

  listFlags: { reply: page({ ...readFlag, definitions: [summary] }, 20) },
  createFlag: { body: { name: flag.name, description: flag.description }, reply: { ...flag, tags: null } },
  getFlag: { reply: readFlag },
  listDependents: {
    reply: page({ flag: { id: ids.otherFlag, name: 'klarna_pay_later' }, environment: environmentReference }, 20),
  },
  patchFlag: { body: [{ op: 'add', path: '/tags/-', value: { name: 'checkout' } }], reply: flag },
  updateFlagDescription: { body: flag.description, reply: flag },
  associateTags: {
    body: ['checkout', 'web'],
    reply: {
      objects: ['checkout', 'web'].map((name) => ({ name, objectType: 'Split', objectName: flag.name })),
      ...{ offset: 0, limit: 20, totalCount: 2 },
    },
  },
  deleteFlag: { reply: true },

  listDefinitions: { reply: page(definition, 20) },
  createDefinition: { body: { ...targeting, title: 'First ramp', comment: 'A tenth' }, reply: definition },
  getDefinition: { reply: definition },
  replaceDefinition: { body: { ...targeting, ...note }, reply: definition },
  patchDefinition: {
    body: replace('/defaultRule', [
      { treatment: 'on', size: 50 },
      { treatment: 'off', size: 50 },
    ]),
    reply: {
      ...definition,
      defaultRule: [
        { treatment: 'on', size: 50 },
        { treatment: 'off', size: 50 },
      ],
    },
  },
  deleteDefinition: { reply: true },
  killDefinition: { body: note, reply: { ...definition, killed: true } },
  killDefinitionByPost: { body: note, reply: { ...definition, killed: true } },
  restoreDefinition: { body: note, reply: definition },
  restoreDefinitionByPost: { body: note, reply: definition },

  listFlagSets: { reply: { ...markerPage(flagSet, 50), objects: [flagSet] } },
  getFlagSet: { reply: flagSet },
  listFlagsInSet: {
    reply: page({ flag: { id: ids.otherFlag, name: 'klarna_pay_later' }, environment: environmentReference }, 20),
  },
  createFlagSet: {
    body: { name: flagSet.name, description: flagSet.description, workspace: { id: 'Default' } },
    reply: flagSet,
  },
  deleteFlagSet: { reply: true },

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

  inviteUser: { body: { email: user.email, groups: [] }, reply: { ...invited, groups: [] } },
  listUsers: { reply: markerPage({ ...user, groups: [...user.groups] }, 20) },
  getUser: { reply: { ...user, groups: [...user.groups] } },
  replaceUser: {
    body: { name: 'Ada', email: user.email, status: 'DEACTIVATED', '2fa': false, type: 'user' },
    reply: { ...user, status: 'DEACTIVATED', groups: [...user.groups] },
  },
  patchUser: { body: replace('/name', 'Ada'), reply: { ...user, groups: [...user.groups] } },
  deleteUser: { reply: true },

  listGroups: { reply: page(group, 50) },
  getGroup: { reply: group },
  createGroup: { body: { name: group.name, description: group.description }, reply: group },
  replaceGroup: { body: { name: group.name, description: group.description }, reply: group },
  deleteGroup: { reply: true },

  createApiKey: {
    body: {
      name: keyShown.name,
      apiKeyType: 'admin',
      workspace: { id: 'Default' },
      environments: [],
      roles: ['API_FEATURE_FLAG_EDITOR'],
    },
    reply: { ...keyShown, key: 'burgee_a_the-key-is-shown-only-here' },
  },
  listApiKeys: { reply: page(keyListed, 50) },
  getApiKey: { reply: keyListed },
  revokeApiKey: { reply: true },

  createSegment: { body: { name: segment.name, description: segment.description }, reply: segment },
  listSegments: { reply: page(segment, 20) },
  getSegment: { reply: segment },
  deleteSegment: { reply: true },
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

  listRestrictions: {
    reply: page({ ...restriction, resourcePermissions: { view: [...restriction.resourcePermissions.view] } }, 20),
  },
  replaceRestriction: {
    body: { resource: { id: 'Default', type: 'workspace' }, operations: { view: false } },
    reply: { ...restriction, operations: { view: false }, resourcePermissions: { view: [] } },
  },
  getProjectAccess: { reply: projectAccess },
  changeProjectAccess: {
    body: { edit: { restricted: true, grantees: [] }, ownersEdit: true },
    reply: { ...projectAccess, edit: { restricted: true, grantees: [] }, ownersEdit: true },
  },
  listGrantedRights: {
    reply: page({ project: { id: ids.project, name: 'Default' }, right: 'edit' as const, alone: false }, 20),
  },
  explainAccess: {
    reply: {
      ...page(
        {
          project: { id: ids.project, name: 'Default' },
          view: { may: true, reason: 'Everyone with an account can view this project.' },
          edit: { may: false, reason: 'Only Checkout can edit Default.' },
          ownersEdit: false,
          environments: [
            {
              id: ids.environment,
              name: 'Prod-Default',
              production: true,
              define: { may: false, reason: 'Only Checkout can edit Default.' },
              kill: { may: true, reason: 'Listed by name.' },
            },
          ],
        },
        20,
      ),
      user: { id: ids.user, name: 'ana', email: 'ana@example.com', status: 'ACTIVE' },
      administrator: false,
      groups: [],
      ask: 'Ask an administrator, for example Ana Ruiz.',
    },
  },

  listChanges: { reply: markerPage(change, 20) },
  getSdks: {
    reply: {
      serverTime: at + 60_000,
      connected: 1,
      sdks: [
        {
          ...{ sdk: 'nodejs-11.11.2', machine: 'checkout-7', key: { id: ids.key, lastFour: 'Zn6d' } },
          ...{ firstSeenAt: at, lastSeenAt: at + 59_000, streams: 1, streamingSince: at + 120 },
          fetch: { at, flags: 1, bytes: 2_048, milliseconds: 3 },
          readyMilliseconds: 120,
        },
      ],
      answers: [
        {
          ...{ flag: flag.name, key: 'user-4717', treatment: 'on', label: 'default rule' },
          ...{ at: at + 59_000, receivedAt: at + 59_400 },
        },
      ],
      refused: [],
    },
  },
  getRolloutHistory: {
    reply: {
      since: at,
      points: [
        {
          at,
          shares: [
            { treatment: 'on', size: 10 },
            { treatment: 'off', size: 90 },
          ],
        },
      ],
    },
  },

  getInvitation: { reply: { email: user.email, name: 'ada' } },
  acceptInvitation: { body: { name: 'Ada', password }, reply: { ...session, user: { ...user, groups: [] } } },
  resendInvitation: { reply: { ...invited, groups: [...user.groups] } },
  listOutbox: {
    reply: [
      {
        id: '019b76da-a800-7000-8000-000000000051',
        kind: 'invitation',
        email: user.email,
        path: '/invitation?token=Vb8nQ2yTz6LrWf4Xk1HsPd0c',
        createdAt: at,
        expiresAt: at + 604_800_000,
        attempts: 0,
      },
    ],
  },
  signIn: { body: { email: user.email, password }, reply: { ...session, user: { ...user, groups: [] } } },
  getSession: { reply: { ...session, user: { ...user, groups: [] } } },
  signOut: { reply: true },
  listSessions: {
    reply: [{ id: ids.session, current: true, address: '192.0.2.7', agent: 'Firefox', createdAt: at, lastSeenAt: at }],
  },
  endSession: { reply: true },
  changePassword: {
    body: { current: 'the sentence that was used so far', next: password },
    reply: { ...session, user: { ...user, groups: [] } },
  },
  requestPasswordReset: { body: { email: user.email }, reply: true },
  getPasswordReset: { reply: { email: user.email, name: 'Ada' } },
  resetPassword: { body: { password }, reply: true },
  offerTwoFactor: {
    body: { password },
    reply: { secret: 'JBSWY3DPEHPK3PXP', uri: 'otpauth://totp/Burgee:ada@example.com', qr: '<svg></svg>' },
  },
  confirmTwoFactor: { body: { code: '123456' }, reply: { recoveryCodes: ['4f9k-2m7q-x8tz'] } },
  removeTwoFactor: { body: { password }, reply: true },
  getSetup: { reply: { required: false } },
  completeSetup: {
    body: { token: 'Vb8nQ2yTz6LrWf4Xk1HsPd0c', email: user.email, name: 'Ada', password },
    reply: { ...session, administrator: true, projects: 'all', user: { ...user, groups: [] } },
  },

  getHealth: { reply: { status: 'ok', version: '0.2.0' } },
  getReadiness: { reply: { status: 'ready' } },
};
