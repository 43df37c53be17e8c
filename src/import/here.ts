/** Reads what a plan compares with: the projects that the source names, and what was imported from it before. */
import { createHash } from 'node:crypto';
import { parseStored, type Targeting } from '#domain/definitions/definition.ts';
import {
  attributeName,
  type Choices,
  definitionContent,
  type Here,
  type HereActivation,
  type HereEnvironment,
  type HereProject,
  importedKey,
  type Kind,
  type Plan,
  rulesContent,
} from '#domain/import/plan.ts';
import { planImport } from '#domain/import/planner.ts';
import type { Person, SourceAccount } from '#domain/import/source.ts';
import { etagOf } from '#domain/revisions.ts';
import type { Circle } from '#domain/rights.ts';
import type { SegmentRules } from '#domain/rule-based-segments.ts';
import { listEveryDefinition } from '#store/definitions.ts';
import { listFlagSetNames } from '#store/delivery.ts';
import { listEnvironments } from '#store/environments.ts';
import * as store from '#store/imports.ts';
import { listProjectAccess, type StoredAccess } from '#store/restrictions.ts';
import { listRolloutStatuses } from '#store/rollout-statuses.ts';
import type { Reader } from '#store/sql.ts';
import { listTrafficTypes } from '#store/traffic-types.ts';
import { pausing } from './pausing.ts';

export interface PlanOptions {
  readonly choices?: Choices | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Plans the import of an account into the database. Writes nothing. */
export async function planAccount(
  db: Reader,
  source: SourceAccount,
  { choices = {}, signal }: PlanOptions = {},
): Promise<Plan> {
  const here = await readHere(db, source, { choices, signal });
  const pause = pausing(signal);
  const steps = planImport(source, here, choices);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await pause();
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
const account = { kind: 'account' } as const;

async function readHere(db: Reader, source: SourceAccount, { choices = {}, signal }: PlanOptions): Promise<Here> {
  const pause = pausing(signal);
  const emails = new Map<string, string>();
  const users = new Map<string, { status: string }>();
  for await (const people of store.listPeople(db)) {
    for (const { id, email, emailKey, status } of people) {
      emails.set(id, email);
      users.set(emailKey, { status });
    }
    await pause();
  }
  const groups = new Set<string>();
  for await (const some of store.listGroupNames(db)) {
    for (const { name } of some) groups.add(name);
    await pause();
  }
  const names = source.projects.map(({ name }) => choices.projects?.[name] ?? name);
  const found = await store.listProjectsNamed(db, names);
  const access = await listProjectAccess(
    db,
    found.map(({ id }) => id),
  );
  const projects = new Map<string, HereProject>();
  for (const project of found) {
    const lists = access.find(({ id }) => id === project.id);
    projects.set(project.name, await readProject(db, project.id, { lists, emails, pause }));
  }
  const imported = new Map<string, { hash: string; revision: number | undefined }>();
  for await (const rows of store.listImportedObjects(db, source.name)) {
    for (const { place, kind, name, contentHash: hash, revision } of rows) {
      imported.set(importedKey(place, kind as Kind, name), { hash, revision: revision ?? undefined });
    }
    await pause();
  }
  return { groups, users, projects, imported, hashOf };
}

interface Reading {
  readonly lists: StoredAccess | undefined;
  /** By id. */
  readonly emails: ReadonlyMap<string, string>;
  readonly pause: () => Promise<void>;
}

async function readProject(db: Reader, id: string, reading: Reading): Promise<HereProject> {
  const { lists, emails, pause } = reading;
  const setNames = await listFlagSetNames(db, id);
  const environments = new Map<string, HereEnvironment>();
  for (const environment of await listEnvironments(db, id, account)) {
    const editors = lists?.environments.find((one) => one.id === environment.id)?.editors;
    environments.set(environment.name, {
      id: environment.id,
      editors: peopleIn(editors, emails),
      activations: await readActivations(db, environment.id, pause),
      definitions: await readDefinitions(db, environment, { setNames, pause }),
    });
  }
  const attributes = await store.listAttributesOfProject(db, id);
  return {
    id,
    environments,
    trafficTypes: new Set((await listTrafficTypes(db, id)).map(({ name }) => name)),
    attributes: new Map(
      attributes.map(({ trafficType, settings }) => [attributeName(trafficType, settings.id), settings]),
    ),
    rolloutStatuses: new Set((await listRolloutStatuses(db, id)).map(({ name }) => name)),
    flagSets: new Set(setNames.values()),
    segments: await byName(store.listSegmentContents(db, id), pause),
    flags: await byName(store.listFlagContents(db, id), pause),
    viewers: peopleIn(lists?.view, emails),
    editors: peopleIn(lists?.edit, emails),
  };
}

/** Undefined if the list is open. Keys are not compared: those of the source do not exist here. */
const peopleIn = (circle: Circle | undefined, emails: ReadonlyMap<string, string>): Person[] | undefined =>
  circle?.restricted
    ? circle.grantees.flatMap(({ type, id, name }): Person[] =>
        type === 'api_key' ? [] : [{ kind: type, name: type === 'user' ? (emails.get(id) ?? name) : name }],
      )
    : undefined;

/** Without the names and ids, which are not compared. */
async function byName<Row extends { readonly id: string; readonly name: string }>(
  pages: AsyncIterable<readonly Row[]>,
  pause: Reading['pause'],
) {
  const all = new Map<string, Omit<Row, 'id' | 'name'>>();
  for await (const rows of pages) {
    for (const { id: _, name, ...content } of rows) all.set(name, content);
    await pause();
  }
  return all;
}

async function readActivations(db: Reader, environmentId: string, pause: Reading['pause']) {
  const all = new Map<string, HereActivation>();
  for await (const rows of store.listActivations(db, environmentId)) {
    for (const { name, changeNumber, keyCount, rules } of rows) {
      const hash = rules === null ? undefined : hashOf(rulesContent(JSON.parse(rules) as SegmentRules));
      all.set(name, { changeNumber, keyCount, rules: hash });
      await pause();
    }
  }
  return all;
}

async function readDefinitions(
  db: Reader,
  environment: { readonly id: string; readonly name: string },
  { setNames, pause }: Pick<Reading, 'pause'> & { readonly setNames: ReadonlyMap<string, string> },
) {
  const all = new Map<string, HereEnvironment['definitions'] extends ReadonlyMap<string, infer One> ? One : never>();
  for await (const stored of listEveryDefinition(db, environment)) {
    const { seed, trafficAllocationSeed, algo } = stored;
    const targeting: Targeting = parseStored(stored);
    const sets = (targeting.flagSets ?? []).flatMap(({ id }) => setNames.get(id) ?? []);
    const hash = hashOf(definitionContent(targeting, sets));
    all.set(stored.name, { hash, etag: etagOf(stored), seed, trafficAllocationSeed, algo });
    await pause();
  }
  return all;
}
