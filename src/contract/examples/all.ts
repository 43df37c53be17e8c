/**
 * Examples of all request bodies and responses, for the OpenAPI document. The interface does not load them. With the
 * values of `parameters` they work on a new server: a test sends them and checks all responses against the schemas.
 */
import type { accountContract, contract, serviceContract } from '../all.ts';
import type * as imports from '../imports.ts';
import type * as server from '../server.ts';
import type * as service from '../service.ts';
import { changesetExamples, scheduleExamples } from './changesets.ts';
import { flagExamples } from './flags.ts';
import { peopleExamples } from './people.ts';
import { projectExamples } from './projects.ts';
import { segmentExamples } from './segments.ts';
import { at, type ExamplesOf, ids } from './values.ts';

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
  rolloutStatus: { description: 'Id of the rollout status.', example: ids.status },
  attribute: { description: 'Id of the attribute.', example: 'plan' },
  identity: { description: 'The key of the identity.', example: 'ada' },
  largeSegment: { description: 'Name of the large segment.', example: 'loyalty_members' },
  import: { description: 'Id of the import, or `latest`.', example: 'latest' },
  changeRequest: { description: 'Id of the change request.', example: ids.changeRequest },
  changeset: { description: 'Id of the changeset.', example: ids.changeset },
  deletedSegment: { description: 'Id of a deleted segment.', example: ids.segment },
  deletedFlag: { description: 'Id of a deleted flag.', example: ids.flag },
  objectType: { description: '`Split`: a feature flag.', example: 'Split' },
  flagSet: { description: 'Id of the flag set.', example: '019b76da-a800-7000-8000-000000000041' },
  view: { description: 'Name of the view.', example: 'Ramping' },
  user: { description: 'Id of the user.', example: ids.user },
  group: { description: 'Id of the group.', example: ids.group },
  key: { description: 'Id of the API key. DELETE also takes the key itself.', example: ids.key },
  watchedFlag: { description: 'Id of the flag.', example: ids.flag },
  session: { description: 'Id of the session.', example: ids.session },
  token: { description: 'The token from the link in the mail.', example: 'Vb8nQ2yTz6LrWf4Xk1HsPd0c' },
};

const serviceExamples: ExamplesOf<typeof service> = {
  getHealth: { reply: { status: 'ok', version: '0.2.0' } },
  getReadiness: { reply: { status: 'ready' } },
};

const settings = { twoFactorRequired: false, sessionIdleHours: 12, sessionDays: 14 };

const serverExamples: ExamplesOf<typeof server> = {
  getServer: {
    reply: {
      version: '0.2.0',
      settings,
      database: { system: 'sqlite', milliseconds: 1 },
      disks: [{ path: '/srv/burgee/data', freeBytes: 48_318_382_080, totalBytes: 68_719_476_736 }],
      nodes: [{ host: 'flags-1', version: '0.2.0', startedAt: at, seenAt: at }],
      outbox: { waiting: 0, givenUp: 0 },
      mail: { host: 'mail.example.com:587', from: 'Burgee <burgee@example.com>' },
      backups: { folder: '/srv/burgee/backups', dueAt: '02:00', keep: 14, lastAt: at },
    },
  },
  saveServerSettings: { body: { ...settings, sessionIdleHours: 8 }, reply: { ...settings, sessionIdleHours: 8 } },
  testMail: {
    body: { email: 'ada@example.com' },
    reply: { email: 'ada@example.com', accepted: true, answer: '250 2.0.0 Ok: queued as 4ZyT' },
  },
};

const anImport = {
  id: '019b76da-a800-7000-8000-000000000031',
  step: 'plan',
  state: 'running',
  createdAt: at,
  startedBy: { type: 'api_key', id: ids.key, name: 'First admin key' },
  progress: { phase: 'reading', phaseStartedAt: at, doing: 'Flags of Checkout', done: 12, total: 40, requests: 31 },
} as const;

const importExamples: ExamplesOf<typeof imports> = {
  startImport: {
    body: {
      step: 'plan',
      source: { file: { text: '{"features":[],"featureStrategies":[]}', project: 'Default' } },
    },
    reply: anImport,
  },
  getImport: { reply: { ...anImport, state: 'failed', result: { problem: 'The source refuses the Admin API key' } } },
  stopImport: { reply: { ...anImport, state: 'interrupted' } },
};

type Parts = typeof contract & typeof accountContract & typeof serviceContract;
type Endpoints = { [Part in keyof Parts]: (one: Parts[Part]) => void }[keyof Parts] extends (one: infer All) => void
  ? All
  : never;

/** For every endpoint. */
export const examples: ExamplesOf<Endpoints> = {
  ...projectExamples,
  ...flagExamples,
  ...segmentExamples,
  ...changesetExamples,
  ...scheduleExamples,
  ...peopleExamples,
  ...importExamples,
  ...serverExamples,
  ...serviceExamples,
};
