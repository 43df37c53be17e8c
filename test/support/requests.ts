/** A successful request for every endpoint of the Admin API. */
import assert from 'node:assert/strict';
import type { contract } from '#contract/all.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import type { Calls } from './app.ts';
import {
  aCodeReport,
  aDefinedFlag,
  aDefinition,
  aFlag,
  anImport,
  aRuleBasedSegment,
  aSegment,
  aSetName,
  inThirtyDays,
  type ProjectFixture,
  startedImport,
  uniqueName,
} from './build.ts';
import { pathWith } from './every-endpoint.ts';

/** A project with the environment that paths name. */
export type Place = ProjectFixture & { readonly environment: { readonly id: string } };

export interface Target {
  /** Of the path; project and environment are those of the place unless said otherwise. */
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  readonly text?: string;
  /** The id that a key must reach; that of the project unless said otherwise. */
  readonly id?: string;
}

export type Build = (place: Place) => Promise<Target>;
export type Requests = {
  readonly [Part in keyof typeof contract]: { readonly [Name in keyof (typeof contract)[Part]]: Build };
};

/** What is sent for the endpoint. */
export function requestOf(
  { base = '', path }: Endpoint,
  place: Place,
  target: Target,
): { path: string; text?: string } {
  const params: Record<string, string> = { project: place.id, environment: place.environment.id, ...target.params };
  const addressed = base + pathWith(path, (param) => params[param] ?? assert.fail(`no parameter ${param}`));
  const query = target.query ? `?${new URLSearchParams(target.query)}` : '';
  const text = target.text ?? (target.body === undefined ? undefined : JSON.stringify(target.body));
  return { path: addressed + query, ...(text === undefined ? {} : { text }) };
}

/** The smallest request to each endpoint that gets 200 with the right key. A missing one does not compile. */
export function requestsTo(api: Calls): Requests {
  const flagIn = async (place: Place, more: Target = {}): Promise<Target> => ({
    ...more,
    params: { flag: (await aFlag(api, place)).id, ...more.params },
  });
  const definedFlagIn = async (place: Place, more: Target = {}): Promise<Target> => {
    const { flag, path } = await aDefinedFlag(api, place);
    const { id } = place.environment;
    if (!path.endsWith(id)) await api.post(`/splits/ws/${place.id}/${flag.name}/environments/${id}`, aDefinition());
    return { ...more, params: { flag: flag.id } };
  };
  const ofTrafficType = async ({ id }: Place, more: Target = {}): Promise<Target> => {
    const { body } = await api.get(`/trafficTypes/ws/${id}`);
    return { ...more, params: { trafficType: body[0].id, ...more.params } };
  };
  const anAttribute = async (place: Place, more: Target = {}): Promise<Target> => {
    const attribute = uniqueName('attribute');
    const target = await ofTrafficType(place, { ...more, params: { attribute } });
    await api.post(`/schema/ws/${place.id}/trafficTypes/${target.params?.trafficType}`, { id: attribute });
    return target;
  };
  const aStatus = async (place: Place, more: Target = {}): Promise<Target> => {
    const { body } = await api.post(`/rolloutStatuses/ws/${place.id}`, { name: uniqueName('status') });
    return { ...more, params: { rolloutStatus: body.id } };
  };
  /** The path does not name the project, so the traffic type is what a key must reach. */
  const ofTrafficTypeById = async (place: Place, more: Target = {}): Promise<Target> => {
    const target = await ofTrafficType(place, more);
    return { ...target, id: target.params?.trafficType ?? '' };
  };
  const anIdentity = async (place: Place, more: Target = {}): Promise<Target> => {
    const identity = uniqueName('key');
    const target = await ofTrafficTypeById(place, { ...more, params: { identity } });
    const path = `/trafficTypes/${target.id}/environments/${place.environment.id}/identities`;
    await api.post(path, [{ key: identity, values: {} }]);
    return target;
  };
  const aFlagSet = async ({ id }: Place): Promise<Target> => {
    const { body } = await api.post('/internal/api/v3/flag-sets', { name: aSetName(), workspace: { id } });
    return { params: { flagSet: body.id }, id: body.id };
  };
  const segmentIn = async (place: Place, more: Target = {}): Promise<Target> => ({
    ...more,
    params: { segment: (await aSegment(api, place)).name },
  });
  const activeSegmentIn = async (place: Place, more: Target = {}): Promise<Target> => ({
    ...more,
    params: { segment: (await aSegment(api, place, [place.environment])).name },
    id: place.environment.id,
  });
  const rulesIn = async (place: Place, more: Target = {}): Promise<Target> => ({
    ...more,
    params: { ruleBasedSegment: (await aRuleBasedSegment(api, place)).name },
  });
  const activeRulesIn = async (place: Place, more: Target = {}): Promise<Target> => ({
    ...more,
    params: { ruleBasedSegment: (await aRuleBasedSegment(api, place, [place.environment])).name },
    id: place.environment.id,
  });
  const aLargeSegment = async (place: Place, more: Target = {}): Promise<Target> => {
    const name = uniqueName('large');
    const { params } = await ofTrafficType(place);
    await api.post(`/large-segments/ws/${place.id}/trafficTypes/${params?.trafficType}`, { name });
    return { ...more, params: { largeSegment: name } };
  };
  const anActiveLargeSegment = async (place: Place): Promise<Target> => {
    const target = await aLargeSegment(place, { id: place.environment.id });
    await api.post(`/large-segments/${place.environment.id}/${target.params?.largeSegment}`);
    return target;
  };
  const anUpload = async (place: Place): Promise<Target> => {
    const { params } = await anActiveLargeSegment(place);
    return { body: { largeSegment: { name: params?.largeSegment }, operationType: 'UPLOAD' } };
  };
  /** Large enough to contain rows that must not be shown, if there were any. */
  const wholeList = { query: { limit: '200' } };
  const aView = { query: 'status=Ramping', columns: [] };
  const newName = async () => ({ body: { name: uniqueName('new') } });
  const aUser = async (more: Target = {}): Promise<Target> => {
    const { body } = await api.post('/users', { email: `${uniqueName('user')}@example.com` });
    return { body: { ...body }, params: { user: body.id }, id: body.id, ...more };
  };
  const aGroup = async (): Promise<Target> => {
    const { body } = await api.post('/groups', { name: uniqueName('group') });
    return { body, params: { group: body.id }, id: body.id };
  };
  const someOperations = async (place: Place) => {
    const { params } = await definedFlagIn(place);
    return [{ environment: place.environment.id, flag: params?.flag, edit: { kind: 'kill' } }];
  };
  const aChangeset = async (place: Place, more: Target = {}): Promise<Target> => {
    const fields = { workspace: { id: place.id }, operations: await someOperations(place) };
    const { body } = await api.post('/changesets', fields);
    return { ...more, params: { changeset: body.id }, id: body.id };
  };
  /** Where no approval is required, so that nobody is an approver. */
  const aRequest = async (place: Place): Promise<Target> => {
    const target = await aChangeset(place);
    await api.post(`/changesets/${target.params?.changeset}/request`);
    return target;
  };
  const aSchedule = async (place: Place, isPaused = false): Promise<Target> => {
    const target = await aChangeset(place);
    const path = `/changesets/${target.params?.changeset}`;
    await api.post(`${path}/schedule`, { at: inThirtyDays() });
    if (isPaused) await api.post(`${path}/pause`);
    return target;
  };
  return {
    projects: {
      listProjects: async () => wholeList,
      createProject: newName,
      patchProject: async () => ({ body: [] }),
      copyProject: newName,
      deleteProject: async () => {
        const { body: project } = await api.post('/workspaces', { name: uniqueName('project') });
        const { body: trafficTypes } = await api.get(`/trafficTypes/ws/${project.id}`);
        await api.delete(`/trafficTypes/${trafficTypes[0].id}`);
        return { params: { project: project.id }, id: project.id };
      },
    },
    environments: {
      listEnvironments: async () => ({}),
      createEnvironment: newName,
      patchEnvironment: async () => ({ body: [] }),
      moveEnvironment: async () => ({ body: { before: null } }),
      deleteEnvironment: async ({ id }) => {
        const { body: environment } = await api.post(`/environments/ws/${id}`, { name: uniqueName('env') });
        for (const token of environment.apiTokens) await api.delete(`/apiKeys/${token.id}`);
        return { params: { environment: environment.id } };
      },
    },
    trafficTypes: {
      listTrafficTypes: async () => ({}),
      createTrafficType: newName,
      deleteTrafficType: async ({ id }) => {
        const { body } = await api.post(`/trafficTypes/ws/${id}`, { name: uniqueName('type') });
        return { params: { trafficTypeId: body.id }, id: body.id };
      },
    },
    attributes: {
      listAttributes: ofTrafficType,
      saveAttribute: (place) => ofTrafficType(place, { body: { id: uniqueName('attribute') } }),
      replaceAttribute: (place) => ofTrafficType(place, { body: { id: uniqueName('attribute') } }),
      saveAttributes: (place) => ofTrafficType(place, { body: [{ id: uniqueName('attribute') }] }),
      patchAttribute: (place) => anAttribute(place, { body: { description: 'new' } }),
      deleteAttribute: anAttribute,
    },
    identities: {
      listIdentities: ofTrafficTypeById,
      getIdentity: anIdentity,
      saveIdentities: (place) => ofTrafficTypeById(place, { body: [{ key: uniqueName('key'), values: {} }] }),
      replaceIdentity: (place) => anIdentity(place, { body: { values: { age: 7 } } }),
      patchIdentity: (place) => anIdentity(place, { body: { values: { age: 7 } } }),
      patchIdentityNamedInBody: (place) => ofTrafficTypeById(place, { body: { key: uniqueName('key') } }),
      patchIdentityByPost: (place) => anIdentity(place, { body: { values: { age: 7 } } }),
      deleteIdentity: anIdentity,
    },
    largeSegments: {
      listLargeSegments: (place) => aLargeSegment(place),
      getLargeSegment: (place) => aLargeSegment(place),
      createLargeSegment: (place) => ofTrafficType(place, { body: { name: uniqueName('large') } }),
      deleteLargeSegment: (place) => aLargeSegment(place),
      listActiveLargeSegments: (place) => aLargeSegment(place),
      activateLargeSegment: (place) => aLargeSegment(place, { id: place.environment.id }),
      deactivateLargeSegment: anActiveLargeSegment,
      listLargeSegmentKeys: anActiveLargeSegment,
      listUploads: anActiveLargeSegment,
    },
    changeRequests: {
      submitChangeRequest: anUpload,
      listChangeRequests: async (place) => {
        const { body } = await anUpload(place);
        await api.post(`/changeRequests/ws/${place.id}/environments/${place.environment.id}`, body);
        return wholeList;
      },
      getChangeRequest: async (place) => {
        const { body } = await anUpload(place);
        const answer = await api.post(`/changeRequests/ws/${place.id}/environments/${place.environment.id}`, body);
        return { params: { changeRequest: answer.body.id }, id: answer.body.id };
      },
      submitKeyFile: async (place) => {
        const { params } = await activeSegmentIn(place);
        return { body: { segmentName: params?.segment, keys: ['user-2'] } };
      },
      decideChangeRequest: async (place) => {
        const { body } = await anUpload(place);
        const answer = await api.post(`/changeRequests/ws/${place.id}/environments/${place.environment.id}`, body);
        return { params: { changeRequest: answer.body.id }, id: answer.body.id, body: { status: 'WITHDRAWN' } };
      },
    },
    rolloutStatuses: {
      listRolloutStatuses: async ({ id }) => ({ query: { wsId: id } }),
      listRolloutStatusesOfProject: async () => ({}),
      createRolloutStatus: newName,
      updateRolloutStatus: (place) => aStatus(place, { body: { description: 'new' } }),
      moveRolloutStatus: (place) => aStatus(place, { body: { before: null } }),
      deleteRolloutStatus: aStatus,
    },
    flags: {
      createFlag: async (place) => ofTrafficType(place, await newName()),
      listFlags: async () => ({}),
      countFlags: async () => ({}),
      listDrift: async () => ({}),
      getFlag: flagIn,
      listDependents: flagIn,
      patchFlag: (place) => flagIn(place, { body: [] }),
      updateFlagDescription: (place) => flagIn(place, { text: 'new' }),
      associateTags: (place) => flagIn(place, { params: { objectType: 'Split' }, body: ['new'] }),
      deleteFlag: flagIn,
      duplicateFlag: async (place) => flagIn(place, await newName()),
      archiveFlag: flagIn,
      unarchiveFlag: flagIn,
      undeleteFlag: async (place) => {
        const { id, name } = await aFlag(api, place);
        await api.delete(`/splits/ws/${place.id}/${name}`);
        return { params: { deletedFlag: id } };
      },
    },
    definitions: {
      listDefinitions: async () => ({}),
      getDefinition: definedFlagIn,
      createDefinition: (place) => flagIn(place, { body: aDefinition() }),
      replaceDefinition: (place) => definedFlagIn(place, { body: aDefinition() }),
      patchDefinition: (place) => definedFlagIn(place, { body: [] }),
      deleteDefinition: definedFlagIn,
      undeleteDefinition: async (place) => {
        const target = await definedFlagIn(place);
        await api.delete(`/splits/ws/${place.id}/${target.params?.flag}/environments/${place.environment.id}`);
        return target;
      },
      killDefinition: definedFlagIn,
      killDefinitionByPost: definedFlagIn,
      restoreDefinition: definedFlagIn,
      restoreDefinitionByPost: definedFlagIn,
    },
    changesets: {
      createChangeset: async (place) => ({
        body: { workspace: { id: place.id }, operations: await someOperations(place) },
      }),
      listChangesets: async ({ id }) => ({ query: { workspaceId: id, limit: '100' } }),
      getChangeset: aChangeset,
      getChangesetPlan: aChangeset,
      changeChangeset: (place) => aChangeset(place, { body: { title: 'new' } }),
      withdrawChangeset: aChangeset,
      requestChangeset: aChangeset,
      approveChangeset: aRequest,
      rejectChangeset: aRequest,
      askForChanges: async (place) => ({ ...(await aRequest(place)), body: { comment: 'Less' } }),
      commentChangeset: (place) => aChangeset(place, { body: { comment: 'Why?' } }),
      applyChangeset: aChangeset,
      revertChangeset: async (place) => {
        const { params } = await aChangeset(place);
        await api.post(`/changesets/${params?.changeset}/apply`);
        return { params: params ?? {} };
      },
    },
    schedules: {
      scheduleChangeset: (place) => aChangeset(place, { body: { at: inThirtyDays() } }),
      pauseChangeset: (place) => aSchedule(place),
      resumeChangeset: (place) => aSchedule(place, true),
      skipWait: (place) => aSchedule(place),
      abortChangeset: (place) => aSchedule(place),
      listComingSteps: definedFlagIn,
    },
    flagSets: {
      listFlagSets: async ({ id }) => ({ query: { workspace_id: id, limit: '200' } }),
      getFlagSet: aFlagSet,
      listFlagsInSet: aFlagSet,
      createFlagSet: async ({ id }) => ({ body: { name: aSetName(), workspace: { id } } }),
      deleteFlagSet: aFlagSet,
    },
    views: {
      listViews: async () => ({}),
      saveSharedView: async () => ({ params: { view: uniqueName('view') }, body: aView }),
      deleteSharedView: async ({ id }) => {
        const view = uniqueName('view');
        await api.put(`/views/ws/${id}/shared/${view}`, aView);
        return { params: { view } };
      },
      saveOwnView: async () => ({ params: { view: uniqueName('view') }, body: aView }),
      deleteOwnView: async () => ({ params: { view: uniqueName('view') } }),
    },
    segments: {
      createSegment: async (place) => ofTrafficType(place, await newName()),
      listSegments: async () => ({}),
      getSegment: segmentIn,
      deleteSegment: segmentIn,
      undeleteSegment: async (place) => {
        const { name } = await aSegment(api, place);
        const { body } = await api.get(`/segments/ws/${place.id}?names=${name}&expand=environments`);
        await api.delete(`/segments/ws/${place.id}/${name}`);
        return { params: { deletedSegment: body.objects[0].id } };
      },
      listSegmentUsers: async (place) => ({ params: { anySegment: (await aSegment(api, place)).name } }),
      changeSegmentDetails: async (place) => ({
        params: { anySegment: (await aSegment(api, place)).name },
        body: { description: 'new', tags: ['new'] },
      }),
      tagSegment: (place) => segmentIn(place, { body: ['new'] }),
      tagLargeSegment: (place) => aLargeSegment(place, { body: ['new'] }),
      tagRuleBasedSegment: (place) => rulesIn(place, { body: ['new'] }),
      listActiveSegments: async () => ({}),
      listMemberships: async () => ({ query: { key: 'user-1' } }),
      activateSegment: (place) => segmentIn(place, { id: place.environment.id }),
      deactivateSegment: activeSegmentIn,
      listKeys: activeSegmentIn,
      listKeyChanges: activeSegmentIn,
      uploadKeys: (place) => activeSegmentIn(place, { body: { keys: ['user-1'] } }),
      uploadKeyFile: (place) => activeSegmentIn(place, { body: ['user-1'] }),
      removeKeys: (place) => activeSegmentIn(place, { body: { keys: ['user-1'] } }),
      deleteKeys: (place) => activeSegmentIn(place, { body: ['user-1'] }),
    },
    ruleBasedSegments: {
      listRuleBasedSegments: async () => ({}),
      createRuleBasedSegment: async (place) => ofTrafficType(place, await newName()),
      getRuleBasedSegment: rulesIn,
      deleteRuleBasedSegment: rulesIn,
      listRuleBasedDefinitions: async () => ({}),
      activateRuleBasedSegment: (place) => rulesIn(place, { id: place.environment.id }),
      deactivateRuleBasedSegment: activeRulesIn,
      getRuleBasedDefinition: activeRulesIn,
      replaceRuleBasedDefinition: (place) => activeRulesIn(place, { body: { excludedKeys: ['user-1'] } }),
    },
    users: {
      inviteUser: async () => ({ body: { email: `${uniqueName('user')}@example.com` } }),
      listUsers: async () => ({ ...wholeList, id: (await aUser()).id ?? '' }),
      getUser: async () => aUser(),
      replaceUser: async () => aUser(),
      patchUser: async () => aUser({ body: [] }),
      deleteUser: async () => aUser(),
    },
    groups: {
      listGroups: async () => ({}),
      getGroup: aGroup,
      createGroup: newName,
      replaceGroup: aGroup,
      deleteGroup: aGroup,
    },
    apiKeys: {
      createApiKey: async ({ id }) => ({ body: { name: 'new', apiKeyType: 'admin', workspace: { id } } }),
      listApiKeys: async () => wholeList,
      getApiKey: async ({ id }) => {
        const { body } = await api.post('/apiKeys', { name: 'shown', apiKeyType: 'admin', workspace: { id } });
        return { params: { key: body.id } };
      },
      updateApiKey: async ({ id }) => {
        const { body } = await api.post('/apiKeys', { name: 'old', apiKeyType: 'admin', workspace: { id } });
        return { params: { key: body.id }, body: { name: 'new' } };
      },
      revokeApiKey: async ({ id }) => {
        const { body } = await api.post('/apiKeys', { name: 'gone', apiKeyType: 'admin', workspace: { id } });
        return { params: { key: body.id }, id: body.id };
      },
    },
    restrictions: {
      listRestrictions: async ({ id }) => ({ query: { resource_type: 'workspace', resource_id: id } }),
      replaceRestriction: async ({ id }) => ({
        body: { resource: { type: 'workspace', id }, operations: { view: false } },
      }),
      getProjectAccess: async () => ({}),
      changeProjectAccess: async () => ({ body: { ownersEdit: false } }),
    },
    changes: {
      listChanges: async () => wholeList,
      downloadChanges: async () => ({ query: { format: 'ndjson' } }),
      getChangesCalendar: async () => ({ query: { from: '0', to: '0' } }),
    },
    rollouts: { getRolloutHistory: (place) => definedFlagIn(place, { query: { from: '0' } }) },
    sdks: { getSdks: async () => ({}) },
    search: { search: async ({ name }) => ({ query: { text: name } }) },
    server: {
      getServer: async () => ({}),
      saveServerSettings: async () => ({ body: { twoFactorRequired: false, sessionIdleHours: 12, sessionDays: 14 } }),
      testMail: async () => ({ body: { email: 'ada@example.org' } }),
    },
    imports: {
      startImport: async () => ({ body: await anImport(api) }),
      getImport: async () => ({ params: { import: (await startedImport(api)).id } }),
      stopImport: async () => ({ params: { import: (await startedImport(api)).id } }),
    },
    traffic: {
      getFlagTraffic: (place) => definedFlagIn(place, {}),
      getImpressions: (place) => definedFlagIn(place, {}),
      getProjectTraffic: async () => ({}),
      getEvents: async () => ({}),
      getRecentKeys: async () => ({}),
      getConvergence: async () => ({ query: { changeNumber: '1' } }),
    },
    cleanup: {
      listCleanup: async () => ({ query: { points: 'true' } }),
      changeCleanupPolicy: async ({ environment }) => ({
        body: { oneTreatmentDays: 30, ageDays: 90, quietDays: 30, killedDays: 30, environmentIds: [environment.id] },
      }),
      keepFlag: (place) => flagIn(place, { body: { note: 'wanted' } }),
      unkeepFlag: flagIn,
    },
    codeReferences: {
      reportCode: async (place) => ({ body: aCodeReport((await aFlag(api, place)).name) }),
      getFlagCode: flagIn,
    },
  };
}
