import { Type } from 'typebox';
import { Convergence } from '#domain/sdks.ts';
import { EventTraffic, FlagTraffic, ProjectTraffic, Range, RecentImpression } from '#domain/traffic.ts';
import { endpoint } from './endpoint.ts';

const access = { needs: 'definition.read', scope: 'environment' } as const;
const ofFlag = '/splits/ws/:project/:flag/environments/:environment';
const ofEnvironment = '/environments/ws/:project/:environment';
const RangeQuery = Type.Object({ range: Type.Optional(Range) });

export const getFlagTraffic = endpoint({
  method: 'GET',
  path: `${ofFlag}/traffic`,
  summary: 'Get the evaluations of a flag',
  description:
    'How often SDKs evaluated the flag, by treatment and rule, and the measured share of each treatment beside the ' +
    'expected one. Without `range`, of the last 24 hours. Counts are written every five seconds. An addition to the ' +
    'vendor’s API.',
  access,
  query: RangeQuery,
  reply: FlagTraffic,
  showsHousekeeping: true,
  problems: [],
});

export const getImpressions = endpoint({
  method: 'GET',
  path: `${ofFlag}/impressions`,
  summary: 'Get recent impressions of a flag',
  description:
    'The last 200 that SDKs reported to this node, and some of the last that they reported to others, newest first; ' +
    'filters are combined with AND. From memory: it begins empty when a node starts. An addition to the vendor’s API.',
  access,
  query: Type.Object({
    key: Type.Optional(Type.String({ maxLength: 250, description: 'part of the key' })),
    treatment: Type.Optional(Type.String({ maxLength: 250, description: 'the whole treatment' })),
    label: Type.Optional(Type.String({ maxLength: 250, description: 'the whole label' })),
  }),
  reply: Type.Object({
    nodes: Type.Integer({ description: 'this node, and the others that SDKs of the environment talk to' }),
    impressions: Type.Array(RecentImpression),
  }),
  showsHousekeeping: true,
  problems: [],
});

export const getProjectTraffic = endpoint({
  method: 'GET',
  path: '/traffic/ws/:project',
  summary: 'Get the evaluations of all flags in short',
  description:
    'For lists: of each flag in each environment, when SDKs last reported an evaluation, and the evaluations of the last ' +
    '24 hours by hour. An addition to the vendor’s API.',
  access: { needs: 'flag.read', scope: 'project' },
  query: Type.Object({
    environmentId: Type.Optional(Type.String({ maxLength: 255, description: 'only this environment' })),
    flagId: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), { maxItems: 50, description: 'repeatable: only these flags' }),
    ),
  }),
  reply: ProjectTraffic,
  showsHousekeeping: true,
  problems: ['too_many_large_responses'],
});

export const getEvents = endpoint({
  method: 'GET',
  path: `${ofEnvironment}/events`,
  summary: 'Get the events of an environment',
  description:
    'How many events of each type applications tracked. Without `range`, in the last 24 hours. An addition to the ' +
    'vendor’s API.',
  access,
  query: RangeQuery,
  reply: EventTraffic,
  showsHousekeeping: true,
  problems: [],
});

export const getRecentKeys = endpoint({
  method: 'GET',
  path: `${ofEnvironment}/keys`,
  summary: 'Get recent keys of an environment',
  description:
    'Keys that flags were evaluated for, last seen first: up to 10,000 that SDKs reported to this node. From memory. An ' +
    'addition to the vendor’s API.',
  access,
  query: Type.Object({ text: Type.Optional(Type.String({ maxLength: 250, description: 'part of the key' })) }),
  reply: Type.Object({ keys: Type.Array(Type.String()) }),
  showsHousekeeping: true,
  problems: [],
});

const maxTimeoutSeconds = 60;

export const getConvergence = endpoint({
  method: 'GET',
  path: `${ofEnvironment}/convergence`,
  summary: 'Wait until SDKs have a change',
  description:
    'How many of the connected SDKs have the flags up to a change. With `timeout`, the reply is sent when `min` percent ' +
    'have it, or after that time: check `isReached`. An addition to the vendor’s API.',
  access,
  query: Type.Object({
    changeNumber: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'default: that of the last flag change in the environment',
      }),
    ),
    min: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: 'percent of the SDKs; default 100' })),
    timeout: Type.Optional(
      Type.Integer({ minimum: 0, maximum: maxTimeoutSeconds, description: 'in seconds; default 0: does not wait' }),
    ),
  }),
  reply: Convergence,
  showsHousekeeping: true,
  problems: ['too_many_waiting', 'unavailable'],
});
