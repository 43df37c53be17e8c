import type * as attributesContract from '../attributes.ts';
import type * as environmentsContract from '../environments.ts';
import type * as identitiesContract from '../identities.ts';
import type * as projectsContract from '../projects.ts';
import type * as restrictionsContract from '../restrictions.ts';
import type * as searchContract from '../search.ts';
import type * as trafficTypesContract from '../traffic-types.ts';
import { at, type ExamplesOf, environmentReference, ids, markerPage, page, replace } from './values.ts';

const project = { name: 'Default', type: 'workspace', id: ids.project, requiresTitleAndComments: false } as const;
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

export const projectExamples: ExamplesOf<
  typeof projectsContract &
    typeof environmentsContract &
    typeof trafficTypesContract &
    typeof attributesContract &
    typeof identitiesContract &
    typeof restrictionsContract &
    typeof searchContract
> = {
  listProjects: { reply: page(project, 50) },
  createProject: {
    body: {
      name: 'Web shop',
      requiresTitleAndComments: false,
      environments: [{ name: 'Staging' }, { name: 'Production', production: true }],
    },
    reply: { ...project, name: 'Web shop' },
  },
  patchProject: { body: replace('/requiresTitleAndComments', false), reply: project },
  copyProject: { body: { name: 'Web shop', flags: true }, reply: { ...project, name: 'Web shop' } },
  deleteProject: { reply: true },
  search: {
    reply: { objects: [{ kind: 'flag', name: 'new_checkout', project: { id: ids.project, name: 'Default' } }] },
  },

  listEnvironments: { reply: [{ ...environmentReference, production: false }] },
  createEnvironment: {
    body: { name: 'qa', production: false },
    reply: { ...environment, workspaceIds: [ids.project], apiTokens: [...environment.apiTokens] },
  },
  patchEnvironment: {
    body: replace('/production', false),
    reply: { ...environment, name: 'Staging-Default', workspaceIds: [ids.project], apiTokens: [tokenLater] },
  },
  moveEnvironment: { body: { before: null }, reply: [{ ...environmentReference, production: false }] },
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
};
