/** Lists and counts must stay quick when the tables are large, so each of their statements must find its way by an index. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import sql, { empty, join, raw, Sql } from 'sql-template-tag';
import { type Actor, permissionsOfPerson, type Scope } from '#domain/access.ts';
import { flagSorts } from '#domain/flag-list.ts';
import { searchKinds } from '#domain/search.ts';
import type { Segment } from '#domain/segments.ts';
import { userStatuses } from '#domain/users.ts';
import * as accounts from '#store/accounts.ts';
import * as apiKeys from '#store/api-keys.ts';
import * as approvals from '#store/approvals.ts';
import * as attributes from '#store/attributes.ts';
import * as retention from '#store/audit-retention.ts';
import * as changeRequests from '#store/change-requests.ts';
import * as changes from '#store/changes.ts';
import * as changesets from '#store/changesets.ts';
import * as cleanup from '#store/cleanup.ts';
import * as codeReferences from '#store/code-references.ts';
import * as summaries from '#store/definition-summaries.ts';
import * as definitions from '#store/definitions.ts';
import * as delivery from '#store/delivery.ts';
import * as drift from '#store/drift.ts';
import * as environments from '#store/environments.ts';
import * as flagList from '#store/flag-list.ts';
import * as flagParts from '#store/flag-parts.ts';
import * as flagSets from '#store/flag-sets.ts';
import * as flags from '#store/flags.ts';
import * as groups from '#store/groups.ts';
import * as identities from '#store/identities.ts';
import * as imports from '#store/imports.ts';
import * as largeSegments from '#store/large-segments.ts';
import * as outbox from '#store/outbox.ts';
import * as projects from '#store/projects.ts';
import { insertChanges } from '#store/recording.ts';
import * as references from '#store/references.ts';
import * as reminders from '#store/reminders.ts';
import * as restrictions from '#store/restrictions.ts';
import * as rights from '#store/rights.ts';
import * as rolloutStatuses from '#store/rollout-statuses.ts';
import * as rollouts from '#store/rollouts.ts';
import * as ruleBasedSegments from '#store/rule-based-segments.ts';
import * as schedules from '#store/schedules.ts';
import * as sdks from '#store/sdks.ts';
import * as search from '#store/search.ts';
import * as segmentKeys from '#store/segment-keys.ts';
import * as segments from '#store/segments.ts';
import * as server from '#store/server.ts';
import * as sessions from '#store/sessions.ts';
import type { Reader, Tx } from '#store/sql.ts';
import * as traffic from '#store/traffic.ts';
import * as trafficTypes from '#store/traffic-types.ts';
import * as uploads from '#store/uploads.ts';
import * as users from '#store/users.ts';
import * as views from '#store/views.ts';
import * as watches from '#store/watches.ts';
import { startApi } from '../support/app.ts';
import { aDefinedFlag, aProject } from '../support/build.ts';
import { onPostgres } from '../support/databases.ts';

/** Rows matter only in so far as some lists ask for the children of what they found. */
const api = await startApi();
const project = await aProject(api);
const { flag } = await aDefinedFlag(api, project);
await api.patch(`/splits/ws/${project.id}/${flag.name}`, [{ op: 'add', path: '/tags/-', value: 'tag' }]);
const group = (await api.post('/groups', { name: 'group' })).body as { id: string };
const user = (await api.post('/users', { email: 'user@example.com', groups: [group] })).body as { id: string };
const grantee = { type: 'group', id: group.id } as const;
const environment = { ...project.staging, projectId: project.id };

const page = { offset: 0, limit: 20 };
/** With few, SQLite takes an index for them even where it would take another for as many as there may be. */
const manyIds = Array.from({ length: 50 }, (_, number) => `id-${number}`);
const place = { at: Date.now(), id: 'id' };
const marks = [
  { after: undefined, before: undefined },
  { after: place, before: undefined },
  { after: undefined, before: place },
];
const someone: Actor = {
  type: 'user',
  id: 'id',
  name: 'ada@example.com',
  permissions: permissionsOfPerson(false),
  scope: { kind: 'member', userId: 'id' },
};
const scopes: Scope[] = [
  { kind: 'account' },
  { kind: 'project', projectId: project.id },
  { kind: 'environment', projectId: project.id, environmentIds: [project.staging.id, project.production.id] },
  { kind: 'member', userId: user.id },
];

/** With that of an account-wide key that restricted projects must list. */
const scopesOfKeys: Scope[] = [...scopes, { kind: 'account', viewerKeyId: 'key' }];

/** One of each, in every combination. */
function combined<Choice extends object>(choices: { readonly [Name in keyof Choice]: readonly Choice[Name][] }) {
  let all: Partial<Choice>[] = [{}];
  for (const name of Object.keys(choices) as (keyof Choice)[]) {
    all = all.flatMap((one) => choices[name].map((choice) => ({ ...one, [name]: choice })));
  }
  return all as Choice[];
}

const projectFilters = combined<projects.ProjectFilter>({
  scope: scopesOfKeys,
  name: [undefined, 'name'],
  nameOp: ['IS', 'STARTS_WITH', 'CONTAINS'],
  nameOrId: [undefined, project.id],
  formerName: [undefined, 'name'],
});
const flagFilters = combined<flags.FlagFilter>({
  projectId: [project.id],
  tags: [[], ['tag'], ['tag', 'other']],
  name: [undefined, 'name'],
  rolloutStatusId: [undefined, 'id'],
  isArchived: [false, true],
});
const allFlags: flagList.FlagQuery = {
  projectId: project.id,
  ids: [],
  watcherId: undefined,
  name: undefined,
  search: undefined,
  tags: [],
  rolloutStatusIds: [],
  trafficTypeIds: [],
  ownerIds: [],
  states: [],
  traffic: [],
  isArchived: false,
};
const flagConditions: Partial<flagList.FlagQuery>[] = [
  { ids: ['one', 'two'] },
  { watcherId: user.id },
  { name: 'name' },
  { search: 'text' },
  { isArchived: true },
  { tags: ['tag', 'other'] },
  { rolloutStatusIds: ['one', 'two'] },
  { trafficTypeIds: ['one', 'two'] },
  { ownerIds: [user.id, group.id] },
  { states: (['killed', 'defined', 'undefined', 'different'] as const).map((kind) => ({ kind })) },
  { states: [{ kind: 'killed', environmentId: project.staging.id }] },
  { traffic: [{ kind: 'never' }, { kind: 'quiet-7d' }] },
  {
    traffic: [
      { kind: 'never', environmentId: project.staging.id },
      { kind: 'quiet-30d', environmentId: 'id' },
    ],
  },
];
const flagQueries = [
  allFlags,
  ...flagConditions.map((condition) => ({ ...allFlags, ...condition })),
  Object.assign({ ...allFlags }, ...flagConditions) as flagList.FlagQuery,
];
const flagRanges = [false, true].map((isArchived) => ({ projectId: project.id, isArchived }));
const definitionFilters = flagRanges.map((range) => ({ ...range, environmentId: environment.id }));
const segmentFilters = combined<Required<segments.SegmentFilter>>({
  projectId: [project.id],
  kind: ['standard', undefined as never],
  tags: [[], ['tag', 'other']],
  name: [undefined, 'name'],
  names: [[], ['one', 'two']],
  environmentId: [undefined as never, project.staging.id],
  usedBy: [undefined as never, 'checkout'],
  isUnused: [false, true],
});
const counted = { total: 100, changes: 1 };
const keyPlace = { environmentId: environment.id, segment: 'beta' };
const aStoredSegment = { id: 'id', name: 'beta' } as Segment;
const userFilters = combined<Omit<users.UserFilter, 'after' | 'before'>>({
  scope: scopes,
  status: [undefined, ...userStatuses],
  groupId: [undefined, group.id],
  offset: [0],
  limit: [20],
}).flatMap((filter) => marks.map((mark) => ({ ...filter, ...mark })));
const changeFilters = combined<Omit<changes.ChangeFilter, 'after' | 'before'>>({
  scope: scopesOfKeys,
  projectId: [undefined, project.id],
  environmentId: [undefined, project.staging.id],
  objectType: [undefined, 'flag'],
  objectId: [undefined, flag.id],
  actorId: [undefined, 'id'],
  search: [undefined, 'text'],
  from: [undefined, 1],
  to: [undefined, 2],
  offset: [0],
  limit: [20],
}).flatMap((filter) => marks.map((mark) => ({ ...filter, ...mark })));

const attributeFilters = [undefined, 'pre'].map((prefix) => ({ trafficTypeId: 'id', prefix }));
const gaps: attributes.Gap[] = [
  { id: 'id', side: 'before' },
  { id: 'id', side: 'after' },
];

type Run = (db: Tx) => Promise<unknown>;

async function allOf(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

/** Every function of the store that lists or counts, with every kind of question that it can be asked. */
const dependentsFilters = combined<Parameters<typeof references.listDirectDependents>[1]>({
  projectId: [project.id],
  kind: ['flag', 'flag_set'],
  name: ['name'],
  environmentId: [undefined, environment.id],
});

const largeSegment = { environmentId: environment.id, segmentId: 'id' };

const searches = scopesOfKeys.map((scope) => ({
  scope,
  kinds: new Set(searchKinds),
  words: [['che', 'out'], ['page']],
  limit: 20,
  projects: page,
}));

const actors: readonly Actor[] = [someone, { ...someone, type: 'api_key', id: 'key' }];
const viewers = scopes.map((scope) => ({ scope, permissions: someone.permissions }));
const standingPlace = { projectId: project.id, environmentIds: [environment.id], flagId: flag.id };

const lists: Record<string, readonly Run[]> = {
  listFound: searches.map((asked) => (db) => search.listFound(db, asked)),
  listProjects: projectFilters.map((filter) => (db) => projects.listProjects(db, { ...filter, ...page })),
  countProjects: projectFilters.map((filter) => (db) => projects.countProjects(db, filter)),
  listEnvironments: scopes.map((scope) => (db) => environments.listEnvironments(db, project.id, scope)),
  listTrafficTypes: [(db) => trafficTypes.listTrafficTypes(db, project.id)],
  listAttributes: [(db) => attributes.listAttributes(db, 'id')],
  listAttributesAfter: attributeFilters.flatMap((filter) =>
    [undefined, ...gaps].map((gap) => (db: Reader) => attributes.listAttributesAfter(db, filter, gap, 20)),
  ),
  listAttributesBefore: attributeFilters.flatMap((filter) =>
    gaps.map((gap) => (db: Reader) => attributes.listAttributesBefore(db, filter, gap, 20)),
  ),
  listIdentities: marks.flatMap((mark) =>
    [undefined, 'pre'].map(
      (prefix) => (db: Reader) =>
        identities.listIdentities(db, {
          trafficTypeId: 'id',
          environmentId: environment.id,
          prefix,
          ...mark,
          ...page,
        }),
    ),
  ),
  listFlagSets: marks.map(
    (mark) => (db: Reader) => flagSets.listFlagSets(db, { projectId: project.id, ...mark, ...page }),
  ),
  listViews: [(db) => views.listViews(db, { projectId: project.id, ownerId: user.id })],
  listFlagSetEnvironments: [(db) => references.listFlagSetEnvironments(db, { id: 'id', projectId: project.id })],
  listFlagsInSet: [(db) => references.listFlagsInSet(db, environment.id, 'id')],
  listOwnRolloutStatuses: [(db) => rolloutStatuses.listOwnRolloutStatuses(db, project.id)],
  countFlagsWithStatus: [(db) => rolloutStatuses.countFlagsWithStatus(db, 'id')],
  listUsedRolloutStatuses: [(db) => rolloutStatuses.listUsedRolloutStatuses(db, project.id)],
  listRolloutStatuses: [(db) => rolloutStatuses.listRolloutStatuses(db, project.id)],
  listFlags: flagFilters.flatMap((filter) => [
    (db) => flags.listFlags(db, filter, page, { total: 1_000, changes: 1 }),
    (db) => flags.listFlags(db, filter, { offset: 990, limit: 20 }, { total: 1_000, changes: 1 }),
  ]),
  listSortedFlags: flagQueries.flatMap((query) =>
    flagSorts.flatMap((sort) =>
      (['asc', 'desc'] as const).map((order) => (db) => flagList.listSortedFlags(db, query, { sort, order, ...page })),
    ),
  ),
  listCountedFlags: flagQueries.flatMap((query) => [
    (db) => flagList.listCountedFlags(db, query, page, { total: 1_000, changes: 1 }),
    (db) => flagList.listCountedFlags(db, query, { offset: 990, limit: 20 }, { total: 1_000, changes: 1 }),
  ]),
  countSortedFlags: flagQueries.map((query) => (db) => flagList.countSortedFlags(db, query)),
  listFlagParts: flagRanges.map((range) => (db) => flagParts.listFlagParts({ ...db, rowsPerTurn: 1 }, range)),
  countFlagFacets: flagQueries.map(
    (query) => (db) => flagList.countFlagFacets(db, query, [project.staging.id, project.production.id]),
  ),
  listDrift: [undefined, 'part'].map(
    (name) => (db: Reader) =>
      drift.listDrift(db, { projectId: project.id, base: environment, others: [environment], name }),
  ),
  countFlags: flagFilters.map((filter) => (db) => flags.countFlags(db, filter)),
  listOwnedFlagIds: [(db) => flags.listOwnedFlagIds(db, user.id, 50)],
  listFlagNames: [(db) => flags.listFlagNames(db, project.id, manyIds)],
  listStoredDefinitions: definitionFilters.flatMap((filter) =>
    [page, { offset: 90, limit: 10 }].map(
      (some) => (db: Reader) =>
        allOf(definitions.listStoredDefinitions(db, environment, { filter, page: some, counted })),
    ),
  ),
  listOldChanges: [(db) => retention.listOldChanges(db, place, { before: place.at + 1, limit: 50 })],
  countChanges: changeFilters.map((filter) => (db) => changes.countChanges(db, filter, 1_000)),
  countChangesBehind: [(db) => changes.countChangesBehind(db, place, place.at)],
  countChangesByDay: changeFilters.map(
    (filter) => (db) => changes.countChangesByDay(db, filter, [{ name: '1970-01-01', start: 0, end: 1 }], 200),
  ),
  listKillTimes: changeFilters.map((filter) => (db) => changes.listKillTimes(db, filter, { from: 0, to: 1 })),
  listNodes: [(db) => server.listNodes(db)],
  countSessions: [(db) => sessions.countSessions(db)],
  countDefinitions: definitionFilters.map((filter) => (db) => definitions.countDefinitions(db, filter)),
  listDefinedFlags: [(db) => definitions.listDefinedFlags(db, environment.id, 500)],
  listStoredFlags: [(db) => flags.listStoredFlags(db, project.id, 50)],
  countFlagsAndDefinitions: [(db) => flags.countFlagsAndDefinitions(db, project.id)],
  listEnvironmentsOfFlag: [(db) => definitions.listEnvironmentsOfFlag(db, flag.id)],
  listStoredDefinitionsOfFlags: [(db) => definitions.listStoredDefinitionsOfFlags(db, environment, [flag])],
  listStoredDefinitionsOfFlag: [(db) => allOf(definitions.listStoredDefinitionsOfFlag(db, flag.id, [environment]))],
  listSummaries: [(db) => allOf(summaries.listSummaries(db, [flag.id, ...manyIds], [environment]))],
  countOtherDependencies: [
    (db) => references.countOtherDependencies(db, environment.id, { kind: 'flag', name: flag.name }, 10),
  ],
  listDependents: [(db) => references.listDependents(db, environment.id, { kind: 'flag', name: flag.name }, manyIds)],
  listUsers: userFilters.map((filter) => (db) => users.listUsers(db, filter)),
  countAdministrators: [(db) => users.countAdministrators(db, group.id, user.id)],
  listStandings: actors.map((actor) => (db) => rights.listStandings(db, actor, standingPlace)),
  listStandingsOf: [(db) => rights.listStandingsOf(db, actors, standingPlace)],
  listProjectIdsListing: [(db) => restrictions.listProjectIdsListing(db, grantee)],
  listGrantedRights: scopes.map(
    (scope) => (db) => restrictions.listGrantedRights(db, { scope, grantee, offset: 0, limit: 20 }),
  ),
  countGrantedRights: scopes.map((scope) => (db) => restrictions.countGrantedRights(db, { scope, grantee })),
  listProjectAccess: [(db) => restrictions.listProjectAccess(db, [project.id])],
  countEnvironmentGrants: [(db) => restrictions.countEnvironmentGrants(db, project.id)],
  listAdministratorNames: [(db) => rights.listAdministratorNames(db, 2)],
  listGroupsOfUser: [(db) => groups.listGroupsOfUser(db, user.id)],
  listSessions: [(db) => sessions.listSessions(db, user.id)],
  listGroups: [
    (db) => groups.listGroups(db, page, { total: 1_000, changes: 1 }),
    (db) => groups.listGroups(db, { offset: 990, limit: 20 }, { total: 1_000, changes: 1 }),
  ],
  countGroups: [groups.countGroups],
  listApiKeys: scopesOfKeys.map((scope) => (db) => apiKeys.listApiKeys(db, { scope, ...page })),
  countApiKeys: scopesOfKeys.map((scope) => (db) => apiKeys.countApiKeys(db, scope)),
  listApiKeyIdsOfEnvironment: [(db) => apiKeys.listApiKeyIdsOfEnvironment(db, environment.id, 50)],
  listApiKeysById: [(db) => apiKeys.listApiKeysById(db, manyIds)],
  listApiKeysOfEnvironment: [(db) => apiKeys.listApiKeysOfEnvironment(db, environment.id)],
  listChanges: changeFilters.map((filter) => (db) => changes.listChanges(db, filter)),
  listOutbox: [outbox.listOutbox],
  listMails: [outbox.listMails],
  listMailsToMembers: [outbox.listMailsToMembers],
  listHeads: [outbox.listHeads],
  countResetMails: [(db) => accounts.countResetMails(db, user.id, 0)],
  listDirectDependents: dependentsFilters.map((filter) => (db) => references.listDirectDependents(db, filter, page)),
  countDirectDependents: dependentsFilters.map((filter) => (db) => references.countDirectDependents(db, filter)),
  listSegments: segmentFilters.map((filter) => (db) => segments.listSegments(db, filter, page)),
  countSegments: segmentFilters.map((filter) => (db) => segments.countSegments(db, filter)),
  listActiveSegments: [(db) => segments.listActiveSegments(db, environment.id, 50)],
  countSegmentsAndActivations: [(db) => segments.countSegmentsAndActivations(db, project.id)],
  countSegmentTags: [(db) => segments.countSegmentTags(db, project.id)],
  listUsage: [(db) => segments.listUsage(db, project.id, [aStoredSegment])],
  countSegmentUses: [(db) => segments.countSegmentUses(db, project.id, [aStoredSegment])],
  listDefinitionsAfter: [(db) => allOf(definitions.listDefinitionsAfter(db, environment, 1))],
  listEveryDefinition: [(db) => allOf(definitions.listEveryDefinition(db, environment))],
  listTombstonesAfter: [(db) => allOf(delivery.listTombstonesAfter(db, environment.id, 1))],
  listSegmentsAfter: [(db) => allOf(delivery.listSegmentsAfter(db, environment.id, 1))],
  listSegmentTombstonesAfter: [(db) => allOf(delivery.listSegmentTombstonesAfter(db, environment.id, 1))],
  listKeysAfter: [(db) => allOf(delivery.listKeysAfter(db, keyPlace, 1))],
  listBlocksOf: [(db) => allOf(delivery.listBlocksOf(db, 1))],
  listFlagSetNames: [(db) => delivery.listFlagSetNames(db, project.id)],
  listSdkKeys: [(db) => delivery.listSdkKeys(db)],
  listImportedObjects: [(db) => allOf(imports.listImportedObjects(db, 'source'))],
  listPeople: [(db) => allOf(imports.listPeople(db))],
  listGroupNames: [(db) => allOf(imports.listGroupNames(db))],
  listProjectsNamed: [(db) => imports.listProjectsNamed(db, manyIds)],
  listAttributesOfProject: [(db) => imports.listAttributesOfProject(db, project.id)],
  listFlagContents: [(db) => allOf(imports.listFlagContents(db, project.id))],
  listSegmentContents: [(db) => allOf(imports.listSegmentContents(db, project.id))],
  listActivations: [(db) => allOf(imports.listActivations(db, environment.id))],
  listAllKeys: [(db) => allOf(segmentKeys.listAllKeys(db, keyPlace))],
  listKeys: [
    (db) => segmentKeys.listKeys(db, keyPlace, page, counted),
    (db) => segmentKeys.listKeys(db, { ...keyPlace, prefix: 'a' }, page, counted),
    (db) => segmentKeys.listKeys(db, keyPlace, { offset: 90, limit: 10 }, counted),
    (db) => segmentKeys.listKeys(db, { ...keyPlace, prefix: 'a' }, { offset: 90, limit: 10 }, counted),
  ],
  countKeys: [(db) => segmentKeys.countKeys(db, { ...keyPlace, prefix: 'a' })],
  listKeyOrigins: [(db) => segmentKeys.listKeyOrigins(db, keyPlace, manyIds)],
  listMemberships: [(db) => segmentKeys.listMemberships(db, environment.id, 'one')],
  listKeyChanges: [(db) => segmentKeys.listKeyChanges(db, keyPlace, page)],
  countKeyChanges: [(db) => segmentKeys.countKeyChanges(db, keyPlace)],
  listEnvironmentsOfSegment: [(db) => segments.listEnvironmentsOfSegment(db, 'id')],
  listEnvironmentsNamed: scopes.flatMap((scope) => [
    (db) => environments.listEnvironmentsNamed(db, environment.name, scope),
    (db) => environments.listEnvironmentsNamed(db, environment.name, scope, { kind: 'standard', name: 'beta' }),
  ]),
  listSegmentUsers: [
    (db) => references.listSegmentUsers(db, { projectId: project.id, segment: 'beta' }, page),
    (db) =>
      references.listSegmentUsers(db, { projectId: project.id, environmentId: environment.id, segment: 'beta' }, page),
  ],
  countSegmentUsers: [(db) => references.countSegmentUsers(db, { projectId: project.id, segment: 'beta' })],
  listStoredRules: [(db) => allOf(ruleBasedSegments.listStoredRules(db, project.id, environment, page))],
  listNamedSegments: [
    (db) => segments.listNamedSegments(db, { projectId: project.id, environmentId: environment.id }, ['beta', 'x']),
  ],
  listReferencesOf: [
    (db) => references.listReferencesOf(db, environment.id, { kind: 'segment', names: ['beta', 'x'] }, 10),
  ],
  listChainedReferrers: [
    (db) => references.listChainedReferrers(db, environment.id, { kind: 'segment', names: ['beta', 'x'] }, 10),
  ],
  listActiveLargeSegments: [
    (db) => largeSegments.listActiveLargeSegments(db, environment.id),
    (db) => largeSegments.listActiveLargeSegments(db, environment.id, 'beta'),
  ],
  listLargeSegmentsOf: [(db) => largeSegments.listLargeSegmentsOf(db, environment.id, 'key')],
  listLargeKeys: [(db) => largeSegments.listLargeKeys(db, largeSegment, { from: 'key', limit: 20 })],
  listRequests: combined<Omit<changeRequests.RequestFilter, 'after' | 'before'>>({
    viewer: viewers,
    states: [['PUBLISHED']],
    uploads: [undefined, 'open', 'failed'],
    environmentId: [undefined, environment.id],
    offset: [0],
    limit: [20],
  }).flatMap((filter) => marks.map((mark) => (db: Reader) => changeRequests.listRequests(db, { ...filter, ...mark }))),
  listChangesetHeads: [(db) => changesets.listChangesetHeads(db, manyIds)],
  listAwaitingFile: [(db) => uploads.listAwaitingFile(db, manyIds)],
  listRemarks: [(db) => approvals.listRemarks(db, manyIds)],
  listApproverNames: [(db) => approvals.listApproverNames(db, manyIds)],
  listTrafficTypesOf: [(db) => flags.listTrafficTypesOf(db, manyIds)],
  listStatusNames: [(db) => rolloutStatuses.listStatusNames(db, manyIds)],
  listChangesets: combined<Omit<changesets.ChangesetFilter, 'after' | 'before'>>({
    viewer: viewers,
    projectId: [project.id],
    state: [undefined, 'DRAFT'],
    objectId: [undefined, 'one'],
    environmentId: [undefined, 'id'],
    reverts: [undefined, 'one'],
    concerning: [undefined, ...(['mine', 'waiting'] as const).map((how) => ({ actor: someone, how }))],
    offset: [0],
    limit: [20],
  }).flatMap((filter) => marks.map((mark) => (db: Reader) => changesets.listChangesets(db, { ...filter, ...mark }))),
  listStoredDefinitionsNamed: [(db) => definitions.listStoredDefinitionsNamed(db, environment, ['a', 'b'])],
  listNextSteps: [(db) => schedules.listNextSteps(db, 20)],
  listTimedSteps: [(db) => schedules.listTimedSteps(db, '', 20)],
  listRunningRamps: [
    (db) => schedules.listRunningRamps(db, { projectId: project.id, environmentId: environment.id, flagId: flag.id }),
  ],
  listScheduledFor: [
    (db) => {
      const place = { projectId: project.id, environmentId: environment.id, flagId: flag.id };
      return schedules.listScheduledFor(db, place, { state: 'SCHEDULED', limit: 10 });
    },
  ],
  countWaitingChangesets: scopes.map(
    (scope) => (db: Reader) => changesets.countWaitingChangesets(db, { ...someone, scope }),
  ),
  listExpiredChangesets: [(db) => changesets.listExpiredChangesets(db, 20)],
  listApprovalRules: [(db) => approvals.listApprovalRules(db, ['id'], { type: 'user', id: 'id' })],
  listApprovalRulesOf: [(db) => approvals.listApprovalRulesOf(db, manyIds, actors)],
  listPossibleApprovers: [[], ['ada@example.com']].map(
    (emailKeys) => (db) =>
      approvals.listPossibleApprovers(db, { projectId: project.id, environmentIds: ['id'], emailKeys }, 50),
  ),
  listEditors: [(db) => approvals.listEditors(db, 'id', 50)],
  listActivePeople: [(db) => approvals.listActivePeople(db, [user.id, ...manyIds])],
  listReviews: [(db) => approvals.listReviews(db, 'id')],
  listOperations: [(db) => changesets.listOperations(db, manyIds)],
  listChangesOfChangeset: [(db) => changes.listChangesOfChangeset(db, 'id')],
  listPresentKeys: [(db) => segmentKeys.listPresentKeys(db, { environmentId: environment.id, segment: 'beta' }, ['a'])],
  listUploads: [(db) => uploads.listUploads(db, largeSegment, 10)],
  listDefinitionStates: [
    (db) => rollouts.listDefinitionStates(db, { environmentId: environment.id, flagId: flag.id, from: 0 }),
  ],
  listWatchedEnvironments: [(db) => sdks.listWatchedEnvironments(db)],
  listSdkSightings: [
    (db) => sdks.listSdkSightings(db, { environmentId: environment.id, exceptNode: 'node', since: 0 }),
  ],
  listEventTypes: [(db) => traffic.listEventTypes(db, environment.id, 10)],
  listTrafficTypeNames: [(db) => traffic.listTrafficTypeNames(db, environment.id)],
  listCounts: [(db) => traffic.listCounts(db, { environmentId: environment.id, flagId: flag.id }, 0)],
  listCountsOfFlags: [(db) => traffic.listCountsOfFlags(db, environment.id, [flag.id, ...manyIds], 0)],
  listEventCounts: [
    (db) => {
      const type = { trafficType: 'user', eventType: 'paid', lastAt: 0 };
      return traffic.listEventCounts(db, environment.id, [type, type], 0);
    },
  ],
  listLastTrafficOfFlags: [(db) => traffic.listLastTrafficOfFlags(db, [flag.id, ...manyIds])],
  listLastTraffic: [undefined, [flag.id, ...manyIds]].map(
    (flagIds) => (db: Reader) => traffic.listLastTraffic(db, environment.id, { flagIds, after: '', limit: 50 }),
  ),
  listCleanupFlags: [
    (db) => cleanup.listCleanupFlags(db, project.id, undefined, 100),
    (db) => cleanup.listCleanupFlags(db, project.id, { created_at: 1, id: 'id' }, 100),
  ],
  listWatches: [
    (db) => watches.listWatches(db, 'person', { kind: 'account' }),
    (db) => watches.listWatches(db, 'person', { kind: 'member', userId: 'person' }),
  ],
  listDueWatchers: [(db) => watches.listDueWatchers(db, 20)],
  listNews: [(db) => watches.listNews(db, manyIds, 100)],
  listNewsChanges: [(db) => watches.listNewsChanges(db, manyIds)],
  listReached: [
    (db) => watches.listReached(db, { userIds: manyIds, projectIds: [project.id, 'other'], administratorsId: 'a' }),
  ],
  listDuePeople: [(db) => reminders.listDuePeople(db, 100)],
  listMembershipsOf: [(db) => reminders.listMembershipsOf(db, manyIds)],
  listFacts: [(db) => cleanup.listFacts(db, [flag.id, ...manyIds])],
  listUnknownSegments: [(db) => cleanup.listUnknownSegments(db, project.id, environment.id)],
  listEnvironmentIds: [(db) => cleanup.listEnvironmentIds(db, '', 100)],
  listUnstudied: [(db) => cleanup.listUnstudied(db, environment.id, 50)],
  listToStudy: [(db) => cleanup.listToStudy(db, environment.id, manyIds)],
  listCodeReferences: [(db) => codeReferences.listCodeReferences(db, flag.id)],
  listCountedPlaces: Object.values(traffic.counted).map(
    (kind) => (db: Reader) => traffic.listCountedPlaces(db, kind, undefined, 10),
  ),
};

/** Each statement that was asked for, once. */
async function statementsOf(runs: readonly Run[]): Promise<Sql[]> {
  const statements = new Map<string, Sql>();
  /** Many questions differ in nothing that the statement depends on. */
  const answers = new Map<string, Promise<unknown>>();
  const once = <Result>(query: Sql, ask: (query: Sql) => Promise<Result>): Promise<Result> => {
    statements.set(query.sql, query);
    const key = JSON.stringify([query.sql, query.values]);
    const answer = answers.get(key) ?? ask(query);
    answers.set(key, answer);
    return answer as Promise<Result>;
  };
  const db = txWith({
    one: <Row>(query: Sql) => once(query, (asked) => api.store.one<Row>(asked)),
    all: <Row>(query: Sql) => once(query, (asked) => api.store.all<Row>(asked)),
    run: () => Promise.reject(new Error('a list does not write')),
  });
  for (const run of runs) await run(db);
  return [...statements.values()];
}

const txWith = (methods: Pick<Tx, 'one' | 'all' | 'run'>): Tx => ({
  ...methods,
  now: 0,
  lock: empty,
  keep: empty,
  skipLocked: empty,
  rowsAtOnce: 250,
  // Parts have an end.
  rowsPerTurn: onPostgres ? Infinity : 1,
  clock: () => 0,
  rowsOf: () => empty,
  isOneOf: (column, values) => sql`${column} in (${join([...values])})`,
  announce: () => undefined,
});

/** PostgreSQL reads small tables from end to end because that is quicker; here it is to show what it can avoid. */
const avoided = ['seqscan', 'bitmapscan', 'sort', 'incremental_sort', 'hashjoin', 'mergejoin', 'hashagg', 'material'];

async function planOf({ strings: [start, ...rest], values }: Sql): Promise<string[]> {
  if (!onPostgres) {
    const explained = new Sql([`explain query plan ${start}`, ...rest], values);
    return (await api.store.all<{ detail: string }>(explained)).map((step) => step.detail);
  }
  return api.store.write(async (tx) => {
    await tx.all(raw(`select ${avoided.map((way) => `set_config('enable_${way}', 'off', true)`).join()}`));
    const steps = await tx.all<{ 'QUERY PLAN': string }>(new Sql([`explain (costs off) ${start}`, ...rest], values));
    return steps.map((step) => step['QUERY PLAN']);
  });
}

/** Without the steps that look up and sort the rows of one page, whose ids a query of its own has found. */
function withoutPage(plan: readonly string[], isPaged: boolean): readonly string[] {
  if (!isPaged) return plan;
  if (onPostgres) return /^(?:Incremental )?Sort$/.test(plan[0] ?? '') ? plan.slice(1) : plan;
  // Absent where SQLite takes the ids from the query.
  return plan.includes('SCAN page') ? plan.slice(0, plan.indexOf('SCAN page')) : plan;
}

/** What a statement reads from end to end, or sorts without an index. What it found itself is not a table. */
async function complaintsOf(statement: Sql): Promise<{ scans: string[]; sorts: string[] }> {
  const plan = withoutPage(await planOf(statement), /\) page\s+(?:on page\.|left join)/.test(statement.sql));
  const recursion = /with recursive (\w+)/.exec(statement.sql)?.[1];
  // What parts of the statement found, which have limits of their own.
  const parts = plan.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (.*)/.exec(step)?.[1] ?? []);
  const isScan = onPostgres
    ? (step: string) => step.includes('Seq Scan on')
    : // An index that the database makes for the one statement is a scan too.
      (step: string) =>
        (/^SCAN (?!.* INDEX )(?!.*CONSTANT ROW)/.test(step) &&
          ![recursion, ...parts, 'p'].includes(step.slice('SCAN '.length))) ||
        step.includes('AUTOMATIC') ||
        (/^SEARCH .* INDEX \S+ \((?:status|state|kind|type)=\?\)/.test(step) && !statement.sql.includes(' limit '));
  const isSort = (step: string) => /^USE TEMP B-TREE|-> {2}(?:Incremental )?Sort$|^(?:Incremental )?Sort$/.test(step);
  const text = statement.sql.replaceAll(/\s+/g, ' ').trim();
  return {
    scans: plan.filter(isScan).map((step) => `${step.trim()} in ${text}`),
    sorts: plan.some(isSort) ? [text] : [],
  };
}

interface SmallSort {
  readonly statement: string | RegExp;
  readonly because: string;
}

/** The sorts that stay small however large the account is: of one page, or of the children of one thing. */
const smallSorts: Record<string, readonly SmallSort[]> = {
  countFlagFacets: [
    { statement: /group by f\.\w+$/, because: 'the values of one filter' },
    { statement: /group by t\.name/, because: 'the tags of one project' },
    { statement: /group by l\.environment_id$/, because: 'the production environments of one project' },
    { statement: /group by s\.environment_id$/, because: 'the production environments of one project' },
  ],
  countSegmentTags: [{ statement: /group by t\.name/, because: 'the tags of one project' }],
  listSortedFlags: [
    {
      statement: /order by coalesce\( \(select max\(t\.last_at\)/,
      because: 'keeps only as many as the page: one look for each flag',
    },
    { statement: /f\.id in \(/, because: 'found by their ids, of which a request has at most 50' },
  ],
  listCountedFlags: [{ statement: /f\.id in \(/, because: 'found by their ids, of which a request has at most 50' }],
  listFound: [
    {
      statement: /order by length\(p\.name\), p\.name limit \?\) project$/,
      because: 'keeps only as many as the limit',
    },
    ...(onPostgres ? [] : [{ statement: /order by length\(o\.name\), o\.name limit \?\) flag$/, because: 'the same' }]),
  ],
  listApproverNames: [
    { statement: /order by g\.environment_id, g\.position limit \?$/, because: 'the lists of one page' },
  ],
  listProjectAccess: [{ statement: /order by position, id$/, because: 'the lists of a page of projects' }],
  listGrantedRights: [{ statement: /order by project_name/, because: 'the lists that name one grantee' }],
  listAdministratorNames: [{ statement: 'order by u.created_at, u.id limit ?', because: 'the administrators' }],
  listGroupsOfUser: [{ statement: /order by m\.position$/, because: 'a user has at most 200 groups' }],
  listProjects: [
    {
      statement: /and \(id = \? or name = \?\) order by created_at, id limit \? offset \?$/,
      because: 'one project has the word as its id, one as its name',
    },
    {
      statement:
        /and \(id = \? or name = \?\) and lower\(name\) like \? escape '\\' order by created_at, id limit \? offset \?$/,
      because: 'the same two, one of them perhaps left out',
    },
  ],
  listEnvironments: [
    {
      statement: 'where project_id = ? and id in (?,?) order by created_at, id',
      because: 'a key names at most 100 environments of one project',
    },
  ],
  listDirectDependents: [
    {
      statement: /order by e\.created_at, e\.id, r\.from_name limit \? offset \?$/,
      because: 'the flags that name one flag: at most 5,000 in an environment',
    },
  ],
  listChangeRequests: [
    {
      statement:
        /from segment_uploads u join environments e .* order by u\.created_at( desc)?, u\.id( desc)? limit \? offset \?$/,
      because: 'one for each file that was sent',
    },
  ],
  listActiveLargeSegments: [
    {
      statement: /and s\.kind = 'large'( and s\.name = \?)? order by s\.created_at, s\.id$/,
      because: 'the segments of one environment',
    },
  ],
  listSegmentUsers: [
    {
      statement: /order by e\.created_at, e\.id, r\.from_kind, r\.from_name limit \? offset \?$/,
      because: 'what names one segment',
    },
  ],
  listFlagSetEnvironments: [
    { statement: /group by e\.id, e\.name order by e\.id$/, because: 'the environments of one project' },
  ],
  listChanges: [
    {
      statement: /limit \?\) changes where .* order by at(?: desc)?,id(?: desc)? limit \? offset \?$/,
      because: 'at most 5,000 entries were read',
    },
  ],
  listUsage: [{ statement: /group by u\.name, .* order by e\.created_at, e\.id$/, because: 'one page of segments' }],
  countSegmentUses: [{ statement: /group by r\.name$/, because: 'what names one page of segments' }],
  listHeads: [{ statement: /order by h\.due_at, h\.id$/, because: 'one entry of each target' }],
  listEnvironmentsOfFlag: [
    {
      statement: 'where d.flag_id = ? order by d.environment_id',
      because: 'a flag has one definition in each environment of its project',
    },
  ],
  listUsers: [
    { statement: 'where user_id in (?) order by position', because: 'the memberships of one page of users' },
    { statement: /from memberships m cross join users u where m\.group_id = \?/, because: 'a group of at most 1,000' },
  ],
  listApiKeyIdsOfEnvironment: [
    {
      statement: 'where environment_id = ? order by api_key_id limit ?',
      because: 'the keys of one environment',
    },
  ],
  listApiKeysOfEnvironment: [
    {
      statement: "where environment_id = ?) and type <> 'admin' order by created_at, id",
      because: 'the keys of one environment',
    },
    ...(onPostgres
      ? [
          {
            statement: /where environment_id = \?\) order by api_key_id, environment_id$/,
            because: 'the environments of those keys',
          },
        ]
      : []),
  ],
};

/** A part of a name may be in the name of every project that a person sees. */
const isCountByPartOfName = (scan: string) =>
  /^(?:SCAN projects|(?:-> {2})?Seq Scan on projects(?: p)?) in select count.*from projects where (?:not )?exists/.test(
    scan,
  );

const isSame = (sort: string, { statement }: SmallSort) =>
  typeof statement === 'string' ? sort.endsWith(` ${statement}`) : statement.test(sort);

const byNumbers = { skip: onPostgres ? 'PostgreSQL chooses by the number of rows, and here are few' : false };

test('a filter by two members of an entry is served by an index of both, in any span of time', byNumbers, async () => {
  const none = { projectId: undefined, environmentId: undefined, objectType: undefined, objectId: undefined };
  const whole = {
    ...none,
    actorId: undefined,
    search: undefined,
    from: undefined,
    to: undefined,
    after: undefined,
    before: undefined,
  };
  const span = { from: 1, to: 2 };
  const spans = [{}, span, { ...span, after: place }, { ...span, before: place }, { after: place }, { before: place }];
  for (const [wanted, index] of [
    [{ projectId: project.id, objectType: 'flag' }, 'changes_project_type'],
    [{ environmentId: environment.id, objectType: 'flag' }, 'changes_environment_type'],
    [{ actorId: 'id', projectId: project.id }, 'changes_actor_project'],
    [{ objectId: flag.id, projectId: project.id }, 'changes_project_object'],
    [{ changesetId: 'id' }, 'changes_changeset'],
  ] as const) {
    for (const within of spans) {
      const filter = { ...whole, ...wanted, ...within, scope: { kind: 'account' } as const, offset: 0, limit: 20 };
      const [statement] = await statementsOf([(db) => changes.listChanges(db, filter)]);
      const plan = await planOf(statement ?? assert.fail());
      assert.match(plan.join(), new RegExp(`^SEARCH changes USING INDEX ${index} [^;]*$`), JSON.stringify(within));
    }
  }
});

test('the history of one thing, alone or within a project, is found by the thing', byNumbers, async () => {
  const filter = { scope: scopes[0] as Scope, objectId: flag.id, objectType: undefined, actorId: undefined, limit: 20 };
  const whole = {
    ...filter,
    search: undefined,
    from: undefined,
    to: undefined,
    after: undefined,
    before: undefined,
    offset: 0,
  };
  for (const place of [
    { projectId: undefined, environmentId: undefined },
    { projectId: project.id, environmentId: undefined },
    { projectId: project.id, environmentId: project.staging.id },
  ]) {
    const [statement] = await statementsOf([(db) => changes.listChanges(db, { ...whole, ...place })]);
    assert.match((await planOf(statement ?? assert.fail())).join(), /object_id=\?/);
  }
});

test('an entry finds its place and the state before it by one look into an index each', async () => {
  let insert: Sql | undefined;
  const nothing = { projectId: undefined, title: undefined, comment: undefined, before: undefined, after: undefined };
  const actor = { type: 'system', id: 's', name: 's' };
  const object = { type: 'flag', id: flag.id, name: flag.name } as const;
  const { one, all } = api.store;
  const run = async (query: Sql) => {
    insert = query;
    return 1;
  };
  const change = {
    ...nothing,
    id: 'id',
    at: 1,
    transactionId: 't',
    actor,
    action: 'x',
    object,
    environmentId: undefined,
    changesetId: undefined,
    withoutApproval: undefined,
  };
  await insertChanges(txWith({ one, all, run }), [change]);
  const plan = await planOf(insert ?? assert.fail());
  if (onPostgres)
    assert.deepEqual(
      plan.filter((step) => step.includes('Filter:') && !step.includes('(given_1.id = given.id)')),
      [],
    );
  else
    assert.deepEqual(
      plan.filter((step) => step.startsWith('SEARCH changes')),
      [
        'SEARCH changes USING INDEX sqlite_autoindex_changes_1 (id=?)',
        'SEARCH changes USING INDEX changes_state (object_type=? AND object_id=? AND <expr>=?)',
        'SEARCH changes USING COVERING INDEX changes_object_id (object_id=?)',
      ],
    );
});

test('a statement that looks at each flag goes through one part of them', byNumbers, async () => {
  const queries = flagQueries.filter(({ ids }) => ids.length === 0);
  const pages = flagSorts.flatMap((sort) =>
    (['asc', 'desc'] as const).map((order) => ({ sort, order, offset: 1, limit: 20 })),
  );
  const statements = await statementsOf([
    ...queries.flatMap((query) => pages.map((some) => (db: Reader) => flagList.listSortedFlags(db, query, some))),
    ...queries.map((query) => (db: Reader) => flagList.countSortedFlags(db, query)),
    ...queries.map((query) => (db: Reader) => flagList.countFlagFacets(db, query, [environment.id])),
    ...flagFilters
      .filter(({ rolloutStatusId }) => rolloutStatusId === undefined)
      .map((filter) => (db: Reader) => flags.countFlags(db, filter)),
  ]);
  // The end of a part is as far away as the part is long.
  const looking = statements.filter(({ sql: text }) => / flags f/.test(text) && !/limit 1 offset| page on /.test(text));
  assert.ok(looking.length > 300);
  for (const statement of looking) {
    const [step = ''] = (await planOf(statement)).filter((one) => /^SEARCH [ft] /.test(one));
    assert.match(step, /\(.*=\? AND (?:\(.*,.*\)|name)[<>]/, statement.sql);
  }
});

test('what is counted of definitions for a filter is in an index', byNumbers, async () => {
  const statements = await statementsOf([(db) => flagList.countFlagFacets(db, allFlags, [environment.id])]);
  const counting = statements.filter(({ sql: text }) => text.includes('definition_summaries'));
  assert.ok(counting.length > 0);
  for (const statement of counting) {
    const steps = (await planOf(statement)).filter((step) => step.startsWith('SEARCH s '));
    assert.match(steps.join(), /^SEARCH s USING COVERING INDEX definition_summaries_flag \(flag_id=\? AND [^,]*\)$/);
  }
});

test('definitions are listed and counted without looking at every flag', byNumbers, async () => {
  const flagSteps = async (run: Run) => {
    const plans = await Promise.all((await statementsOf([run])).map(planOf));
    return new Set(plans.flat().flatMap((step) => / USING INDEX (flags_\w+)/.exec(step)?.[1] ?? []));
  };
  for (const filter of definitionFilters) {
    const found = { filter, page, counted };
    const listing = await flagSteps((db) => allOf(definitions.listStoredDefinitions(db, environment, found)));
    const counting = await flagSteps((db) => definitions.countDefinitions(db, filter));
    assert.deepEqual([listing, counting], [new Set(['flags_archived']), new Set(['flags_archived'])]);
  }
  const reading = await flagSteps((db) => allOf(definitions.listDefinitionsAfter(db, environment, 1)));
  assert.deepEqual(reading, new Set());
});

test('keys that changed after a number are read from there on, not from the first change', {
  skip: onPostgres,
}, async () => {
  const [statement] = await statementsOf([(db) => allOf(delivery.listKeysAfter(db, keyPlace, 1))]);
  const [step] = await planOf(statement ?? assert.fail());
  assert.ok(step?.endsWith('(environment_id=? AND segment=? AND (change_number,key)>(?,?))'), step);
  const [late] = await statementsOf([(db) => segmentKeys.listKeys(db, keyPlace, { offset: 90, limit: 10 }, counted)]);
  const steps = await planOf(late ?? assert.fail());
  assert.ok(steps.at(-1)?.endsWith('(environment_id=? AND segment=? AND (change_number,key)>(?,?))'), steps.at(-1));
});

for (const [name, runs] of Object.entries(lists)) {
  test(`${name} finds and sorts by an index, whatever it is asked for`, async () => {
    const statements = await statementsOf(runs);
    assert.ok(statements.length > 0);
    const complaints: Awaited<ReturnType<typeof complaintsOf>>[] = [];
    for (const statement of statements) complaints.push(await complaintsOf(statement));
    assert.deepEqual(
      complaints.flatMap(({ scans }) => scans).filter((scan) => !isCountByPartOfName(scan)),
      [],
    );
    const sorts = complaints.flatMap((complaint) => complaint.sorts);
    const small = smallSorts[name] ?? [];
    const unexpected = sorts.filter((sort) => !small.some((expected) => isSame(sort, expected)));
    assert.deepEqual(unexpected, []);
    // PostgreSQL can avoid some of them.
    const missed = small.filter((expected) => !sorts.some((sort) => isSame(sort, expected)));
    assert.deepEqual(onPostgres ? [] : missed, []);
  });
}

test('every function of the store that lists or counts is held to this', async () => {
  const folder = new URL('../../src/store/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('-worker.ts'));
  const modules: object[] = await Promise.all(files.map((file) => import(new URL(file, folder).href)));
  const found = modules.flatMap((module) => Object.keys(module)).filter((name) => /^(list|count)[A-Z]/.test(name));
  // To compare all environments: reading everything is what they are for.
  const readsAll = ['listChangeNumbers', 'listPlaceNames'];
  // Of the schema: it does not grow with what people put in.
  const ofFew = ['listMigrations'];
  assert.deepEqual(found.sort(), [...Object.keys(lists), ...readsAll, ...ofFew].sort());
});
