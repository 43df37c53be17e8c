/**
 * Something to ask for, as much of it as is wanted: flags that are defined in three environments, half of them with a
 * word in the name and a tag, and as many people and groups. Written by the functions of the store itself, many in one
 * transaction: a hundred thousand flags take less than a minute, and whatever the store keeps beside them is kept.
 */
import { v7 as newId } from 'uuid';
import { setUp } from '#commands/setup.ts';
import type { Targeting } from '#domain/definitions/definition.ts';
import type { Flag } from '#domain/flags.ts';
import type { Project } from '#domain/projects.ts';
import { insertDefinition, type SeededDefinition, summaryOf } from '#store/definitions.ts';
import { insertEnvironment, listEnvironments, nextChangeNumber } from '#store/environments.ts';
import { insertFlag, saveFlag } from '#store/flags.ts';
import { insertGroup } from '#store/groups.ts';
import { openStore } from '#store/open.ts';
import { findProject } from '#store/projects.ts';
import { listRolloutStatuses } from '#store/rollout-statuses.ts';
import type { Store, Tx } from '#store/sql.ts';
import { findTrafficType } from '#store/traffic-types.ts';
import { insertUser } from '#store/users.ts';
import { adminKey } from './servers.ts';

export const projectName = 'Default';
/** The first start makes two; the third is added. */
export const environmentNames = ['Prod-Default', 'Staging-Default', 'Development'] as const;
export const [environmentName] = environmentNames;
/** In the names of every second flag. */
export const wordInNames = 'checkout';
/** On the same flags. */
export const tagOfSome = 'payments';

const digits = (number: number): string => String(number).padStart(6, '0');
export const flagName = (number: number): string => `${number % 2 === 0 ? wordInNames : 'flag'}-${digits(number)}`;

export const targeting: Targeting = {
  killed: false,
  treatments: [{ name: 'on', keys: Array.from({ length: 10 }, (_, number) => `customer-${number}`) }, { name: 'off' }],
  defaultTreatment: 'off',
  baselineTreatment: 'off',
  trafficAllocation: 100,
  rules: [
    {
      condition: {
        combiner: 'AND',
        matchers: [{ type: 'IN_LIST_STRING', attribute: 'plan', strings: ['team', 'enterprise'] }],
      },
      buckets: [
        { treatment: 'on', size: 20 },
        { treatment: 'off', size: 80 },
      ],
    },
  ],
  defaultRule: [{ treatment: 'off', size: 100 }],
  impressionsDisabled: false,
};

/** So many in one transaction: on PostgreSQL each must be done within the store's deadline, even on a busy machine. */
const batch = { file: 2_000, server: 50 };

export interface Catalogue {
  readonly flags: number;
  /** How many people, and how many groups. */
  readonly people: number;
}

/** Of an empty database. */
export async function fillCatalogue(databaseUrl: string, { flags, people }: Catalogue): Promise<void> {
  const store = await openStore({ databaseUrl, databasePool: 1 });
  try {
    await setUp(store, { adminKeyText: adminKey, transactionId: newId() });
    const place = await findPlace(store);
    const size = databaseUrl.startsWith('file:') ? batch.file : batch.server;
    await inBatches(store, { count: flags, size }, (tx, number) => insertFlagEverywhere(tx, place, number, flags));
    await inBatches(store, { count: people, size }, insertPersonAndGroup);
    // The numbers of the environments go on behind those of the definitions.
    await store.write(async (tx) => {
      for (const environment of place.environments) await nextChangeNumber(tx, environment);
    });
  } finally {
    await store.close();
  }
}

interface Batches {
  readonly count: number;
  readonly size: number;
}

async function inBatches(
  store: Store,
  { count, size }: Batches,
  insert: (tx: Tx, number: number) => Promise<void>,
): Promise<void> {
  for (let first = 0; first < count; first += size) {
    await store.write(async (tx) => {
      for (let number = first; number < Math.min(first + size, count); number += 1) await insert(tx, number);
    });
  }
}

interface Place {
  readonly project: Project;
  readonly environments: readonly { readonly id: string; readonly name: string }[];
  readonly trafficType: { readonly id: string; readonly name: string };
  readonly rolloutStatus: { readonly id: string; readonly name: string };
}

async function findPlace(store: Store): Promise<Place> {
  const project = await findProject(store, projectName, { kind: 'account' });
  if (!project) throw new Error('there is no project');
  const added = { id: newId(), projectId: project.id, name: environmentNames[2], production: false };
  await store.write((tx) => insertEnvironment(tx, { ...added, createdAt: tx.now }));
  const trafficType = await findTrafficType(store, project.id, 'user');
  const [rolloutStatus] = await listRolloutStatuses(store, project.id);
  if (!trafficType || !rolloutStatus) throw new Error('the project is not complete');
  return {
    project,
    environments: await listEnvironments(store, project.id, { kind: 'account' }),
    trafficType: { id: trafficType.id, name: trafficType.name },
    rolloutStatus: { id: rolloutStatus.id, name: rolloutStatus.name },
  };
}

async function insertFlagEverywhere(tx: Tx, place: Place, number: number, count: number): Promise<void> {
  const { project, environments, trafficType, rolloutStatus } = place;
  // In the past, one after the other, as if each had been made in a millisecond of its own.
  const at = tx.now - count + number;
  const flag: Flag = {
    id: newId(),
    name: flagName(number),
    description: 'Made to be measured',
    trafficType,
    creationTime: at,
    rolloutStatus,
    rolloutStatusTimestamp: at,
    tags: number % 2 === 0 ? [{ name: tagOfSome }] : null,
    owners: [],
    revision: at,
  };
  await insertFlag(tx, project.id, flag);
  if (flag.tags) await saveFlag(tx, flag);
  for (const environment of environments) {
    const definition: SeededDefinition = {
      id: flag.id,
      name: flag.name,
      environment,
      trafficType,
      targeting: JSON.stringify(targeting),
      creationTime: at,
      lastUpdateTime: at,
      seed: number,
      trafficAllocationSeed: -number,
      algo: 2,
      revision: at,
    };
    await insertDefinition(tx, definition, summaryOf(targeting));
  }
}

async function insertPersonAndGroup(tx: Tx, number: number): Promise<void> {
  const group = { id: newId(), type: 'group' as const, name: `Group ${digits(number)}`, description: '' };
  await insertGroup(tx, group);
  await insertUser(tx, {
    id: newId(),
    name: `Person ${digits(number)}`,
    email: `person-${digits(number)}@example.com`,
    status: 'ACTIVE',
    twoFactor: false,
    groupIds: [group.id],
    createdAt: tx.now,
  });
}
