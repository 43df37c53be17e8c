import { defaultPolicy } from '#domain/cleanup.ts';
import { defaultRolloutStatuses } from '#domain/default-rollout-statuses.ts';
import type * as changesContract from '../changes.ts';
import type * as cleanupContract from '../cleanup.ts';
import type * as codeReferencesContract from '../code-references.ts';
import type * as definitionsContract from '../definitions.ts';
import type * as flagSetsContract from '../flag-sets.ts';
import type * as flagsContract from '../flags.ts';
import type * as rolloutStatusesContract from '../rollout-statuses.ts';
import type * as rolloutsContract from '../rollouts.ts';
import type * as sdksContract from '../sdks.ts';
import type * as trafficContract from '../traffic.ts';
import type * as viewsContract from '../views.ts';
import {
  at,
  type ExamplesOf,
  environmentReference,
  ids,
  markerPage,
  page,
  replace,
  trafficTypeReference,
} from './values.ts';

const rolloutStatus = { id: ids.status, ...defaultRolloutStatuses[0] };
const rolloutStatuses = [rolloutStatus];
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
  digest: 'p1zXtYq0hN8vKm3C',
  lastUpdateTime: at,
};

const note = { title: 'Ramp up', comment: 'No errors since Monday' };
const view = {
  id: '019b76da-a800-7000-8000-000000000042',
  name: 'Ramping',
  shared: true,
  query: 'status=Ramping&sort=-changed',
  columns: ['created', '-tags'],
};
const flagSet = {
  id: '019b76da-a800-7000-8000-000000000041',
  name: 'mobile',
  description: 'What the apps ask for',
  workspace: { id: ids.project, type: 'workspace' as const },
  createdAt: '2026-01-01T00:00:00.000000Z',
  type: 'flag_set' as const,
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

export const flagExamples: ExamplesOf<
  typeof flagsContract &
    typeof definitionsContract &
    typeof flagSetsContract &
    typeof viewsContract &
    typeof rolloutStatusesContract &
    typeof rolloutsContract &
    typeof changesContract &
    typeof sdksContract &
    typeof trafficContract &
    typeof cleanupContract &
    typeof codeReferencesContract
> = {
  listFlags: { reply: page({ ...readFlag, lastUpdateTime: at, definitions: [summary] }, 20) },
  countFlags: {
    reply: {
      totalCount: 2,
      rolloutStatus: [{ id: flag.rolloutStatus.id, count: 2 }],
      trafficType: [{ id: flag.trafficType.id, count: 2 }],
      owner: [{ id: ids.user, type: 'user', count: 1 }],
      tag: [{ name: 'checkout', count: 2 }],
      state: [
        { state: 'killed', count: 0 },
        { state: 'undefined', environment: environmentReference, count: 1 },
      ],
      traffic: [
        { traffic: 'never', count: 1 },
        { traffic: 'quiet-30d', environment: environmentReference, count: 0 },
      ],
    },
  },
  listDrift: {
    reply: {
      ...page(
        {
          id: ids.flag,
          name: flag.name,
          lastUpdateTime: at,
          kinds: ['share' as const],
          share: 75,
          definitions: [summary],
        },
        50,
      ),
      base: environmentReference,
      flagCount: 512,
      counts: { killed: 0, defined: 0, targeting: 0, share: 1 },
    },
  },
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
      offset: 0,
      limit: 20,
      totalCount: 2,
    },
  },
  deleteFlag: { reply: true },
  duplicateFlag: {
    body: { name: 'new_checkout_2', environments: ['Staging'], owners: true },
    reply: { ...flag, name: 'new_checkout_2' },
  },
  archiveFlag: { body: { comment: 'Not needed for now' }, reply: { ...flag, archivedAt: flag.creationTime } },
  unarchiveFlag: { body: { comment: 'Needed again' }, reply: flag },
  listCleanup: {
    reply: {
      ...page(
        {
          id: ids.flag,
          name: flag.name,
          group: 'code',
          creationTime: at,
          rolloutStatus: flag.rolloutStatus,
          owners: [{ id: ids.user, type: 'user' }],
          treatment: 'on',
          treatmentSince: at,
          killedIn: [],
          definedIn: [environmentReference],
          lastTrafficReceivedAt: at,
          isSilent: false,
          unknownSegments: [],
          pastDates: [],
          codeReferences: 2,
          calls: { perDay: [0, 84_000], treatments: ['on'] },
          askers: [{ sdk: 'nodejs-11.11.2', machine: 'checkout-7', lastAt: at }],
        },
        50,
      ),
      policy: { ...defaultPolicy, environmentIds: [] },
      environments: [environmentReference],
      counts: { safe: 0, code: 1, killed: 0, rules: 0, kept: 0, 'in-use': 12 },
    },
  },
  changeCleanupPolicy: {
    body: { ...defaultPolicy, environmentIds: [] },
    reply: { ...defaultPolicy, environmentIds: [] },
  },
  keepFlag: {
    body: { note: 'Needed again in December' },
    reply: { note: 'Needed again in December', keptAt: at, keptBy: 'ana@example.com' },
  },
  unkeepFlag: { reply: true },
  reportCode: {
    body: {
      repository: 'acme/shop',
      branch: 'main',
      commit: '4f1d0c2',
      urlPattern: 'https://github.com/acme/shop/blob/{commit}/{path}#L{line}',
      references: [{ flag: flag.name, path: 'src/cart.ts', line: 12, excerpt: 'if (isOn(flag)) {' }],
    },
    reply: { references: 1 },
  },
  getFlagCode: {
    reply: {
      reports: [
        {
          repository: 'acme/shop',
          branch: 'main',
          commit: '4f1d0c2',
          reportedAt: at,
          references: [
            {
              path: 'src/cart.ts',
              line: 12,
              excerpt: 'if (isOn(flag)) {',
              url: 'https://github.com/acme/shop/blob/4f1d0c2/src/cart.ts#L12',
            },
          ],
        },
      ],
    },
  },
  undeleteFlag: { body: { comment: 'Deleted by mistake' }, reply: flag },

  listDefinitions: { reply: page(definition, 20) },
  createDefinition: { body: { ...targeting, title: 'First ramp', comment: 'A tenth' }, reply: definition },
  getDefinition: { reply: definition },
  replaceDefinition: { body: { ...targeting, ...note }, reply: definition },
  undeleteDefinition: { body: { comment: 'Removed by mistake' }, reply: definition },
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

  listViews: {
    reply: [
      view,
      { ...view, id: '019b76da-a800-7000-8000-000000000043', name: 'Mine', shared: false, query: `owner=${ids.user}` },
    ],
  },
  saveSharedView: { body: { query: view.query, columns: view.columns }, reply: view },
  deleteSharedView: { reply: true },
  saveOwnView: { body: { query: view.query, columns: view.columns }, reply: { ...view, shared: false } },
  deleteOwnView: { reply: true },

  listRolloutStatuses: { reply: rolloutStatuses },
  listRolloutStatusesOfProject: { reply: rolloutStatuses },
  createRolloutStatus: {
    body: { name: 'Waiting for legal', description: 'Legal has not agreed yet.' },
    reply: { id: ids.status, name: 'Waiting for legal', description: 'Legal has not agreed yet.', permanent: false },
  },
  updateRolloutStatus: {
    body: { name: 'Not in production yet' },
    reply: { ...rolloutStatus, name: 'Not in production yet', permanent: false },
  },
  moveRolloutStatus: { body: { before: null }, reply: rolloutStatuses },
  deleteRolloutStatus: { reply: true },

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
          killed: false,
          allocation: 100,
          defaultTreatment: 'off',
        },
      ],
      changes: [
        { id: change.id, at, action: 'definition.patched', editor: change.editor, title: 'Ramp to 10%', count: 1 },
      ],
      leftOut: 0,
    },
  },
  listChanges: { reply: markerPage(change, 20) },
  downloadChanges: { reply: JSON.stringify(change) },
  getChangesCalendar: {
    reply: { days: [{ day: '2026-11-15', count: 14, production: 3, kills: 1, isPartial: false }] },
  },

  getFlagTraffic: {
    reply: {
      from: at,
      stepMilliseconds: 3_600_000,
      lastTrafficReceivedAt: at + 59_400,
      evaluations: 4,
      series: [{ treatment: 'on', label: 'default rule', counts: [1, 3] }],
      rules: [
        {
          label: 'default rule',
          evaluations: 4,
          treatments: [{ treatment: 'on', evaluations: 4, measured: 100, expected: 100 }],
        },
      ],
      askers: [{ sdk: 'nodejs-11.11.2', machine: 'checkout-7', lastAt: at + 59_400 }],
    },
  },
  getImpressions: {
    reply: {
      nodes: 1,
      impressions: [
        {
          key: 'user-4717',
          treatment: 'on',
          label: 'default rule',
          at: at + 59_000,
          receivedAt: at + 59_400,
          sdk: 'nodejs-11.11.2',
          machine: 'checkout-7',
        },
      ],
    },
  },
  getProjectTraffic: {
    reply: {
      from: at,
      stepMilliseconds: 3_600_000,
      traffic: [
        { flagId: ids.flag, environmentId: ids.environment, lastTrafficReceivedAt: at + 59_400, counts: [1, 3] },
      ],
    },
  },
  getEvents: {
    reply: {
      from: at,
      stepMilliseconds: 3_600_000,
      eventTypes: [
        {
          trafficType: 'user',
          eventType: 'checkout.paid',
          lastReceivedAt: at + 59_400,
          events: 2,
          counts: [0, 2],
          values: { count: 2, mean: 19.5, standardDeviation: 0.5 },
        },
      ],
    },
  },
  getRecentKeys: { reply: { keys: ['user-4717'] } },
  getConvergence: {
    reply: {
      serverTime: at + 60_000,
      changeNumber: at,
      instances: 1,
      converged: 1,
      percent: 100,
      isReached: true,
      arrivals: [140],
      stragglers: [],
      silent: 0,
      silentSdks: [],
      clients: 0,
    },
  },
  getSdks: {
    reply: {
      serverTime: at + 60_000,
      connected: 1,
      clients: 0,
      sdks: [
        {
          sdk: 'nodejs-11.11.2',
          machine: 'checkout-7',
          key: { id: ids.key, lastFour: 'Zn6d' },
          firstSeenAt: at,
          lastSeenAt: at + 59_000,
          streams: 1,
          streamingSince: at + 120,
          fetch: { at, flags: 1, bytes: 2_048, milliseconds: 3 },
          ip: '10.4.12.31',
          readyMilliseconds: 120,
          pollMilliseconds: 60_000,
          spec: '1.3',
          changeNumber: at,
          changeNumberSince: at + 140,
          lagMilliseconds: 140,
        },
      ],
      answers: [
        {
          flag: flag.name,
          key: 'user-4717',
          treatment: 'on',
          label: 'default rule',
          at: at + 59_000,
          receivedAt: at + 59_400,
        },
      ],
      refused: [],
    },
  },
};
