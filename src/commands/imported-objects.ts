/**
 * Writes what an import planned, with the functions of the other commands. A batch is one transaction; each object has
 * its audit entry, which names the source, and its row in `imported_objects`.
 */
import { mayEverything } from '#domain/access.ts';
import { type Environment, openPermissions } from '#domain/environments.ts';
import type { Item, Kind, Wanted, WantedDefinition } from '#domain/import/plan.ts';
import type { Person } from '#domain/import/source.ts';
import { Problem } from '#domain/problems.ts';
import type { Project } from '#domain/projects.ts';
import type { NewProjects } from '#domain/restrictions.ts';
import type { NamedGrantee } from '#domain/rights.ts';
import type { Segment } from '#domain/segments.ts';
import { emailKey } from '#domain/users.ts';
import { findEnvironment } from '#store/environments.ts';
import { findFlag } from '#store/flags.ts';
import { findGroupsNamed, findUsersWith, saveImportedObject } from '#store/imports.ts';
import { findProject } from '#store/projects.ts';
import { keepRolloutStatus, listRolloutStatuses } from '#store/rollout-statuses.ts';
import { listAllKeys } from '#store/segment-keys.ts';
import { findActivation, findSegment } from '#store/segments.ts';
import type { Reader, Tx } from '#store/sql.ts';
import { findTrafficType } from '#store/traffic-types.ts';
import { resendInvitationIn } from './accounts.ts';
import { saveAttributesIn } from './attributes.ts';
import { type AloneTx, type Context, prepare, type RecordingTx, readerOf, write, writeAlone } from './context.ts';
import { editDefinitionIn } from './definitions.ts';
import { createEnvironmentIn } from './environments.ts';
import { createFlagSetIn } from './flag-sets.ts';
import { createFlagIn, patchFlagIn } from './flags.ts';
import { createGroupIn } from './groups.ts';
import { createProjectIn } from './projects.ts';
import { changeAccessIn } from './restrictions.ts';
import { replaceRulesIn } from './rule-based-segments.ts';
import { addKeysIn, removeKeysIn } from './segment-keys.ts';
import { activateSegmentIn, changeSegmentDetailsIn, createSegmentIn } from './segments.ts';
import { createTrafficTypeIn } from './traffic-types.ts';
import { replaceLargeKeys } from './uploads.ts';
import { addUserIn, inviteUserIn } from './users.ts';

export interface ImportOptions {
  /** As audit entries name it. */
  readonly source: string;
  readonly newProjects: NewProjects;
}

/** Writes some of the planned objects, all or none. Not keys. Only for administrators. */
export function importObjects(context: Context, items: readonly Item[], options: ImportOptions): Promise<void> {
  // Lists may end someone's access.
  if (items.some(({ kind }) => kind === 'restriction')) {
    return writeAlone(context, async (tx) => {
      const noted = withNote(tx, options);
      for (const item of items) await restrictIn(noted, item as Item<'restriction'>, options);
    });
  }
  return write(context, async (tx) => {
    const noted = withNote(tx, options);
    for (const item of items) await writers[item.kind](noted, item as never, options);
  });
}

/** Keys of a standard segment that an import adds or removes in one transaction. */
export interface KeysPart {
  readonly item: Item<'keys'>;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The least change number. */
  readonly atLeast: number | undefined;
  /** What the row says afterwards: the hash of the plan, or that there is more to come. */
  readonly contentHash: string;
}

export function importKeys(context: Context, part: KeysPart, options: ImportOptions): Promise<void> {
  return write(context, async (tx) => {
    const noted = withNote(tx, options);
    const { item, added, removed, contentHash } = part;
    const project = await projectOf(noted, item);
    const environment = await environmentOf(noted, project, item);
    const segment = await segmentOf(noted, project, item.name);
    const atLeast = part.atLeast === undefined ? undefined : Math.min(part.atLeast, tx.now);
    const change = { project, environment, segment, note: noteOf(options), source: options.source, atLeast };
    if (removed.length > 0) await removeKeysIn(noted, { ...change, keys: removed });
    const { activation } = await addKeysIn(noted, { ...change, keys: added });
    const row = { kind: 'keys', name: item.name, projectId: project.id, environmentId: environment.id, contentHash };
    await saveImportedObject(noted, options.source, { ...row, revision: activation.changeNumber });
  });
}

/** Makes these the keys of a large segment. */
export async function importLargeKeys(
  context: Context,
  item: Item<'keys'>,
  { chunks, ...options }: ImportOptions & { readonly chunks: AsyncIterable<Uint8Array> },
): Promise<void> {
  const reader = readerOf(context);
  const project = await projectOf(reader, item);
  const environment = await environmentOf(reader, project, item);
  const segment = await segmentOf(reader, project, item.name);
  const place = { projectId: project.id, environmentId: environment.id };
  await replaceLargeKeys(
    context,
    { project, environment, segment, note: noteOf(options) },
    chunks,
    async (tx, number) => {
      const row = { kind: 'keys', name: item.name, ...place, contentHash: item.hash, revision: number };
      await saveImportedObject(tx, options.source, row);
    },
  );
}

/** Remembers keys that were here already. */
export const rememberKeys = async (context: Context, item: Item<'keys'>, { source }: ImportOptions): Promise<void> => {
  const reader = readerOf(context);
  const project = await projectOf(reader, item);
  const environment = await environmentOf(reader, project, item);
  const segment = await segmentOf(reader, project, item.name);
  await prepare(context, async (tx) => {
    const revision = (await findActivation(tx, environment.id, segment.id))?.changeNumber;
    const place = { projectId: project.id, environmentId: environment.id };
    await saveImportedObject(tx, source, { kind: 'keys', name: item.name, ...place, contentHash: item.hash, revision });
  });
};

/** Remembers objects that are here with the content of the source, so that a later change there can follow. */
export const rememberSame = (
  context: Context,
  items: readonly Item[],
  { source }: Pick<ImportOptions, 'source'>,
): Promise<void> =>
  prepare(context, async (tx) => {
    for (const { kind, name, hash: contentHash, ...item } of items) {
      const found = await findProject(tx, item.project ?? '', account);
      const at =
        found && item.environment !== undefined && (await findEnvironment(tx, found.id, item.environment, account));
      // Deleted meanwhile: there is nothing to follow.
      if (!found || at === undefined) continue;
      const place = { projectId: found.id, ...(at ? { environmentId: at.id } : {}) };
      await saveImportedObject(tx, source, { kind, name, ...place, contentHash });
    }
  });

/** The keys of a standard segment here. */
export async function* listKeysHere(context: Context, item: Item<'keys'>): AsyncGenerator<string[]> {
  const reader = readerOf(context);
  const project = await projectOf(reader, item);
  const { id: environmentId } = await environmentOf(reader, project, item);
  yield* listAllKeys(reader, { environmentId, segment: item.name });
}

const noteOf = ({ source }: ImportOptions) => ({ title: `Imported from ${source}`, comment: 'Written by an import.' });

/** Every entry names the source. Refuses those who are not administrators. */
function withNote<Own extends RecordingTx>(tx: Own, options: ImportOptions): Own {
  if (!mayEverything(tx.actor)) {
    throw new Problem('forbidden', {
      reason: 'Only administrators can import.',
      ask: 'Ask an administrator.',
    });
  }
  return { ...tx, record: (entry) => tx.record({ ...entry, note: noteOf(options) }) };
}

type Writer<K extends Kind> = (tx: RecordingTx, item: Item<K>, options: ImportOptions) => Promise<void>;

const writers: { readonly [K in Kind]: Writer<K> } = {
  group: async (tx, item, options) => {
    await createGroupIn(tx, { name: item.name, ...wantedOf(item) });
    await remember(tx, item, options);
  },
  user: async (tx, item, options) => {
    const { name, groups, invite } = wantedOf(item);
    if (item.action === 'update') {
      const id = (await findUsersWith(tx, [emailKey(item.name)]))[0]?.id ?? '';
      await resendInvitationIn(tx, id);
    } else {
      const groupIds = (await findGroupsNamed(tx, groups)).map(({ id }) => id);
      await (invite ? inviteUserIn : addUserIn)(tx, { email: item.name, name, groupIds });
    }
    const revision = invite ? 1 : undefined;
    await remember(tx, { ...item, name: emailKey(item.name) }, options, { revision });
  },
  project: async (tx, item, options) => {
    const fields = { name: item.name, ...wantedOf(item), environments: [] };
    const { id: projectId } = await createProjectIn(tx, fields, options.newProjects);
    await remember(tx, item, options, { projectId });
  },
  environment: async (tx, item, options) => {
    const project = await projectOf(tx, item);
    // It begins at 0, so that definitions keep the numbers that they have at the source.
    const fields = { name: item.name, ...wantedOf(item), permissions: openPermissions, changeNumber: 0 };
    const { environment } = await createEnvironmentIn(tx, project, fields);
    await remember(tx, item, options, { projectId: project.id, environmentId: environment.id });
  },
  traffic_type: async (tx, item, options) => {
    const project = await projectOf(tx, item);
    const { displayAttributeId } = wantedOf(item);
    await createTrafficTypeIn(tx, project, {
      name: item.name,
      ...(displayAttributeId === undefined ? {} : { displayAttributeId }),
    });
    await remember(tx, item, options, { projectId: project.id });
  },
  attribute: async (tx, item, options) => {
    const project = await projectOf(tx, item);
    const { trafficType, settings } = wantedOf(item);
    await saveAttributesIn(tx, await trafficTypeOf(tx, project, trafficType), [settings]);
    await remember(tx, item, options, { projectId: project.id });
  },
  rollout_status: async () => {},
  flag_set: async (tx, item, options) => {
    const project = await projectOf(tx, item);
    await createFlagSetIn(tx, { project, name: item.name, ...wantedOf(item) });
    await remember(tx, item, options, { projectId: project.id });
  },
  segment: async (tx, item, options) => {
    const project = await projectOf(tx, item);
    const { kind, trafficType, description, tags } = wantedOf(item);
    if (item.action === 'create') {
      const fields = { trafficType: await trafficTypeOf(tx, project, trafficType), kind, name: item.name };
      await createSegmentIn(tx, { project, ...fields, description, tags });
    } else {
      const details = { description, tags: [...tags] };
      await changeSegmentDetailsIn(tx, await segmentOf(tx, project, item.name), {
        project,
        details,
        note: noteOf(options),
      });
    }
    await remember(tx, item, options, { projectId: project.id });
  },
  flag: async (tx, item, options) => {
    const project = await projectOf(tx, item);
    await writeFlag(tx, item, project, options);
    await remember(tx, item, options, { projectId: project.id });
  },
  activation: async (tx, item, options) => {
    const project = await projectOf(tx, item);
    const environment = await environmentOf(tx, project, item);
    const segment = await segmentOf(tx, project, item.name);
    // The smallest number, because the source's numbers of what follows may be old.
    await activateSegmentIn(tx, { environment, segment, atLeast: 0 });
    await remember(tx, item, options, { projectId: project.id, environmentId: environment.id });
  },
  rules: async (tx, item, options) => {
    const project = await projectOf(tx, item);
    const environment = await environmentOf(tx, project, item);
    const segment = await segmentOf(tx, project, item.name);
    const { rules, changeNumber } = wantedOf(item);
    const atLeast = leastNumber(tx, changeNumber);
    const change = { project, environment, segment, note: noteOf(options), ifMatch: undefined, atLeast };
    await replaceRulesIn(tx, change, rules);
    await remember(tx, item, options, { projectId: project.id, environmentId: environment.id });
  },
  keys: () => {
    throw new Error('keys are imported in parts');
  },
  definition: async (tx, item, options) => {
    const project = await projectOf(tx, item);
    const environment = await environmentOf(tx, project, item);
    const flag = await findFlag(tx, project.id, item.name);
    if (!flag) throw new Problem('flag_not_found', { nameOrId: item.name });
    const wanted = wantedOf(item);
    const atLeast = leastNumber(tx, wanted.changeNumber);
    const place = { project, environment, flag, nameOrId: flag.name, note: noteOf(options) };
    const kind = item.action === 'create' ? 'create' : 'replace';
    await editDefinitionIn(tx, { ...place, ifMatch: item.ifMatch, atLeast }, { kind, body: bodyOf(wanted) });
    await remember(tx, item, options, { projectId: project.id, environmentId: environment.id });
  },
  restriction: () => {
    throw new Error('restrictions are imported alone');
  },
};

const bodyOf = ({ targeting, flagSets, seeds, algorithm }: WantedDefinition) => ({
  ...targeting,
  flagSets,
  ...(seeds ? { ...seeds, algo: algorithm } : {}),
});

/** A number in the future would make the next change here look old. */
const leastNumber = (tx: Tx, number: number | undefined): number => Math.min(number ?? tx.now, tx.now);

async function writeFlag(tx: RecordingTx, item: Item<'flag'>, project: Project, options: ImportOptions): Promise<void> {
  const { trafficType, description, tags, rolloutStatus: status, owners } = wantedOf(item);
  const named = (await listRolloutStatuses(tx, project.id)).find(({ name }) => name === status);
  // It may be deleted meanwhile.
  const rolloutStatus = named && (await keepRolloutStatus(tx, project.id, named.id));
  if (item.action === 'create') {
    const fields = { project, trafficType: await trafficTypeOf(tx, project, trafficType), name: item.name };
    const known = (await granteesOf(tx, owners)).flatMap(({ type, id }) => (type === 'api_key' ? [] : [{ type, id }]));
    await createFlagIn(tx, { ...fields, description, ifMatch: undefined, tags, rolloutStatus, owners: known });
    return;
  }
  const flag = await findFlag(tx, project.id, item.name);
  if (!flag) throw new Problem('flag_not_found', { nameOrId: item.name });
  const operations = [
    { op: 'replace' as const, path: '/description', value: description },
    { op: 'add' as const, path: '/tags', value: [...tags] },
    ...(rolloutStatus ? [{ op: 'replace' as const, path: '/rolloutStatus/id', value: rolloutStatus.id }] : []),
  ];
  await patchFlagIn(tx, { project, flag, note: noteOf(options), ifMatch: undefined, operations });
}

async function restrictIn(tx: AloneTx, item: Item<'restriction'>, options: ImportOptions): Promise<void> {
  const project = await projectOf(tx, item);
  const { list, people } = wantedOf(item);
  const circle = { restricted: true, grantees: await granteesOf(tx, people) };
  const places = { view: 'viewers', edit: 'editors' };
  if (list !== 'editors') {
    await changeAccessIn(tx, { project, update: { [list]: circle }, places });
    await remember(tx, item, options, { projectId: project.id });
    return;
  }
  const environment = await environmentOf(tx, project, item);
  const update = { environments: [{ id: environment.id, editors: circle }] };
  await changeAccessIn(tx, { project, update, places });
  await remember(tx, item, options, { projectId: project.id, environmentId: environment.id });
}

/** Those that exist here. */
async function granteesOf(tx: Tx, people: readonly Person[]): Promise<NamedGrantee[]> {
  const namesOf = (kind: Person['kind']) => people.filter((one) => one.kind === kind).map(({ name }) => name);
  const users = await findUsersWith(tx, namesOf('user').map(emailKey));
  const groups = await findGroupsNamed(tx, namesOf('group'));
  return [
    ...users.map(({ id }) => ({ type: 'user' as const, id })),
    ...groups.map(({ id }) => ({ type: 'group' as const, id })),
  ];
}

function wantedOf<K extends Kind>({ wanted, kind, name }: Item<K>): Wanted[K] {
  if (wanted === undefined) throw new Error(`nothing is planned for ${kind} ${name}`);
  return wanted;
}

interface Remembered {
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly revision?: number | undefined;
}

const remember = (tx: Tx, { kind, name, hash }: Item, { source }: ImportOptions, place: Remembered = {}) =>
  saveImportedObject(tx, source, { kind, name, contentHash: hash, ...place });

const account = { kind: 'account' } as const;

async function projectOf(db: Reader, { project = '' }: Item): Promise<Project> {
  const found = await findProject(db, project, account);
  if (!found) throw new Problem('project_not_found', { nameOrId: project });
  return found;
}

async function environmentOf(db: Reader, { id }: Project, { environment = '' }: Item): Promise<Environment> {
  const found = await findEnvironment(db, id, environment, account);
  if (!found) throw new Problem('environment_not_found', { nameOrId: environment });
  return found;
}

async function segmentOf(db: Reader, { id }: Project, name: string): Promise<Segment> {
  const found = await findSegment(db, { projectId: id }, name);
  if (!found) throw new Problem('segment_not_found', { nameOrId: name });
  return found;
}

async function trafficTypeOf(tx: Tx, { id }: Project, name: string) {
  const found = await findTrafficType(tx, id, name);
  if (!found) throw new Problem('traffic_type_not_found', { nameOrId: name });
  return found;
}
