/** The examples in /docs work as printed, one after the other, on a new server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contract } from '#contract/all.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { examples, parameters } from '#contract/examples/all.ts';
import { type Answer, startApi } from '../support/app.ts';
import { pathWith } from '../support/every-endpoint.ts';

const api = await startApi();
const all = Object.assign({}, ...Object.values(contract)) as Record<string, Endpoint>;

/** Ids that only this server knows, learned from its answers. */
const learned: Record<string, string> = {};

async function send(name: string): Promise<Answer> {
  const endpoint = all[name] ?? assert.fail(`there is no ${name}`);
  const path = pathWith(endpoint.path, (word) => encodeURIComponent(learned[word] ?? parameters[word]?.example ?? ''));
  const { body } = examples[name as keyof typeof examples] as { body?: unknown };
  const answer = await api.call(endpoint.method, (endpoint.base ?? '') + path, body === undefined ? {} : { body });
  assert.equal(answer.status, 200, `${name}: ${answer.text}`);
  return answer;
}

const flagsAndDefinitions = [
  ...['createFlag', 'getFlag', 'patchFlag', 'updateFlagDescription', 'associateTags', 'listFlags'],
  ...['createDefinition', 'getDefinition', 'replaceDefinition', 'patchDefinition', 'listDefinitions'],
  ...['killDefinition', 'restoreDefinition', 'killDefinitionByPost', 'restoreDefinitionByPost'],
  ...['deleteDefinition', 'deleteFlag'],
];

test('the examples of flags and definitions work with the words of their paths', async () => {
  for (const name of flagsAndDefinitions) await send(name);
});

test('the examples of segments work', async () => {
  for (const name of ['createSegment', 'getSegment', 'tagSegment', 'listSegments', 'activateSegment']) await send(name);
  for (const name of ['listActiveSegments', 'uploadKeys', 'uploadKeyFile', 'listKeys', 'listKeyChanges']) {
    await send(name);
  }
  for (const name of [
    'listSegmentUsers',
    'changeSegmentDetails',
    'removeKeys',
    'deleteKeys',
    'deactivateSegment',
    'deleteSegment',
  ]) {
    await send(name);
  }
});

test('the examples of rule-based segments work', async () => {
  for (const name of ['createRuleBasedSegment', 'getRuleBasedSegment', 'listRuleBasedSegments']) await send(name);
  for (const name of ['activateRuleBasedSegment', 'replaceRuleBasedDefinition', 'getRuleBasedDefinition']) {
    await send(name);
  }
  for (const name of ['listRuleBasedDefinitions', 'deactivateRuleBasedSegment', 'deleteRuleBasedSegment']) {
    await send(name);
  }
});

test('the examples of projects, environments, traffic types, attributes and identities work', async () => {
  await send('createProject');
  await send('patchProject');
  await send('createEnvironment');
  await send('patchEnvironment');
  learned.trafficTypeId = (await send('createTrafficType')).body.id;
  for (const name of ['listProjects', 'listEnvironments', 'listTrafficTypes', 'listRolloutStatusesOfProject']) {
    await send(name);
  }
  await send('deleteTrafficType');
  for (const name of ['saveAttribute', 'replaceAttribute', 'saveAttributes', 'patchAttribute', 'listAttributes']) {
    await send(name);
  }
  await send('deleteAttribute');
  learned.trafficType = (await api.get('/trafficTypes/ws/Default')).body[0].id;
  for (const name of ['saveIdentities', 'replaceIdentity', 'patchIdentity', 'patchIdentityNamedInBody'])
    await send(name);
  for (const name of ['patchIdentityByPost', 'getIdentity', 'listIdentities', 'deleteIdentity']) await send(name);
  await send('replaceRestriction');
});

test('the examples of flag sets, groups, users and keys work once their ids are filled in', async () => {
  learned.flagSet = (await send('createFlagSet')).body.id;
  for (const name of ['getFlagSet', 'deleteFlagSet']) await send(name);
  learned.group = (await send('createGroup')).body.id;
  for (const name of ['getGroup', 'replaceGroup', 'listGroups', 'deleteGroup']) await send(name);
  learned.user = (await send('inviteUser')).body.id;
  for (const name of ['getUser', 'patchUser', 'listUsers', 'deleteUser']) await send(name);
  learned.key = (await send('createApiKey')).body.id;
  for (const name of ['getApiKey', 'listApiKeys', 'revokeApiKey', 'listChanges']) await send(name);
});
