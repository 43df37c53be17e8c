/** The requests of the matrix: one for every endpoint, and more where a query or a body can name objects. */
import assert from 'node:assert/strict';
import { accountContract, contract } from '#contract/all.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { accountPrefix, prefix } from '#contract/parts.ts';
import { defaultPolicy } from '#domain/cleanup.ts';
import type { Calls } from './app.ts';
import { aDefinition, aSetName, uniqueName } from './build.ts';
import type { Principal, Side } from './isolation-world.ts';
import { requestsTo, type Target } from './requests.ts';
import { ways } from './written-access.ts';

/** What a word of a request names. */
export type Kind =
  | 'project'
  | 'environment'
  | 'flag'
  | 'segment'
  | 'trafficType'
  | 'flagSet'
  | 'changeRequest'
  | 'changeset'
  | 'rolloutStatus'
  | 'actor'
  | 'user'
  | 'group'
  | 'key';

type BuildAt = (side: Side) => Promise<Target>;

export interface Shape {
  readonly build: BuildAt;
  /** Where beside the path a thing is named: `query/<name>` or `body/<pointer>`. */
  readonly slots: Readonly<Record<string, Kind>>;
  /** The status of a permitted request, if not 200. */
  readonly status?: number;
  /** Whether the principal may use the endpoint, but is refused with 403 for what this request is about. */
  readonly lacking?: (principal: Principal) => boolean;
  /** Status and message for those whose permission is not enough here; without a message, any. */
  readonly refusal?: (principal: Principal) => readonly [status: number, message?: string] | undefined;
}

export interface Tried {
  /** `part.name` in the contract. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly base: string;
  /** As it is written down, not as the contract declares it. */
  readonly needs: string;
  readonly width: string;
  readonly shapes: readonly Shape[];
}

/** Every endpoint that asks for a permission. Reads come first: what writes make is open to everybody. */
export function triedEndpoints(api: Calls): Tried[] {
  const ofAdminApi = requestsTo(api);
  const requests: Record<string, Record<string, BuildAt>> = {
    ...ofAdminApi,
    accounts: ofAccounts(api),
    rights: {
      explainAccess: async () => ({}),
      listGrantedRights: async () => ({ query: { type: 'user', id: 'nobody' } }),
    },
    live: {
      announceEditing: async (place) => ({
        ...(await ofAdminApi.definitions.getDefinition(place)),
        body: { editing: true },
      }),
    },
  };
  const written = new Map(
    ways
      .trim()
      .split('\n')
      .map((line) => [line.split(' ').slice(0, 2).join(' '), line.split(' ')]),
  );
  const all = Object.entries({ ...contract, ...accountContract }).flatMap(([part, endpoints]) =>
    Object.entries<Endpoint>(endpoints).flatMap(([name, endpoint]) => {
      const [, , needs = '', width] = written.get(`${endpoint.method} ${endpoint.path}`) ?? [];
      if (width === undefined) return [];
      const build = requests[part]?.[name] ?? assert.fail(`no request for ${name}`);
      // `requestOf` adds an endpoint's own base.
      const base = endpoint.base !== undefined ? '' : part in accountContract ? accountPrefix : prefix;
      return [{ name: `${part}.${name}`, endpoint, base, needs, width, shapes: shapesOf(api, { part, name, build }) }];
    }),
  );
  // Announcing stores nothing, so it is tried while the lists are as they were made.
  const isWrite = ({ endpoint, name }: Tried) => Number(endpoint.method !== 'GET' && name !== 'live.announceEditing');
  return all.sort((a, b) => isWrite(a) - isWrite(b));
}

const ofAccounts = (api: Calls): Record<string, BuildAt> => ({
  resendInvitation: async () => ({
    params: { user: (await api.post('/users', { email: `${uniqueName('again')}@example.com` })).body.id },
  }),
  listOutbox: async () => ({}),
});

function shapesOf(api: Calls, { part, name, build }: { part: string; name: string; build: BuildAt }): Shape[] {
  const { instead, further } = shapes(api)[name] ?? {};
  const all = [instead ?? { build, slots: {} }, ...(further ?? [])];
  const refusal = /^(list|create|submit)/.test(name) ? undefined : aboutWhat[part];
  return refusal ? all.map((shape) => ({ refusal, ...shape })) : all;
}

/** Those of the tests are about a flag, or about a segment. They are there only for those who read that. */
const aboutWhat: Readonly<Record<string, Shape['refusal']>> = {
  changesets: ({ may }) => (reads(may, 'definition.read') ? undefined : [404]),
  schedules: ({ may }) => (reads(may, 'definition.read') ? undefined : [404]),
  changeRequests: ({ may }) => (reads(may, 'segment.read') ? undefined : [404]),
};

const reads = (may: Principal['may'], permission: string): boolean =>
  may === '*' || may?.split(' ').includes(permission) === true;

const naming = (slot: string, kind: Kind, build: (side: Side) => Target | Promise<Target>): Shape => ({
  build: async (side) => build(side),
  slots: { [slot]: kind },
});

const askingFor = (splitName: string) => ({
  buckets: [{ treatment: 'on', size: 100 }],
  condition: { matchers: [{ type: 'IN_SPLIT', depends: { splitName, treatments: ['on'] } }] },
});
const dependsAt = (place: string) => `body/${place}/condition/matchers/0/depends/splitName`;

/** By endpoint: what replaces its request, and what is asked besides. */
function shapes(api: Calls): Readonly<Record<string, { instead?: Shape; further?: readonly Shape[] }>> {
  const { flags, rolloutStatuses, definitions, ruleBasedSegments, segments, changeRequests, changesets } =
    requestsTo(api);
  return {
    listProjects: {
      further: [naming('query/projectIdentifier', 'project', ({ id }) => ({ query: { projectIdentifier: id } }))],
    },
    moveEnvironment: {
      instead: naming('body/before', 'environment', ({ environment }) => ({ body: { before: environment.id } })),
    },
    // The project is in use, as the one that may delete it is told.
    deleteProject: { instead: { build: async () => ({}), slots: {}, status: 400 } },
    listRolloutStatuses: { instead: naming('query/wsId', 'project', ({ id }) => ({ query: { wsId: id } })) },
    moveRolloutStatus: {
      instead: naming('body/before', 'rolloutStatus', async (side) => ({
        ...(await rolloutStatuses.moveRolloutStatus(side)),
        body: { before: side.rolloutStatus },
      })),
    },
    deleteRolloutStatus: {
      further: [
        naming('query/moveTo', 'rolloutStatus', async (side) => ({
          ...(await rolloutStatuses.deleteRolloutStatus(side)),
          query: { moveTo: side.rolloutStatus },
        })),
      ],
    },
    listFlags: {
      further: [
        naming('query/id', 'flag', ({ flag }) => ({ query: { id: flag.id } })),
        naming('query/rolloutStatus', 'rolloutStatus', (side) => ({ query: { rolloutStatus: side.rolloutStatus } })),
        { build: async () => ({ query: { expand: 'environments' } }), slots: {} },
        { build: async () => ({ query: { tag: 'everywhere' } }), slots: {} },
        { build: async () => ({ query: { sort: 'changed', order: 'desc', limit: '50' } }), slots: {} },
        { build: async () => ({ query: { sort: 'traffic', traffic: 'never' } }), slots: {} },
      ],
    },
    search: {
      // Every name that a foreign answer would show.
      further: [{ build: async () => ({ query: { text: 'mark' } }), slots: {} }],
    },
    countFlags: {
      further: [
        naming('query/id', 'flag', ({ flag }) => ({ query: { id: flag.id } })),
        naming('query/rolloutStatus', 'rolloutStatus', (side) => ({ query: { rolloutStatus: side.rolloutStatus } })),
      ],
    },
    listDrift: {
      further: [
        naming('query/base', 'environment', ({ environment }) => ({ query: { base: environment.id } })),
        naming('query/environment', 'environment', ({ environment }) => ({ query: { environment: environment.id } })),
      ],
    },
    getProjectTraffic: {
      further: [
        naming('query/environmentId', 'environment', ({ environment }) => ({
          query: { environmentId: environment.id },
        })),
        naming('query/flagId', 'flag', ({ flag }) => ({ query: { flagId: flag.id } })),
      ],
    },
    changeCleanupPolicy: {
      instead: naming('body/environmentIds/0', 'environment', ({ environment }) => ({
        body: { ...defaultPolicy, environmentIds: [environment.id] },
      })),
    },
    getFlag: {
      further: [
        { build: async ({ flag }) => ({ params: { flag: flag.id }, query: { expand: 'definitions' } }), slots: {} },
      ],
    },
    listDependents: {
      further: [
        naming('query/environmentId', 'environment', async (side) => ({
          ...(await flags.listDependents(side)),
          query: { environmentId: side.environment.id },
        })),
      ],
    },
    listSegments: {
      further: [
        { build: async () => ({ query: { expand: 'environments', kind: 'all' } }), slots: {} },
        naming('query/names', 'segment', async (side) => ({
          query: { names: (await segments.getSegment(side)).params?.segment ?? '' },
        })),
        { build: async () => ({ query: { used: 'false', kind: 'all' } }), slots: {} },
        naming('query/environmentId', 'environment', ({ environment }) => ({
          query: { environmentId: environment.id, kind: 'all' },
        })),
      ],
    },
    listSegmentUsers: {
      further: [
        naming('query/environmentId', 'environment', async (side) => ({
          ...(await segments.listSegmentUsers(side)),
          query: { environmentId: side.environment.id },
        })),
      ],
    },
    submitChangeRequest: {
      instead: {
        ...naming('body/largeSegment/name', 'segment', changeRequests.submitChangeRequest),
        lacking: ({ may }) => !reads(may, 'segment.read'),
      },
      further: [
        {
          ...naming('body/split/name', 'flag', async (side) => {
            const { params } = await definitions.killDefinition(side);
            return { body: { split: { name: params?.flag }, operationType: 'KILL' } };
          }),
          lacking: ({ may }) => !reads(may, 'definition.read'),
        },
        {
          ...naming('body/rolloutStatus/id', 'rolloutStatus', async (side) => {
            const { params } = await definitions.killDefinition(side);
            const rolloutStatus = { id: side.rolloutStatus };
            return { body: { split: { name: params?.flag }, operationType: 'KILL', rolloutStatus } };
          }),
          // The status is of the flag, in all environments.
          lacking: ({ may, width }) => width === 'environment' || !reads(may, 'definition.read'),
        },
      ],
    },
    submitKeyFile: {
      instead: {
        ...naming('body/segmentName', 'segment', changeRequests.submitKeyFile),
        lacking: ({ may }) => !reads(may, 'segment.read'),
      },
    },
    listChangeRequests: {
      further: [
        { build: async () => ({ query: { status: 'PUBLISHED', limit: '200' } }), slots: {} },
        naming('query/environmentId', 'environment', ({ environment }) => ({
          query: { environmentId: environment.id, status: 'PUBLISHED', limit: '200' },
        })),
      ],
    },
    duplicateFlag: {
      further: [
        naming('body/environments/0', 'environment', async (side) => ({
          ...(await definitions.getDefinition(side)),
          body: { name: uniqueName('copy'), environments: [side.environment.id] },
        })),
      ],
    },
    patchFlag: {
      further: [
        naming('body/0/value', 'rolloutStatus', async (side) => ({
          ...(await flags.patchFlag(side)),
          body: [{ op: 'replace', path: '/rolloutStatus/id', value: side.rolloutStatus }],
        })),
        naming('body/0/value/id', 'user', async (side) => ({
          ...(await flags.patchFlag(side)),
          body: [{ op: 'add', path: '/owners/-', value: { id: await aColleague(api, side), type: 'user' } }],
        })),
      ],
    },
    createDefinition: {
      further: [
        naming(dependsAt('rules/0'), 'flag', async (side) => ({
          ...(await definitions.createDefinition(side)),
          body: aDefinition({ rules: [askingFor(side.flag.name)] }),
        })),
      ],
    },
    replaceDefinition: {
      further: [
        naming(dependsAt('rules/0'), 'flag', async (side) => ({
          ...(await definitions.replaceDefinition(side)),
          body: aDefinition({ rules: [askingFor(side.flag.name)] }),
        })),
      ],
    },
    patchDefinition: {
      further: [
        naming(dependsAt('0/value'), 'flag', async (side) => ({
          ...(await definitions.patchDefinition(side)),
          body: [{ op: 'add', path: '/rules/-', value: askingFor(side.flag.name) }],
        })),
      ],
    },
    replaceRuleBasedDefinition: {
      further: [
        naming(dependsAt('rules/0'), 'flag', async (side) => ({
          ...(await ruleBasedSegments.replaceRuleBasedDefinition(side)),
          body: { rules: [askingFor(side.flag.name)] },
        })),
      ],
    },
    listFlagSets: {
      instead: naming('query/workspace_id', 'project', ({ id }) => ({ query: { workspace_id: id } })),
    },
    createChangeset: {
      instead: {
        slots: { 'body/workspace/id': 'project', 'body/operations/0/environment': 'environment' },
        build: changesets.createChangeset,
        lacking: ({ may }) => !reads(may, 'definition.read'),
      },
      further: [
        {
          slots: { 'body/workspace/id': 'project', 'body/operations/0/flag': 'flag' },
          lacking: ({ may }) => !reads(may, 'definition.read'),
          build: async ({ id, flag }) => ({
            body: {
              workspace: { id },
              operations: [
                {
                  flag: flag.id,
                  edit: { kind: 'patch', operations: [{ op: 'test', path: '/description', value: '' }] },
                },
              ],
            },
          }),
        },
      ],
    },
    // Nobody can approve what needs no approval, as those who see it are told.
    approveChangeset: { instead: { build: changesets.approveChangeset, slots: {}, status: 403 } },
    askForChanges: { instead: { build: changesets.askForChanges, slots: {}, status: 403 } },
    rejectChangeset: { instead: { build: changesets.rejectChangeset, slots: {}, status: 403 } },
    listChangesets: {
      instead: naming('query/workspaceId', 'project', ({ id }) => ({ query: { workspaceId: id } })),
    },
    createFlagSet: {
      instead: naming('body/workspace/id', 'project', ({ id }) => ({ body: { name: aSetName(), workspace: { id } } })),
    },
    listUsers: {
      further: [
        naming('query/group_id', 'group', ({ viewers }) => ({ query: { group_id: idOf(viewers[2]), limit: '200' } })),
      ],
    },
    getUser: {
      instead: { build: async ({ viewer }) => ({ params: { user: viewer } }), slots: {} },
      further: [{ build: async ({ groupViewer }) => ({ params: { user: groupViewer } }), slots: {} }],
    },
    inviteUser: {
      further: [
        naming('body/groups/0', 'group', ({ viewers }) => ({
          body: { email: `${uniqueName('guest')}@example.com`, groups: [idOf(viewers[2])] },
        })),
      ],
    },
    createApiKey: {
      instead: naming('body/workspace/id', 'project', ({ id }) => ({
        body: { name: 'new', apiKeyType: 'admin', workspace: { id } },
      })),
      further: [
        {
          slots: {},
          build: async () => ({ body: { name: 'new', apiKeyType: 'admin' } }),
          refusal: ({ width }) =>
            width === 'account' ? undefined : [403, 'A key cannot create a key with a wider scope than its own'],
        },
        {
          slots: { 'body/workspace/id': 'project', 'body/environments/0/id': 'environment' },
          build: async ({ id, environment }) => ({
            body: { name: 'new', apiKeyType: 'client_side', workspace: { id }, environments: [{ id: environment.id }] },
          }),
        },
      ],
    },
    listRestrictions: {
      instead: naming('query/resource_id', 'project', ({ id }) => ({
        query: { resource_type: 'workspace', resource_id: id },
      })),
    },
    replaceRestriction: {
      instead: {
        slots: {
          'body/resource/id': 'project',
          ...granteesAt('body/resourcePermissions/view'),
          ...granteesAt('body/resourcePermissions/edit'),
        },
        build: async (side) => ({
          body: {
            resource: { type: 'workspace', id: side.id },
            operations: { view: true },
            resourcePermissions: { view: await granteesOf(api, side), edit: await granteesOf(api, side) },
          },
        }),
      },
    },
    changeProjectAccess: {
      instead: {
        slots: { ...granteesAt('body/view/grantees'), ...granteesAt('body/edit/grantees') },
        build: async (side) => ({
          body: { view: { grantees: await granteesOf(api, side) }, edit: { grantees: await granteesOf(api, side) } },
        }),
      },
      further: [
        {
          slots: {
            'body/environments/0/id': 'environment',
            ...granteesAt('body/environments/0/editors/grantees'),
            ...granteesAt('body/environments/0/killers'),
            ...granteesAt('body/environments/0/approvals/approvers/grantees'),
            ...granteesAt('body/environments/0/approvals/skippers'),
          },
          build: async (side) => {
            const [editors, killers, approvers, skippers] = [
              await granteesOf(api, side),
              await granteesOf(api, side),
              await granteesOf(api, side),
              await granteesOf(api, side),
            ];
            const approvals = { approvers: { grantees: approvers }, skippers };
            return {
              body: { environments: [{ id: side.environment.id, editors: { grantees: editors }, killers, approvals }] },
            };
          },
        },
      ],
    },
    createEnvironment: {
      further: [
        {
          slots: {
            ...granteesAt('body/changePermissions/editors'),
            ...granteesAt('body/changePermissions/killers'),
            ...granteesAt('body/changePermissions/approvers'),
            ...granteesAt('body/changePermissions/approvalSkippableBy'),
          },
          build: async (side) => {
            const changePermissions = {
              editors: await granteesOf(api, side),
              killers: await granteesOf(api, side),
              approvers: await granteesOf(api, side),
              approvalSkippableBy: await granteesOf(api, side),
            };
            return { body: { name: uniqueName('new'), changePermissions } };
          },
        },
      ],
    },
    patchEnvironment: {
      further: [
        {
          slots: granteesAt('body/0/value'),
          build: async (side) => ({
            body: [{ op: 'replace', path: '/changePermissions/editors', value: await granteesOf(api, side) }],
          }),
        },
      ],
    },
    listGrantedRights: {
      further: (['user', 'group', 'key'] as const).map((kind) => ({
        slots: { 'query/id': kind },
        build: async (side) => {
          const [, aUser, aGroup, aKey] = await granteesOf(api, side);
          const listed = { user: aUser, group: aGroup, key: aKey }[kind];
          return { query: { type: kind === 'key' ? 'api_key' : kind, id: idOf(listed), limit: '50' } };
        },
      })),
    },
    explainAccess: {
      instead: {
        // A key is no user, so there is nothing to say of it.
        refusal: ({ isPerson }) => (isPerson ? undefined : [404]),
        slots: {},
        build: async () => ({ query: { limit: '50' } }),
      },
      further: [
        {
          ...naming('query/user', 'user', async (side) => ({ query: { user: await aColleague(api, side) } })),
          refusal: unlessGranting,
        },
        {
          slots: { 'query/user': 'user', 'query/project': 'project' },
          build: async (side) => ({ query: { user: await aColleague(api, side), project: side.id } }),
          refusal: unlessGranting,
        },
      ],
    },
    listChanges: { further: namingInTheLog(changesets.getChangeset, { limit: '200' }) },
    downloadChanges: { further: namingInTheLog(changesets.getChangeset, { format: 'ndjson' }) },
    getChangesCalendar: {
      further: namingInTheLog(changesets.getChangeset, {
        from: String(Date.now() - 86_400_000),
        to: String(Date.now()),
      }),
    },
  };
}

/** The filters of the audit log that name something. */
const namingInTheLog = (aChangeset: BuildAt, query: Readonly<Record<string, string>>) => [
  naming('query/workspaceId', 'project', ({ id }) => ({ query: { ...query, workspaceId: id } })),
  naming('query/environmentId', 'environment', ({ environment }) => ({
    query: { ...query, environmentId: environment.id },
  })),
  naming('query/objectId', 'flag', ({ flag }) => ({ query: { ...query, objectId: flag.id } })),
  naming('query/actor', 'actor', ({ actor }) => ({ query: { ...query, actor } })),
  naming('query/changesetId', 'changeset', async (side) => ({
    query: { ...query, changesetId: (await aChangeset(side)).params?.changeset ?? '' },
  })),
];

/** What a person may do is for those who can change it; administrators and some keys. */
const unlessGranting = ({ may }: Principal): readonly [number, string] | undefined =>
  may === '*' || may?.split(' ').includes('restriction.write') ? undefined : [403, 'Role is insufficient'];

/** Someone who sees the side and is none of the principals. */
async function aColleague(api: Calls, { viewers }: Side): Promise<string> {
  const { body } = await api.post('/users', {
    email: `${uniqueName('colleague')}@example.com`,
    groups: [{ id: idOf(viewers[2]), type: 'group' }],
  });
  return body.id;
}

/** A list of grantees: the administrators, a user and a group who see the side, and a key of it. */
async function granteesOf(api: Calls, { id, viewers }: Side) {
  const { body } = await api.post('/apiKeys', { name: 'listed', apiKeyType: 'admin', workspace: { id } });
  return structuredClone([...viewers.slice(0, 3), { id: body.id, type: 'api_key' }]);
}
const granteesAt = (list: string): Readonly<Record<string, Kind>> => ({
  [`${list}/1/id`]: 'user',
  [`${list}/2/id`]: 'group',
  [`${list}/3/id`]: 'key',
});

const idOf = (thing: unknown) => (thing as { id: string }).id;
