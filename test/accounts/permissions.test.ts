import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sql from 'sql-template-tag';
import * as accounts from '#contract/accounts.ts';
import { contract } from '#contract/all.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { type Actor, allows, permissionsOfPerson } from '#domain/access.ts';
import { defaultPolicy } from '#domain/cleanup.ts';
import { insertImport } from '#store/imports.ts';
import { type Request, refused } from '../support/app.ts';
import {
  aCodeReport,
  aDefinedFlag,
  aDefinition,
  aFlag,
  anImport,
  aProject,
  aRuleBasedSegment,
  aSegment,
  aSetName,
  inThirtyDays,
  startedImport,
  uniqueName,
} from '../support/build.ts';
import {
  account,
  administratorsId,
  anEmail,
  aPerson,
  fromBrowser,
  invite,
  type Person,
  setUpAdministrator,
  startAccounts,
} from '../support/session.ts';

const api = await startAccounts();
const administrator = await setUpAdministrator(api);
const [member, outsider, gone, ended] = [
  await aPerson(api),
  await aPerson(api),
  await aPerson(api),
  await aPerson(api),
];
await api.patch(`/users/${gone.id}`, [{ op: 'replace', path: '/status', value: 'DEACTIVATED' }]);
await api.delete(account('/session'), ended.signedIn);

const administrators = { id: await administratorsId(api), type: 'group' };
/** Only administrators, who see every project, and these viewers have access. */
async function restrict({ id }: { id: string }, ...viewers: { id: string; type: 'user' | 'group' }[]): Promise<void> {
  const answer = await api.put('/restrictions', {
    resource: { id, type: 'workspace' },
    operations: { view: true },
    resourcePermissions: { view: [administrators, ...viewers] },
  });
  assert.equal(answer.status, 200, answer.text);
}

/** Only the member and administrators see it. */
const project = await aProject(api);
await restrict(project, { id: member.id, type: 'user' });

type Call = readonly [path: string, body?: unknown];
const aGroup = async (): Promise<string> => (await api.post('/groups', { name: uniqueName('group') })).body.id;
const flagPath = async () => `/splits/ws/${project.id}/${(await aFlag(api, project)).name}`;
const definitionPath = async (changes = {}) => (await aDefinedFlag(api, project, changes)).path;
const replacing = (path: string, value: unknown) => [{ op: 'replace', path, value }];

const schemaPath = `/schema/ws/${project.id}/trafficTypes/user`;
async function attributePath(): Promise<string> {
  const id = uniqueName('attribute');
  await api.post(schemaPath, { id });
  return `${schemaPath}/${id}`;
}

const [userType] = (await api.get(`/trafficTypes/ws/${project.id}`)).body as { id: string }[];
const identitiesPath = `/trafficTypes/${userType?.id}/environments/${project.staging.id}/identities`;
async function identityPath(): Promise<string> {
  const key = uniqueName('key');
  await api.post(identitiesPath, [{ key }]);
  return `${identitiesPath}/${key}`;
}

const setsPath = '/internal/api/v3/flag-sets';
async function flagSetPath(): Promise<string> {
  const { body } = await api.post(setsPath, { name: aSetName(), workspace: { id: project.id } });
  return `${setsPath}/${body.id}`;
}

let days = 14;
/** Others each time: what is stored already leaves no audit entry. */
const newSettings = () => {
  days = days === 14 ? 15 : 14;
  return { twoFactorRequired: false, sessionIdleHours: 12, sessionDays: days };
};

const viewsPath = `/views/ws/${project.id}`;
const aView = { query: 'status=Ramping', columns: [] };

async function aLargeSegment(): Promise<string> {
  const name = uniqueName('large');
  await api.post(`/large-segments/ws/${project.id}/trafficTypes/user`, { name });
  return name;
}
async function activeLargeSegmentPath(): Promise<string> {
  const path = `/large-segments/${project.staging.id}/${await aLargeSegment()}`;
  await api.post(path);
  return path;
}
const changeRequestsPath = `/changeRequests/ws/${project.id}/environments/${project.staging.id}`;
const anUpload = async () => ({
  largeSegment: { name: (await activeLargeSegmentPath()).split('/').at(-1) },
  operationType: 'UPLOAD',
});

async function anEnvironment(): Promise<string> {
  const { body } = await api.post(`/environments/ws/${project.id}`, { name: uniqueName('env') });
  for (const { id } of body.apiTokens) await api.delete(`/apiKeys/${id}`);
  return `/environments/ws/${project.id}/${body.id}`;
}

async function aStatusPath(): Promise<string> {
  const { body } = await api.post(`/rolloutStatuses/ws/${project.id}`, { name: uniqueName('status') });
  return `/rolloutStatuses/ws/${project.id}/${body.id}`;
}

const someOperations = async () => {
  const flag = (await definitionPath()).split('/')[4];
  return [{ environment: project.staging.id, flag, edit: { kind: 'kill' } }];
};
async function changesetPath(isPublished = false): Promise<string> {
  const { body } = await api.post('/changesets', { workspace: project, operations: await someOperations() });
  if (isPublished) await api.post(`/changesets/${body.id}/apply`);
  return `/changesets/${body.id}`;
}

const { body: guarded } = await api.post(`/environments/ws/${project.id}`, {
  name: 'guarded',
  changePermissions: { areApprovalsRequired: true },
});
async function schedulePath(isPaused = false): Promise<string> {
  const path = await changesetPath();
  await api.post(`${path}/schedule`, { at: inThirtyDays() });
  if (isPaused) await api.post(`${path}/pause`);
  return path;
}

/** One that somebody else has to approve. */
async function requestPath(): Promise<string> {
  const { name: flag } = await aFlag(api, project);
  const operations = [{ environment: guarded.id, flag, edit: { kind: 'create', body: aDefinition() } }];
  const { body } = await api.post('/changesets', { workspace: project, operations });
  await api.post(`/changesets/${body.id}/request`);
  return `/changesets/${body.id}`;
}

const segmentPath = async () => `/segments/ws/${project.id}/${(await aSegment(api, project)).name}`;
async function activeSegmentPath(keys = ['ada']): Promise<string> {
  const { name } = await aSegment(api, project, [project.staging]);
  const path = `/segments/${project.staging.id}/${name}`;
  if (keys.length > 0) await api.put(`${path}/uploadKeys`, { keys });
  return path;
}

const rulesPath = `/rule-based-segments/ws/${project.id}`;
const ruleBasedSegment = async () => (await aRuleBasedSegment(api, project)).name;
const activeRuleBasedSegment = async () => (await aRuleBasedSegment(api, project, [project.staging])).name;

async function anEmptyProject(): Promise<string> {
  const { body } = await api.post('/workspaces', { name: uniqueName('project') });
  const { body: trafficTypes } = await api.get(`/trafficTypes/ws/${body.id}`);
  for (const { id } of trafficTypes) await api.delete(`/trafficTypes/${id}`);
  return `/workspaces/${body.id}`;
}

/** One that runs nowhere, so it does not end by itself. */
async function aSilentImport(): Promise<string> {
  const id = uniqueName('import');
  await api.store.write(async (tx) => {
    await tx.run(sql`update imports set state = 'done' where state = 'running'`);
    await insertImport(tx, { id, step: 'plan', startedBy: '{"type":"user","id":"one","name":"One"}' });
  });
  return id;
}

type Name = {
  [Part in keyof typeof contract]: `${Part}.${keyof (typeof contract)[Part] & string}`;
}[keyof typeof contract];

/** The status for an administrator, a member, and a member who does not see the project. */
type Statuses = readonly [administrator: 200, member: 200 | 403, outsider: 200 | 403 | 404];
const forAll: Statuses = [200, 200, 200];
const forAllWhoSeeTheProject: Statuses = [200, 200, 404];
const forAdministrators: Statuses = [200, 403, 403];

/** Every endpoint: who may use it, and a call that succeeds if permitted. A missing endpoint does not compile. */
const matrix: Record<Name, readonly [statuses: Statuses, call: () => Promise<Call>]> = {
  'projects.listProjects': [forAll, async () => ['/workspaces']],
  'projects.createProject': [forAdministrators, async () => ['/workspaces', { name: uniqueName('project') }]],
  'projects.patchProject': [
    forAdministrators,
    async () => [`/workspaces/${project.id}`, replacing('/name', uniqueName('project'))],
  ],
  'projects.copyProject': [
    forAdministrators,
    async () => [`${await anEmptyProject()}/copy`, { name: uniqueName('copy') }],
  ],
  'projects.deleteProject': [forAdministrators, async () => [await anEmptyProject()]],
  'environments.listEnvironments': [forAllWhoSeeTheProject, async () => [`/environments/ws/${project.id}`]],
  'environments.createEnvironment': [
    forAdministrators,
    async () => [`/environments/ws/${project.id}`, { name: uniqueName('env') }],
  ],
  'environments.patchEnvironment': [
    forAdministrators,
    async () => [await anEnvironment(), replacing('/name', uniqueName('env'))],
  ],
  'environments.moveEnvironment': [
    forAdministrators,
    async () => [`${await anEnvironment()}/move`, { before: project.staging.id }],
  ],
  'environments.deleteEnvironment': [forAdministrators, async () => [await anEnvironment()]],
  'trafficTypes.listTrafficTypes': [forAllWhoSeeTheProject, async () => [`/trafficTypes/ws/${project.id}`]],
  'trafficTypes.createTrafficType': [
    forAdministrators,
    async () => [`/trafficTypes/ws/${project.id}`, { name: uniqueName('type') }],
  ],
  'trafficTypes.deleteTrafficType': [
    forAdministrators,
    async () => {
      const { body } = await api.post(`/trafficTypes/ws/${project.id}`, { name: uniqueName('type') });
      return [`/trafficTypes/${body.id}`];
    },
  ],
  'attributes.listAttributes': [forAllWhoSeeTheProject, async () => [schemaPath]],
  'attributes.saveAttribute': [forAdministrators, async () => [schemaPath, { id: uniqueName('attribute') }]],
  'attributes.replaceAttribute': [forAdministrators, async () => [schemaPath, { id: uniqueName('attribute') }]],
  'attributes.saveAttributes': [
    forAdministrators,
    async () => [`${schemaPath}/attribute:bulk`, [{ id: uniqueName('attribute') }]],
  ],
  'attributes.patchAttribute': [forAdministrators, async () => [await attributePath(), { description: 'new' }]],
  'attributes.deleteAttribute': [forAdministrators, async () => [await attributePath()]],
  'identities.listIdentities': [forAllWhoSeeTheProject, async () => [identitiesPath]],
  'identities.getIdentity': [forAllWhoSeeTheProject, async () => [await identityPath()]],
  'identities.saveIdentities': [forAdministrators, async () => [identitiesPath, [{ key: uniqueName('key') }]]],
  'identities.replaceIdentity': [forAdministrators, async () => [await identityPath(), { values: { a: 1 } }]],
  'identities.patchIdentity': [forAdministrators, async () => [await identityPath(), { values: { a: 1 } }]],
  'identities.patchIdentityNamedInBody': [forAdministrators, async () => [identitiesPath, { key: uniqueName('key') }]],
  'identities.patchIdentityByPost': [
    forAdministrators,
    async () => [`${await identityPath()}/patch`, { values: { a: 1 } }],
  ],
  'identities.deleteIdentity': [forAdministrators, async () => [await identityPath()]],
  'largeSegments.listLargeSegments': [forAllWhoSeeTheProject, async () => [`/large-segments/ws/${project.id}`]],
  'largeSegments.getLargeSegment': [
    forAllWhoSeeTheProject,
    async () => [`/large-segments/ws/${project.id}/${await aLargeSegment()}`],
  ],
  'largeSegments.createLargeSegment': [
    forAllWhoSeeTheProject,
    async () => [`/large-segments/ws/${project.id}/trafficTypes/user`, { name: uniqueName('large') }],
  ],
  'largeSegments.deleteLargeSegment': [
    forAllWhoSeeTheProject,
    async () => [`/large-segments/ws/${project.id}/${await aLargeSegment()}`],
  ],
  'largeSegments.listActiveLargeSegments': [
    forAllWhoSeeTheProject,
    async () => [`/large-segments/ws/${project.id}/environments/${project.staging.id}`],
  ],
  'largeSegments.activateLargeSegment': [
    forAllWhoSeeTheProject,
    async () => [`/large-segments/${project.staging.id}/${await aLargeSegment()}`],
  ],
  'largeSegments.deactivateLargeSegment': [forAllWhoSeeTheProject, async () => [await activeLargeSegmentPath()]],
  'largeSegments.listLargeSegmentKeys': [
    forAllWhoSeeTheProject,
    async () => [`${await activeLargeSegmentPath()}/keys`],
  ],
  'largeSegments.listUploads': [forAllWhoSeeTheProject, async () => [`${await activeLargeSegmentPath()}/uploads`]],
  'changeRequests.submitChangeRequest': [forAllWhoSeeTheProject, async () => [changeRequestsPath, await anUpload()]],
  'changeRequests.listChangeRequests': [forAll, async () => ['/changeRequests']],
  'changeRequests.getChangeRequest': [
    forAllWhoSeeTheProject,
    async () => [`/changeRequests/${(await api.post(changeRequestsPath, await anUpload())).body.id}`],
  ],
  'changeRequests.submitKeyFile': [
    forAllWhoSeeTheProject,
    async () => {
      const segmentName = (await activeSegmentPath()).split('/').at(-1);
      return [`${changeRequestsPath}/file`, { segmentName, keys: ['grace'] }];
    },
  ],
  'changeRequests.decideChangeRequest': [
    forAllWhoSeeTheProject,
    async () => {
      const { id } = (await api.post(changeRequestsPath, await anUpload())).body;
      return [`/changeRequests/${id}`, { status: 'WITHDRAWN' }];
    },
  ],
  'rolloutStatuses.listRolloutStatuses': [forAllWhoSeeTheProject, async () => [`/rolloutStatuses?wsId=${project.id}`]],
  'rolloutStatuses.listRolloutStatusesOfProject': [
    forAllWhoSeeTheProject,
    async () => [`/rolloutStatuses/ws/${project.id}`],
  ],
  'rolloutStatuses.createRolloutStatus': [
    forAdministrators,
    async () => [`/rolloutStatuses/ws/${project.id}`, { name: uniqueName('status') }],
  ],
  'rolloutStatuses.updateRolloutStatus': [
    forAdministrators,
    async () => [await aStatusPath(), { name: uniqueName('status') }],
  ],
  'rolloutStatuses.moveRolloutStatus': [
    forAdministrators,
    async () => {
      const { body } = await api.get(`/rolloutStatuses/ws/${project.id}`);
      return [`${await aStatusPath()}/move`, { before: body[0].id }];
    },
  ],
  'rolloutStatuses.deleteRolloutStatus': [forAdministrators, async () => [await aStatusPath()]],
  'flags.createFlag': [
    forAllWhoSeeTheProject,
    async () => [`/splits/ws/${project.id}/trafficTypes/user`, { name: uniqueName('flag') }],
  ],
  'flags.listFlags': [forAllWhoSeeTheProject, async () => [`/splits/ws/${project.id}`]],
  'flags.listDrift': [forAllWhoSeeTheProject, async () => [`/flag-drift/ws/${project.id}`]],
  'flags.countFlags': [forAllWhoSeeTheProject, async () => [`/flag-counts/ws/${project.id}`]],
  'flags.getFlag': [forAllWhoSeeTheProject, async () => [await flagPath()]],
  'flags.listDependents': [forAllWhoSeeTheProject, async () => [`${await flagPath()}/dependents`]],
  'flags.patchFlag': [forAllWhoSeeTheProject, async () => [await flagPath(), replacing('/description', 'new')]],
  'flags.updateFlagDescription': [
    forAllWhoSeeTheProject,
    async () => [`${await flagPath()}/updateDescription`, 'a description'],
  ],
  'flags.associateTags': [
    forAllWhoSeeTheProject,
    async () => [`/tags/ws/${project.id}/object/${(await aFlag(api, project)).name}/objecttype/Split`, ['one']],
  ],
  'flags.deleteFlag': [forAllWhoSeeTheProject, async () => [await flagPath()]],
  'flags.archiveFlag': [forAllWhoSeeTheProject, async () => [`${await flagPath()}/archive`]],
  'flags.unarchiveFlag': [
    forAllWhoSeeTheProject,
    async () => {
      const path = await flagPath();
      await api.post(`${path}/archive`);
      return [`${path}/unarchive`];
    },
  ],
  'cleanup.listCleanup': [forAllWhoSeeTheProject, async () => [`/cleanup/ws/${project.id}`]],
  'cleanup.changeCleanupPolicy': [
    forAdministrators,
    async () => [`/cleanup/ws/${(await aProject(api)).id}/policy`, { ...defaultPolicy, ageDays: 60 }],
  ],
  'cleanup.keepFlag': [forAllWhoSeeTheProject, async () => [`${await flagPath()}/keep`, { note: 'wanted' }]],
  'cleanup.unkeepFlag': [
    forAllWhoSeeTheProject,
    async () => {
      const path = `${await flagPath()}/keep`;
      await api.put(path, {});
      return [path];
    },
  ],
  'codeReferences.reportCode': [
    forAllWhoSeeTheProject,
    async () => [`/code-references/ws/${project.id}`, aCodeReport((await aFlag(api, project)).name)],
  ],
  'codeReferences.getFlagCode': [forAllWhoSeeTheProject, async () => [`${await flagPath()}/code-references`]],
  'flags.duplicateFlag': [
    forAllWhoSeeTheProject,
    async () => [`${await flagPath()}/duplicate`, { name: uniqueName('copy') }],
  ],
  'flags.undeleteFlag': [
    forAllWhoSeeTheProject,
    async () => {
      const { id, name } = await aFlag(api, project);
      await api.delete(`/splits/ws/${project.id}/${name}`);
      return [`/splits/ws/${project.id}/deleted/${id}/restore`];
    },
  ],
  'definitions.listDefinitions': [
    forAllWhoSeeTheProject,
    async () => [`/splits/ws/${project.id}/environments/${project.staging.id}`],
  ],
  'definitions.getDefinition': [forAllWhoSeeTheProject, async () => [await definitionPath()]],
  'definitions.createDefinition': [
    forAllWhoSeeTheProject,
    async () => [`${await flagPath()}/environments/${project.staging.id}`, aDefinition()],
  ],
  'definitions.replaceDefinition': [
    forAllWhoSeeTheProject,
    async () => [await definitionPath({ killed: true }), aDefinition({ killed: false })],
  ],
  'definitions.patchDefinition': [
    forAllWhoSeeTheProject,
    async () => [await definitionPath(), replacing('/defaultTreatment', 'on')],
  ],
  'definitions.deleteDefinition': [forAllWhoSeeTheProject, async () => [await definitionPath()]],
  'definitions.undeleteDefinition': [
    forAllWhoSeeTheProject,
    async () => {
      const path = await definitionPath();
      await api.delete(path);
      return [`${path}/undelete`];
    },
  ],
  'definitions.killDefinition': [forAllWhoSeeTheProject, async () => [`${await definitionPath()}/kill`]],
  'definitions.killDefinitionByPost': [forAllWhoSeeTheProject, async () => [`${await definitionPath()}/kill`]],
  'definitions.restoreDefinition': [
    forAllWhoSeeTheProject,
    async () => [`${await definitionPath({ killed: true })}/restore`],
  ],
  'definitions.restoreDefinitionByPost': [
    forAllWhoSeeTheProject,
    async () => [`${await definitionPath({ killed: true })}/restore`],
  ],
  'changesets.createChangeset': [
    forAllWhoSeeTheProject,
    async () => ['/changesets', { workspace: { id: project.id }, operations: await someOperations() }],
  ],
  'changesets.listChangesets': [forAllWhoSeeTheProject, async () => [`/changesets?workspaceId=${project.id}`]],
  'changesets.getChangeset': [forAllWhoSeeTheProject, async () => [await changesetPath()]],
  'changesets.getChangesetPlan': [forAllWhoSeeTheProject, async () => [`${await changesetPath()}/plan`]],
  'changesets.changeChangeset': [forAllWhoSeeTheProject, async () => [await changesetPath(), { title: 'new' }]],
  'changesets.withdrawChangeset': [forAllWhoSeeTheProject, async () => [await changesetPath()]],
  'changesets.requestChangeset': [forAllWhoSeeTheProject, async () => [`${await changesetPath()}/request`]],
  'changesets.approveChangeset': [forAllWhoSeeTheProject, async () => [`${await requestPath()}/approve`]],
  'changesets.rejectChangeset': [forAllWhoSeeTheProject, async () => [`${await requestPath()}/reject`]],
  'changesets.askForChanges': [forAllWhoSeeTheProject, async () => [`${await requestPath()}/ask`, { comment: 'Less' }]],
  'changesets.commentChangeset': [
    forAllWhoSeeTheProject,
    async () => [`${await changesetPath()}/comments`, { comment: 'Why?' }],
  ],
  'changesets.applyChangeset': [forAllWhoSeeTheProject, async () => [`${await changesetPath()}/apply`]],
  'changesets.revertChangeset': [forAllWhoSeeTheProject, async () => [`${await changesetPath(true)}/revert`]],
  'schedules.scheduleChangeset': [
    forAllWhoSeeTheProject,
    async () => [`${await changesetPath()}/schedule`, { at: inThirtyDays() }],
  ],
  'schedules.pauseChangeset': [forAllWhoSeeTheProject, async () => [`${await schedulePath()}/pause`]],
  'schedules.resumeChangeset': [forAllWhoSeeTheProject, async () => [`${await schedulePath(true)}/resume`]],
  'schedules.skipWait': [forAllWhoSeeTheProject, async () => [`${await schedulePath()}/skip`]],
  'schedules.abortChangeset': [forAllWhoSeeTheProject, async () => [`${await schedulePath()}/abort`]],
  'schedules.listComingSteps': [forAllWhoSeeTheProject, async () => [`${await definitionPath()}/schedules`]],
  'flagSets.listFlagSets': [forAllWhoSeeTheProject, async () => [`${setsPath}?workspace_id=${project.id}`]],
  'flagSets.getFlagSet': [forAllWhoSeeTheProject, async () => [await flagSetPath()]],
  'flagSets.listFlagsInSet': [forAllWhoSeeTheProject, async () => [`${await flagSetPath()}/flags`]],
  'flagSets.createFlagSet': [
    forAllWhoSeeTheProject,
    async () => [setsPath, { name: aSetName(), workspace: { id: project.id } }],
  ],
  'flagSets.deleteFlagSet': [forAllWhoSeeTheProject, async () => [await flagSetPath()]],
  'views.listViews': [forAllWhoSeeTheProject, async () => [viewsPath]],
  'views.saveSharedView': [forAllWhoSeeTheProject, async () => [`${viewsPath}/shared/${uniqueName('view')}`, aView]],
  'views.deleteSharedView': [
    forAllWhoSeeTheProject,
    async () => {
      const path = `${viewsPath}/shared/${uniqueName('view')}`;
      await api.put(path, aView);
      return [path];
    },
  ],
  'views.saveOwnView': [forAllWhoSeeTheProject, async () => [`${viewsPath}/own/${uniqueName('view')}`, aView]],
  'views.deleteOwnView': [forAllWhoSeeTheProject, async () => [`${viewsPath}/own/${uniqueName('view')}`]],
  'segments.createSegment': [
    forAllWhoSeeTheProject,
    async () => [`/segments/ws/${project.id}/trafficTypes/user`, { name: uniqueName('segment') }],
  ],
  'segments.listSegments': [forAllWhoSeeTheProject, async () => [`/segments/ws/${project.id}`]],
  'segments.getSegment': [forAllWhoSeeTheProject, async () => [await segmentPath()]],
  'segments.deleteSegment': [forAllWhoSeeTheProject, async () => [await segmentPath()]],
  'segments.undeleteSegment': [
    forAllWhoSeeTheProject,
    async () => {
      await api.delete(await segmentPath());
      return [`/segments/ws/${project.id}/deleted/${(await api.lastChange()).object.id}/restore`];
    },
  ],
  'segments.listSegmentUsers': [forAllWhoSeeTheProject, async () => [`${await segmentPath()}/dependents`]],
  'segments.changeSegmentDetails': [
    forAllWhoSeeTheProject,
    async () => [`${await segmentPath()}/details`, { description: 'changed' }],
  ],
  'segments.tagSegment': [
    forAllWhoSeeTheProject,
    async () => [`/tags/ws/${project.id}/object/${(await aSegment(api, project)).name}/objecttype/Segment`, ['one']],
  ],
  'segments.tagLargeSegment': [
    forAllWhoSeeTheProject,
    async () => [`/tags/ws/${project.id}/object/${await aLargeSegment()}/objecttype/LargeSegment`, ['one']],
  ],
  'segments.tagRuleBasedSegment': [
    forAllWhoSeeTheProject,
    async () => [`/tags/ws/${project.id}/object/${await ruleBasedSegment()}/objecttype/RuleBasedSegment`, ['one']],
  ],
  'segments.listActiveSegments': [
    forAllWhoSeeTheProject,
    async () => [`/segments/ws/${project.id}/environments/${project.staging.id}`],
  ],
  'segments.listMemberships': [
    forAllWhoSeeTheProject,
    async () => [`/segments/ws/${project.id}/environments/${project.staging.id}/memberships?key=ada`],
  ],
  'segments.activateSegment': [
    forAllWhoSeeTheProject,
    async () => [`/segments/${project.staging.id}/${(await aSegment(api, project)).name}`],
  ],
  'segments.deactivateSegment': [forAllWhoSeeTheProject, async () => [await activeSegmentPath([])]],
  'segments.listKeys': [forAllWhoSeeTheProject, async () => [`${await activeSegmentPath()}/keys`]],
  'segments.listKeyChanges': [forAllWhoSeeTheProject, async () => [`${await activeSegmentPath()}/keyChanges`]],
  'segments.uploadKeys': [
    forAllWhoSeeTheProject,
    async () => [`${await activeSegmentPath()}/uploadKeys`, { keys: ['grace'] }],
  ],
  'segments.uploadKeyFile': [forAllWhoSeeTheProject, async () => [`${await activeSegmentPath()}/upload`, ['grace']]],
  'segments.removeKeys': [
    forAllWhoSeeTheProject,
    async () => [`${await activeSegmentPath()}/removeKeys`, { keys: ['ada'] }],
  ],
  'segments.deleteKeys': [forAllWhoSeeTheProject, async () => [`${await activeSegmentPath()}/deleteKeys`, ['ada']]],
  'ruleBasedSegments.listRuleBasedSegments': [forAllWhoSeeTheProject, async () => [rulesPath]],
  'ruleBasedSegments.createRuleBasedSegment': [
    forAllWhoSeeTheProject,
    async () => [`${rulesPath}/trafficTypes/user`, { name: uniqueName('rules') }],
  ],
  'ruleBasedSegments.getRuleBasedSegment': [
    forAllWhoSeeTheProject,
    async () => [`${rulesPath}/${await ruleBasedSegment()}`],
  ],
  'ruleBasedSegments.deleteRuleBasedSegment': [
    forAllWhoSeeTheProject,
    async () => [`${rulesPath}/${await ruleBasedSegment()}`],
  ],
  'ruleBasedSegments.listRuleBasedDefinitions': [
    forAllWhoSeeTheProject,
    async () => [`${rulesPath}/environments/${project.staging.id}`],
  ],
  'ruleBasedSegments.activateRuleBasedSegment': [
    forAllWhoSeeTheProject,
    async () => [`/rule-based-segments/${project.staging.id}/${await ruleBasedSegment()}`],
  ],
  'ruleBasedSegments.deactivateRuleBasedSegment': [
    forAllWhoSeeTheProject,
    async () => [`/rule-based-segments/${project.staging.id}/${await activeRuleBasedSegment()}`],
  ],
  'ruleBasedSegments.getRuleBasedDefinition': [
    forAllWhoSeeTheProject,
    async () => [`${rulesPath}/${await activeRuleBasedSegment()}/environments/staging`],
  ],
  'ruleBasedSegments.replaceRuleBasedDefinition': [
    forAllWhoSeeTheProject,
    async () => [`${rulesPath}/${await activeRuleBasedSegment()}/environments/staging`, { excludedKeys: ['ada'] }],
  ],
  'users.inviteUser': [forAdministrators, async () => ['/users', { email: anEmail() }]],
  'users.listUsers': [forAll, async () => ['/users']],
  'users.getUser': [forAll, async () => [`/users/${administrator.id}`]],
  'users.replaceUser': [
    forAdministrators,
    async () => {
      const { id, email } = await invite(api);
      return [`/users/${id}`, { email, name: 'Ada', status: 'PENDING', '2fa': false, type: 'user' }];
    },
  ],
  'users.patchUser': [forAdministrators, async () => [`/users/${(await invite(api)).id}`, replacing('/name', 'Ada')]],
  'users.deleteUser': [forAdministrators, async () => [`/users/${(await invite(api)).id}`]],
  'groups.listGroups': [forAll, async () => ['/groups']],
  'groups.getGroup': [forAll, async () => [`/groups/${await aGroup()}`]],
  'groups.createGroup': [forAdministrators, async () => ['/groups', { name: uniqueName('group') }]],
  'groups.replaceGroup': [forAdministrators, async () => [`/groups/${await aGroup()}`, { name: uniqueName('group') }]],
  'groups.deleteGroup': [forAdministrators, async () => [`/groups/${await aGroup()}`]],
  'apiKeys.createApiKey': [forAdministrators, async () => ['/apiKeys', { name: 'ci', apiKeyType: 'admin' }]],
  'apiKeys.listApiKeys': [forAdministrators, async () => ['/apiKeys']],
  'apiKeys.getApiKey': [forAdministrators, async () => [`/apiKeys/${(await api.get('/apiKeys')).body.objects[0].id}`]],
  'apiKeys.updateApiKey': [
    forAdministrators,
    async () => {
      const { body } = await api.post('/apiKeys', { name: 'ci', apiKeyType: 'admin' });
      return [`/apiKeys/${body.id}`, { name: uniqueName('key') }];
    },
  ],
  'apiKeys.revokeApiKey': [forAdministrators, async () => [`/apiKeys/${await api.key({})}`]],
  'restrictions.listRestrictions': [
    forAdministrators,
    async () => [`/restrictions?resource_type=workspace&resource_id=${project.id}`],
  ],
  'restrictions.getProjectAccess': [forAllWhoSeeTheProject, async () => [`/workspaces/${project.id}/access`]],
  'restrictions.changeProjectAccess': [
    forAdministrators,
    async () => [`/workspaces/${(await aProject(api)).id}/access`, { ownersEdit: true }],
  ],
  'restrictions.replaceRestriction': [
    forAdministrators,
    async () => {
      const restricted = await aProject(api);
      await restrict(restricted);
      return ['/restrictions', { resource: { id: restricted.id, type: 'workspace' }, operations: { view: false } }];
    },
  ],
  'changes.listChanges': [forAll, async () => ['/auditLogs']],
  'changes.downloadChanges': [forAll, async () => ['/auditLogs/download?format=ndjson']],
  'changes.getChangesCalendar': [forAll, async () => ['/auditLogs/calendar?from=0&to=0']],
  'rollouts.getRolloutHistory': [forAllWhoSeeTheProject, async () => [`${await definitionPath()}/rollout?from=0`]],
  'search.search': [forAll, async () => [`/search?text=${project.name}`]],
  'server.getServer': [forAdministrators, async () => ['/server']],
  'server.saveServerSettings': [forAdministrators, async () => ['/server/settings', newSettings()]],
  'server.testMail': [forAdministrators, async () => ['/server/mail-test', { email: 'ada@example.org' }]],
  'imports.startImport': [forAdministrators, async () => ['/imports', await anImport(api)]],
  'imports.getImport': [forAdministrators, async () => [`/imports/${(await startedImport(api)).id}`]],
  'imports.stopImport': [forAdministrators, async () => [`/imports/${await aSilentImport()}`]],
  'sdks.getSdks': [forAllWhoSeeTheProject, async () => [`${await anEnvironment()}/sdks`]],
  'traffic.getFlagTraffic': [forAllWhoSeeTheProject, async () => [`${await definitionPath()}/traffic`]],
  'traffic.getImpressions': [forAllWhoSeeTheProject, async () => [`${await definitionPath()}/impressions`]],
  'traffic.getProjectTraffic': [forAllWhoSeeTheProject, async () => [`/traffic/ws/${project.id}`]],
  'traffic.getEvents': [forAllWhoSeeTheProject, async () => [`${await anEnvironment()}/events`]],
  'traffic.getRecentKeys': [forAllWhoSeeTheProject, async () => [`${await anEnvironment()}/keys`]],
  'traffic.getConvergence': [forAllWhoSeeTheProject, async () => [`${await anEnvironment()}/convergence`]],
};

const endpoints = Object.entries(contract).flatMap(([part, declared]) =>
  Object.entries<Endpoint>(declared).map(([name, endpoint]) => ({ name: `${part}.${name}` as Name, endpoint })),
);

/** Requests that must get 401. */
const strangers: Record<string, Request> = {
  'not signed in': fromBrowser(),
  'signed out': ended.signedIn,
  deactivated: gone.signedIn,
};

/** Some paths do not name their project. */
function absent(path: string): string {
  if (path.startsWith(identitiesPath)) return `Could not find traffic type ${userType?.id}`;
  if (path.startsWith(`${setsPath}/`)) return `Could not find flag set ${path.split('/')[setsPath.split('/').length]}`;
  const [, changeset] = /^\/changesets\/([^/?]+)/.exec(path) ?? [];
  if (changeset !== undefined) return `Could not find changeset ${changeset}`;
  const [, request] = /^\/changeRequests\/([^/]+)$/.exec(path) ?? [];
  if (request !== undefined) return `Could not find change request ${request}`;
  const isOfEnvironment = /^\/(?:large-|rule-based-)?segments\/([^/]+)\//.exec(path)?.[1] === project.staging.id;
  return isOfEnvironment ? `Could not find environment ${project.staging.id}` : `Could not find project ${project.id}`;
}

describe('what a person may do', () => {
  for (const { name, endpoint } of endpoints) {
    const [statuses, makeCall] = matrix[name];
    const { method } = endpoint;
    test(`${method} ${endpoint.path}: ${statuses.join(', ')}, and 401 for strangers`, async () => {
      for (const [index, person] of [administrator, member, outsider].entries()) {
        const [path, body] = await makeCall();
        const actions = await api.recorded(async () => {
          const answer = await api.call(method, path, { ...person.signedIn, body });
          const expected = statuses[index];
          if (expected === 403) refused(answer, 403, 'Role is insufficient');
          else if (expected === 404) refused(answer, 404, absent(path));
          else assert.equal(answer.status, 200, `${path} ${answer.text}`);
        });
        const written = method !== 'GET' && statuses[index] === 200 && !endpoint.path.endsWith('/own/:view');
        // A changeset has an entry of its own beside those of what it changes.
        const published = { 'changesets.applyChangeset': 2, 'changeRequests.submitKeyFile': 3 };
        const entries = published[name as keyof typeof published] ?? 1;
        assert.equal(actions.length, written ? entries : 0, actions.join());
        if (written) {
          assert.deepEqual((await api.lastChange()).editor, { type: 'user', id: person.id, name: person.email });
        }
      }
      const [path, body] = await makeCall();
      const actions = await api.recorded(async () => {
        for (const [who, request] of Object.entries(strangers)) {
          const answer = await api.call(method, path, { ...request, body });
          assert.equal(answer.status, 401, who);
          refused(answer, 401, 'Invalid Admin API Key');
        }
      });
      assert.deepEqual(actions, []);
    });
  }
});

test('the table above is what the permissions of people and the endpoints declare', () => {
  const anActor = (isAdministrator: boolean): Actor => ({
    type: 'user',
    id: 'someone',
    name: 'someone',
    permissions: permissionsOfPerson(isAdministrator),
    scope: isAdministrator ? { kind: 'account' } : { kind: 'member', userId: 'someone' },
  });
  for (const { name, endpoint } of endpoints) {
    const { access } = endpoint;
    assert.ok(typeof access === 'object', name);
    const expected = [true, false].map((isAdministrator) => (allows(anActor(isAdministrator), access) ? 200 : 403));
    assert.deepEqual(matrix[name][0].slice(0, 2), expected, name);
  }
});

test('a project that a member cannot see is like one that does not exist, by id and by name', async () => {
  const { name } = (await api.get('/workspaces?limit=200')).body.objects.find(
    ({ id }: { id: string }) => id === project.id,
  );
  for (const word of [project.id, name, 'no-such-project']) {
    for (const path of [`/splits/ws/${word}`, `/environments/ws/${word}`, `/trafficTypes/ws/${word}`]) {
      refused(await api.get(path, outsider.signedIn), 404, `Could not find project ${word}`);
    }
  }
});

const idsFor = async (path: string, { signedIn }: Person): Promise<string[]> => {
  const { body } = await api.get(path, signedIn);
  return (body.objects ?? body.data).map(({ id }: { id: string }) => id);
};

test('the list of projects has those that a person has access to: open, or listing the person or a group', async () => {
  const [open, ofAGroup, ofNobody] = [await aProject(api), await aProject(api), await aProject(api)];
  const group = await aGroup();
  const colleague = await aPerson(api, { groups: [group] });
  await restrict(ofAGroup, { id: group, type: 'group' });
  await restrict(ofNobody);
  const projects = [open, project, ofAGroup, ofNobody];
  const seen = async (person: Person) => {
    const ids = await idsFor('/workspaces?limit=200', person);
    return projects.map(({ id }) => ids.includes(id));
  };
  assert.deepEqual(await seen(administrator), [true, true, true, true]);
  assert.deepEqual(await seen(member), [true, true, false, false]);
  assert.deepEqual(await seen(outsider), [true, false, false, false]);
  assert.deepEqual(await seen(colleague), [true, false, true, false]);
});

test('access to a project comes and goes at once, in the session that runs', async () => {
  const secret = await aProject(api);
  const status = async () => (await api.get(`/splits/ws/${secret.id}`, outsider.signedIn)).status;
  assert.equal(await status(), 200);
  await restrict(secret, { id: member.id, type: 'user' });
  assert.equal(await status(), 404);
  await restrict(secret, { id: outsider.id, type: 'user' });
  assert.equal(await status(), 200);
});

test('members see all their colleagues and groups, whatever projects those have', async () => {
  const [forMember, forAdministrator] = [
    await idsFor('/users?limit=200', outsider),
    await idsFor('/users?limit=200', administrator),
  ];
  assert.deepEqual(forMember, forAdministrator);
  assert.deepEqual(await idsFor('/groups?limit=200', outsider), await idsFor('/groups?limit=200', administrator));
});

test('members see the changes of their projects, none of other projects, of the settings, or of signing in', async () => {
  const flag = await aFlag(api, project);
  await api.key({ scope: { kind: 'project', projectId: project.id } });
  const entries = async ({
    signedIn,
  }: Person): Promise<{ object: { type: string; id: string }; workspaceId?: string }[]> =>
    (await api.get('/auditLogs?limit=200', signedIn)).body.data;
  const sees = async (person: Person) => (await entries(person)).some(({ object }) => object.id === flag.id);
  assert.deepEqual([await sees(administrator), await sees(member), await sees(outsider)], [true, true, false]);
  for (const { object, workspaceId } of [...(await entries(member)), ...(await entries(outsider))]) {
    assert.ok(workspaceId !== undefined && !['user', 'api_key', 'group', 'account'].includes(object.type), object.type);
  }
  assert.ok((await entries(outsider)).every(({ workspaceId }) => workspaceId !== project.id));
});

test('a person owns the flags that the person creates; a key owns none', async () => {
  const creating = `/splits/ws/${project.id}/trafficTypes/user`;
  const owned: [request: Request, owners: object[]][] = [
    [member.signedIn, [{ id: member.id, type: 'user' }]],
    [administrator.signedIn, [{ id: administrator.id, type: 'user' }]],
    [{ as: api.adminKey }, []],
  ];
  for (const [request, owners] of owned) {
    const name = uniqueName('flag');
    assert.equal((await api.post(creating, { name }, request)).status, 200);
    assert.deepEqual((await api.get(`/splits/ws/${project.id}/${name}`)).body.owners, owners);
  }
});

/** The endpoints of accounts that are not for everybody: what strangers are answered. */
const ofAccounts = Object.entries<Endpoint>(accounts).filter(([, { access }]) => access !== 'public');
for (const [name, { method, path, access }] of ofAccounts) {
  const message = access === 'signed-in' ? 'Sign in first' : 'Invalid Admin API Key';
  test(`${name} is 401 for strangers`, async () => {
    const actions = await api.recorded(async () => {
      for (const request of Object.values(strangers)) {
        refused(await api.call(method, account(path.replaceAll(/:\w+/g, 'x')), { ...request, body: {} }), 401, message);
      }
    });
    assert.deepEqual(actions, []);
  });
}

test('a person sees any number of projects, more than a statement takes values', async () => {
  const count = 70_000;
  await api.store.write((tx) =>
    tx.run(sql`
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
      insert into projects (id, name, requires_title_and_comments, is_restricted, created_at)
      select 'many-' || i, 'many-' || i, false, false, 1 from n`),
  );
  const { signedIn } = await aPerson(api);
  assert.ok((await api.get('/workspaces', signedIn)).body.totalCount > count);
  assert.equal((await api.get('/splits/ws/many-1', signedIn)).status, 200);
  assert.equal((await api.get('/auditLogs', signedIn)).status, 200);
  assert.equal((await api.get(account('/session'), signedIn)).body.projects, 'listed');
});

test('members see that an environment was made, but not the keys that were made with it', async () => {
  const place = await aProject(api);
  const query = `/auditLogs?objectId=${place.staging.id}`;
  const shownTo = async (request: Request) => (await api.get(query, request)).body.data[0];
  const [toMember, toAdministrator] = [await shownTo(member.signedIn), await shownTo(administrator.signedIn)];
  assert.equal(toAdministrator.after.apiKeys.length, 2);
  const { apiKeys, ...after } = toAdministrator.after;
  assert.deepEqual(toMember, { ...toAdministrator, after });
  for (const { id, name } of apiKeys) {
    assert.ok(!JSON.stringify(toMember).includes(id) && !JSON.stringify(toMember).includes(name));
  }
});
