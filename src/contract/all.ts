/** Every resource: its endpoints, and its part of the OpenAPI document. */
import type { TSchema } from 'typebox';
import { CreatedApiKey } from '#domain/api-keys.ts';
import { AttributeBody, AttributeReply } from '#domain/attributes.ts';
import { ChangeRequest } from '#domain/change-requests.ts';
import { Change } from '#domain/changes.ts';
import { Changeset } from '#domain/changesets.ts';
import { CleanupPolicy } from '#domain/cleanup.ts';
import { Definition, DefinitionBody } from '#domain/definitions/definition.ts';
import { Matcher } from '#domain/definitions/matchers.ts';
import { DefinitionSummary, ExpandedDefinition, ExpandedFlag, ListedFlag } from '#domain/definitions/summary.ts';
import { EnvironmentDetails, EnvironmentSummary } from '#domain/environments.ts';
import { ExplainedRights } from '#domain/explained-rights.ts';
import { FlagSetReply } from '#domain/flag-sets.ts';
import { Flag } from '#domain/flags.ts';
import { Group } from '#domain/groups.ts';
import { IdentityBody, IdentityReply } from '#domain/identities.ts';
import { Patch } from '#domain/json-patch.ts';
import { ActiveLargeSegmentReply, LargeSegmentReply, Upload } from '#domain/large-segments.ts';
import { Project } from '#domain/projects.ts';
import { Restriction } from '#domain/restrictions.ts';
import { ProjectAccess } from '#domain/rights.ts';
import { RuleBasedBody, RuleBasedDefinition, RuleBasedSegment } from '#domain/rule-based-segments.ts';
import { ComingSchedule } from '#domain/schedules.ts';
import { ActiveSegmentReply, SegmentReply, UploadRecord } from '#domain/segments.ts';
import { TrafficTypeReply } from '#domain/traffic-types.ts';
import { User } from '#domain/users.ts';
import { View } from '#domain/views.ts';
import * as accounts from './accounts.ts';
import * as apiKeys from './api-keys.ts';
import * as attributes from './attributes.ts';
import * as changeRequests from './change-requests.ts';
import * as changes from './changes.ts';
import * as changesets from './changesets.ts';
import * as cleanup from './cleanup.ts';
import * as codeReferences from './code-references.ts';
import * as definitions from './definitions.ts';
import type { Endpoint } from './endpoint.ts';
import * as environments from './environments.ts';
import * as flagSets from './flag-sets.ts';
import * as flags from './flags.ts';
import * as groups from './groups.ts';
import * as identities from './identities.ts';
import * as imports from './imports.ts';
import * as largeSegments from './large-segments.ts';
import * as live from './live.ts';
import * as projects from './projects.ts';
import * as restrictions from './restrictions.ts';
import * as rights from './rights.ts';
import * as rolloutStatuses from './rollout-statuses.ts';
import * as rollouts from './rollouts.ts';
import * as ruleBasedSegments from './rule-based-segments.ts';
import * as schedules from './schedules.ts';
import * as sdks from './sdks.ts';
import * as search from './search.ts';
import * as segments from './segments.ts';
import * as server from './server.ts';
import * as service from './service.ts';
import * as traffic from './traffic.ts';
import * as trafficTypes from './traffic-types.ts';
import * as uploads from './uploads.ts';
import * as users from './users.ts';
import * as views from './views.ts';

export interface Resource<Endpoints = Readonly<Record<string, Endpoint>>> {
  /** For people. */
  readonly title: string;
  readonly description: string;
  readonly endpoints: Endpoints;
  /** Schemas that several endpoints use. The document defines each once, under this name. */
  readonly schemas?: Readonly<Record<string, TSchema>>;
}

/** Under the Admin API prefix, in document order. */
export const resources = {
  projects: {
    title: 'Projects',
    description: 'A project has its own environments, traffic types and feature flags. Paths call it `ws`.',
    endpoints: projects,
    schemas: { Project },
  },
  environments: {
    title: 'Environments',
    description:
      'Where flags are served, for example staging and production. Each has its own definitions and SDK keys.',
    endpoints: environments,
    schemas: { EnvironmentSummary, EnvironmentDetails },
  },
  trafficTypes: {
    title: 'Traffic types',
    description: 'What a flag targets: users, accounts, devices.',
    endpoints: trafficTypes,
    schemas: { TrafficType: TrafficTypeReply },
  },
  attributes: {
    title: 'Attributes',
    description: 'What rules can ask about a key of a traffic type: names, types and suggested values.',
    endpoints: attributes,
    schemas: { Attribute: AttributeReply, AttributeBody },
  },
  identities: {
    title: 'Identities',
    description: 'Keys with the values of their attributes, for people who write rules. SDKs do not use them.',
    endpoints: identities,
    schemas: { Identity: IdentityReply, IdentityBody },
  },
  rolloutStatuses: {
    title: 'Rollout statuses',
    description: 'The stages of a flag’s rollout.',
    endpoints: rolloutStatuses,
  },
  flags: {
    title: 'Feature flags',
    description:
      'A flag’s name, description, tags and rollout status. What it serves is its definition in an environment.',
    endpoints: flags,
    schemas: { Flag, ListedFlag, ExpandedFlag },
  },
  definitions: {
    title: 'Definitions',
    description:
      'What a flag serves in one environment: treatments, targeted keys, rules and shares; kill and restore.',
    endpoints: definitions,
    schemas: { Definition, DefinitionSummary, ExpandedDefinition, DefinitionBody, Matcher, Patch },
  },
  cleanup: {
    title: 'Cleanup',
    description: 'Which flags look finished, and what speaks for it. See docs/cleanup.md.',
    endpoints: cleanup,
    schemas: { CleanupPolicy },
  },
  codeReferences: {
    title: 'Code references',
    description: 'Where code names flags, as a scan reports it. See docs/cleanup.md.',
    endpoints: codeReferences,
  },
  flagSets: {
    title: 'Flag sets',
    description: 'Named sets of flags. Definitions say which sets they are in. Also served at `/api/v3/flag-sets`.',
    endpoints: flagSets,
    schemas: { FlagSet: FlagSetReply },
  },
  views: {
    title: 'Views',
    description:
      'Saved views of the flag list: filters, order and columns, for everyone in a project or for the caller alone. An ' +
      'addition to the vendor’s API.',
    endpoints: views,
    schemas: { View },
  },
  segments: {
    title: 'Segments',
    description: 'Lists of keys that rules name. A segment belongs to a project; its keys belong to an environment.',
    endpoints: segments,
    schemas: { Segment: SegmentReply, ActiveSegment: ActiveSegmentReply, UploadRecord },
  },
  ruleBasedSegments: {
    title: 'Rule-based segments',
    description: 'Segments whose members are found by rules. They have a definition in each environment.',
    endpoints: ruleBasedSegments,
    schemas: { RuleBasedSegment, RuleBasedDefinition, RuleBasedBody },
  },
  largeSegments: {
    title: 'Large segments',
    description: 'Segments with up to ten million keys, which a file replaces as a whole.',
    endpoints: largeSegments,
    schemas: { LargeSegment: LargeSegmentReply, ActiveLargeSegment: ActiveLargeSegmentReply, Upload },
  },
  changeRequests: {
    title: 'Change requests',
    description: 'How clients of the vendor’s API replace the keys of large segments.',
    endpoints: changeRequests,
    schemas: { ChangeRequest },
  },
  changesets: {
    title: 'Changesets',
    description: 'Edits to several objects of a project that are applied together, or not at all.',
    endpoints: changesets,
    schemas: { Changeset },
  },
  schedules: {
    title: 'Schedules',
    description: 'Changesets that are applied at a time, or step by step as a ramp.',
    endpoints: schedules,
    schemas: { ComingSchedule },
  },
  users: { title: 'Users', description: 'People. They are invited by email.', endpoints: users, schemas: { User } },
  groups: {
    title: 'Groups',
    description: 'Groups of users. Members of Administrators may do everything.',
    endpoints: groups,
    schemas: { Group },
  },
  apiKeys: {
    title: 'API keys',
    description: 'Keys for this API (`admin`) and for SDKs (`server_side`, `client_side`).',
    endpoints: apiKeys,
    schemas: { CreatedApiKey },
  },
  restrictions: {
    title: 'Project access',
    description: 'Access to a project: who can view and edit it, and who can act in its environments.',
    endpoints: restrictions,
    schemas: { Restriction, ProjectAccess },
  },
  changes: {
    title: 'Audit log',
    description: 'Who changed what, when and why.',
    endpoints: changes,
    schemas: { Change },
  },
  rollouts: {
    title: 'Rollouts',
    description: 'How the shares of a definition changed over time.',
    endpoints: rollouts,
  },
  sdks: {
    title: 'SDKs',
    description: 'The SDKs that read an environment, and what they answer. How to connect one: docs/sdks.md.',
    endpoints: sdks,
  },
  search: {
    title: 'Search',
    description: 'Finding what all projects contain by name.',
    endpoints: search,
  },
  imports: {
    title: 'Imports',
    description: 'Moving in from Split, another Burgee, or an export file, in the background: docs/importing.md.',
    endpoints: imports,
  },
  server: {
    title: 'Server',
    description: 'How people sign in, and how the server is. An addition to the vendor’s API, for administrators.',
    endpoints: server,
  },
  traffic: {
    title: 'Traffic',
    description: 'What SDKs report: evaluations, events, and which change they have. See docs/traffic.md.',
    endpoints: traffic,
  },
} as const satisfies Record<string, Resource>;

/** Under the accounts prefix. */
export const accountResources = {
  accounts: {
    title: 'Accounts',
    description: 'Sign-in: invitations, sessions, passwords and two-factor authentication.',
    endpoints: accounts,
  },
  rights: {
    title: 'Rights of people',
    description: 'What a person may do, and why.',
    endpoints: rights,
    schemas: { ExplainedRights },
  },
  live: {
    title: 'Live',
    description: 'What people do at the same time.',
    endpoints: live,
  },
} as const satisfies Record<string, Resource>;

/** Without a prefix. */
export const serviceResources = {
  service: { title: 'Service', description: 'Probes for load balancers and monitoring.', endpoints: service },
  uploads: { title: 'Uploads', description: 'Where files go, with a token for each.', endpoints: uploads },
} as const satisfies Record<string, Resource>;

const endpointsOf = <All extends Record<string, Resource>>(all: All) =>
  Object.fromEntries(Object.entries(all).map(([name, { endpoints }]) => [name, endpoints])) as {
    readonly [Name in keyof All]: All[Name]['endpoints'];
  };

export const contract = endpointsOf(resources);
export const accountContract = endpointsOf(accountResources);
export const serviceContract = endpointsOf(serviceResources);
