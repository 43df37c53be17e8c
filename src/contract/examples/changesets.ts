import { dayMs } from '#domain/durations.ts';
import type * as changesets from '../changesets.ts';
import type * as schedules from '../schedules.ts';
import { at, type ExamplesOf, environmentReference, ids, markerPage } from './values.ts';

const changeset = {
  id: ids.changeset,
  type: 'changeset' as const,
  status: 'DRAFT' as const,
  title: 'Open the new checkout',
  comment: 'The last week of staging was quiet.',
  workspace: { id: ids.project, name: 'Default' },
  author: { type: 'user', id: ids.user, name: 'ada@example.com' },
  operations: [
    {
      environment: environmentReference,
      flag: { id: ids.flag, name: 'new_checkout' },
      edit: { kind: 'patch' as const, operations: [{ op: 'replace' as const, path: '/trafficAllocation', value: 50 }] },
    },
  ],
  approvers: [],
  createdAt: at,
  updatedAt: at,
};
const reviewer = { type: 'user', id: ids.user, name: 'grace@example.com' };
const { title, comment } = changeset;
const operations = changeset.operations.map(({ edit }) => ({
  environment: 'Staging-Default',
  flag: 'new_checkout',
  edit,
}));

export const changesetExamples: ExamplesOf<typeof changesets> = {
  createChangeset: { body: { workspace: { id: 'Default' }, title, comment, operations }, reply: changeset },
  listChangesets: { reply: markerPage(changeset, 20) },
  getChangeset: { reply: changeset },
  getChangesetPlan: {
    reply: {
      canApply: false,
      approvals: [{ environment: environmentReference, approvedBy: [], isGiven: false, mayApprove: true }],
      operations: changeset.operations.map((operation) => ({
        ...operation,
        differences: [{ kind: 'trafficAllocation' as const, before: 100, after: 50 }],
        treatments: ['on', 'off'],
        trafficType: 'user',
        shares: [
          { treatment: 'on', before: { min: 20, max: 20 }, after: { min: 10, max: 10 } },
          { treatment: 'off', before: { min: 80, max: 80 }, after: { min: 90, max: 90 } },
        ],
        moves: [{ from: 'on', to: 'off', share: 10 }],
        unknown: [],
        rebucketing: [],
        transitions: [
          {
            of: 'sample' as const,
            keys: 100_000,
            cells: [
              { from: 'off', to: 'off', keys: 80_050, share: 80.05, examples: ['sample-1', 'sample-2'] },
              { from: 'on', to: 'on', keys: 10_018, share: 10.02, examples: ['sample-5'] },
              { from: 'on', to: 'off', keys: 9_932, share: 9.93, examples: ['sample-11'] },
            ],
          },
        ],
        findings: [
          {
            kind: 'neverReached' as const,
            isProven: true,
            title: 'Rule 2 is never reached',
            text: 'Rule 1 already takes all of these.',
            rule: 2,
            example: { key: 'user-1', attributes: { plan: 'pro' }, segments: [], treatment: 'on' },
          },
        ],
        laterSteps: [
          {
            step: 2,
            isConflict: false,
            differences: [{ kind: 'trafficAllocation' as const, before: 50, after: 25 }],
            findings: [],
          },
        ],
        conflicts: [],
      })),
    },
  },
  changeChangeset: { body: { title, comment, operations }, reply: changeset },
  withdrawChangeset: { reply: { ...changeset, status: 'WITHDRAWN' } },
  applyChangeset: { reply: { ...changeset, status: 'PUBLISHED', publishedAt: at } },
  requestChangeset: {
    body: { comment: 'Before Friday, please.' },
    reply: { ...changeset, status: 'REQUESTED', expiresAt: at },
  },
  approveChangeset: {
    body: { comment: 'Looks right.' },
    reply: {
      ...changeset,
      status: 'APPROVED',
      expiresAt: at,
      reviews: [{ kind: 'approve', by: reviewer, comment: 'Looks right.', at }],
    },
  },
  rejectChangeset: {
    body: { comment: 'Not during the sale.' },
    reply: { ...changeset, status: 'REJECTED', reason: 'grace@example.com rejected it: Not during the sale.' },
  },
  askForChanges: {
    body: { comment: 'Start with a tenth of them.' },
    reply: {
      ...changeset,
      status: 'REQUESTED',
      expiresAt: at,
      reviews: [{ kind: 'ask', by: reviewer, comment: 'Start with a tenth of them.', at }],
    },
  },
  commentChangeset: {
    body: { comment: 'Why only half of them?' },
    reply: {
      ...changeset,
      reviews: [{ kind: 'comment', by: reviewer, comment: 'Why only half of them?', at }],
    },
  },
  revertChangeset: {
    body: { title: 'Close it again' },
    reply: { ...changeset, title: 'Close it again', reverts: ids.changeset },
  },
};

const onFriday = { time: '2026-11-20T09:00', zone: 'Europe/Berlin' };
const fridayMs = 1_795_161_600_000;
const allocate = (share: number) => ({
  kind: 'patch' as const,
  operations: [{ op: 'replace' as const, path: '/trafficAllocation', value: share }],
});
const schedule = {
  by: changeset.author,
  at: onFriday,
  steps: [
    {
      waitMs: dayMs,
      operations: [
        { environment: environmentReference, flag: { id: ids.flag, name: 'new_checkout' }, edit: allocate(100) },
      ],
    },
  ],
  appliedAt: [],
  dueAt: fridayMs,
};
const scheduled = { ...changeset, status: 'SCHEDULED' as const, schedule, dueAt: fridayMs };
const { dueAt: _, ...halted } = schedule;
const { dueAt: __, ...waiting } = scheduled;

export const scheduleExamples: ExamplesOf<typeof schedules> = {
  scheduleChangeset: {
    body: {
      at: onFriday,
      steps: [
        {
          waitMs: dayMs,
          operations: [{ environment: 'Staging-Default', flag: 'new_checkout', edit: allocate(100) }],
        },
      ],
    },
    reply: scheduled,
  },
  pauseChangeset: {
    body: { comment: 'Errors went up.' },
    reply: { ...waiting, schedule: { ...halted, pausedAt: at } },
  },
  resumeChangeset: { body: { comment: 'It was something else.' }, reply: scheduled },
  skipWait: { body: {}, reply: { ...scheduled, schedule: { ...schedule, dueAt: at }, dueAt: at } },
  abortChangeset: { body: { comment: 'Not this week.' }, reply: changeset },
  listComingSteps: {
    reply: [
      {
        changeset: { id: ids.changeset, name: title },
        status: 'SCHEDULED',
        by: changeset.author,
        at: onFriday,
        stepCount: 2,
        steps: [
          { step: 1, share: 50, at: fridayMs },
          { step: 2, share: 100, at: fridayMs + dayMs },
        ].map(({ share, ...step }) => ({
          ...step,
          hold: false,
          isConflict: false,
          killed: false,
          allocation: share,
          defaultTreatment: 'off',
          shares: [
            { treatment: 'on', size: share / 5 },
            { treatment: 'off', size: 100 - share / 5 },
          ],
        })),
      },
    ],
  },
};
