/** What imports wrote, and the imports that were started in the interface. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { AttributeSettings } from '#domain/attributes.ts';
import type { SegmentKind } from '#domain/segments.ts';
import type { Reader, Tx } from './sql.ts';

/** Where an imported object is. Without both ids it belongs to the account. */
export interface ImportedPlace {
  readonly projectId?: string | undefined;
  readonly environmentId?: string | undefined;
}

export interface ImportedObject extends ImportedPlace {
  readonly kind: string;
  readonly name: string;
  readonly contentHash: string;
  readonly revision?: number | undefined;
}

export const placeOf = ({ environmentId, projectId }: ImportedPlace): string => environmentId ?? projectId ?? '';

/** How many rows one statement reads. */
const rowsAtOnce = 5_000;

/** Everything that was imported from the source, page by page. */
export async function* listImportedObjects(db: Reader, source: string): AsyncGenerator<ImportedRow[]> {
  for (let last = { place: '', kind: '', name: '' }; ; ) {
    const rows = await db.all<ImportedRow>(sql`
      select place, kind, name, content_hash as "contentHash", revision from imported_objects
       where source = ${source} and (place, kind, name) > (${last.place}, ${last.kind}, ${last.name})
       order by place, kind, name limit ${rowsAtOnce}`);
    yield rows;
    if (rows.length < rowsAtOnce) return;
    last = rows.at(-1) ?? last;
  }
}

export interface ImportedRow {
  readonly place: string;
  readonly kind: string;
  readonly name: string;
  readonly contentHash: string;
  readonly revision: number | null;
}

export const saveImportedObject = (tx: Tx, source: string, object: ImportedObject) =>
  tx.run(sql`
    insert into imported_objects (source, place, kind, name, project_id, environment_id, content_hash, revision)
    values (${source}, ${placeOf(object)}, ${object.kind}, ${object.name}, ${object.projectId ?? null},
            ${object.environmentId ?? null}, ${object.contentHash}, ${object.revision ?? null})
        on conflict (source, place, kind, name) do update
       set content_hash = excluded.content_hash, revision = excluded.revision`);

export interface NamedContent {
  readonly name: string;
  readonly trafficType: string;
  readonly description: string;
  readonly tags: readonly string[];
}

interface ContentRow extends Omit<NamedContent, 'tags'> {
  readonly id: string;
}

const objectsAtOnce = 500;

/** The project's flags by name, page by page, with what an import compares. */
export const listFlagContents = (db: Reader, projectId: string) =>
  inPages(async (last) => {
    const rows = await db.all<ContentRow & { rolloutStatus: string }>(sql`
      select f.id, f.name, t.name as "trafficType", f.description, s.name as "rolloutStatus"
        from flags f join traffic_types t on t.id = f.traffic_type_id
        join rollout_statuses s on s.id = f.rollout_status_id
       where f.project_id = ${projectId} and f.name > ${last} order by f.name limit ${objectsAtOnce}`);
    return withTags(
      db,
      rows,
      (ids) => sql`
      select flag_id as id, name from flag_tags where flag_id in (${ids}) order by flag_id, position`,
    );
  }, byName);

/** The same for segments. */
export const listSegmentContents = (db: Reader, projectId: string) =>
  inPages(async (last) => {
    const rows = await db.all<ContentRow & { kind: SegmentKind }>(sql`
      select s.id, s.name, s.kind, t.name as "trafficType", s.description
        from segments s join traffic_types t on t.id = s.traffic_type_id
       where s.project_id = ${projectId} and s.name > ${last} order by s.name limit ${objectsAtOnce}`);
    return withTags(
      db,
      rows,
      (ids) => sql`
      select segment_id as id, name from segment_tags where segment_id in (${ids}) order by segment_id, position`,
    );
  }, byName);

async function withTags<Row extends ContentRow>(db: Reader, rows: readonly Row[], tagsOf: (ids: Sql) => Sql) {
  if (rows.length === 0) return [];
  const tags = await db.all<{ id: string; name: string }>(tagsOf(join(rows.map(({ id }) => id))));
  const byId = Map.groupBy(tags, ({ id }) => id);
  return rows.map((row) => ({ ...row, tags: (byId.get(row.id) ?? []).map(({ name }) => name) }));
}

const activationsAtOnce = 100;

/** The segments that are active in the environment, page by page. */
export const listActivations = (db: Reader, environmentId: string) =>
  inPages(
    (last) =>
      db.all<{ id: string; name: string; changeNumber: number; keyCount: number; rules: string | null }>(sql`
        select e.segment_id as id, s.name, e.change_number as "changeNumber", e.key_count as "keyCount", e.rules
          from segment_environments e join segments s on s.id = e.segment_id
         where e.environment_id = ${environmentId} and e.segment_id > ${last}
         order by e.segment_id limit ${activationsAtOnce}`),
    ({ id }) => id,
    activationsAtOnce,
  );

const byName = ({ name }: { readonly name: string }): string => name;

async function* inPages<Row>(
  read: (last: string) => Promise<Row[]>,
  keyOf: (row: Row) => string,
  size = objectsAtOnce,
): AsyncGenerator<Row[]> {
  for (let last = ''; ; ) {
    const rows = await read(last);
    yield rows;
    const end = rows.at(-1);
    if (!end || rows.length < size) return;
    last = keyOf(end);
  }
}

/** Everyone, page by page, as an import compares them. */
export const listPeople = (db: Reader) =>
  inPages(
    (last) =>
      db.all<{ id: string; email: string; emailKey: string; status: string }>(sql`
        select id, email, email_key as "emailKey", status from users
         where id > ${last} order by id limit ${objectsAtOnce}`),
    ({ id }) => id,
  );

export const listGroupNames = (db: Reader) =>
  inPages(
    (last) =>
      db.all<{ name: string }>(sql`select name from groups where name > ${last} order by name limit ${objectsAtOnce}`),
    byName,
  );

export const listProjectsNamed = (db: Reader, names: readonly string[]) =>
  names.length === 0
    ? Promise.resolve([])
    : db.all<{ id: string; name: string }>(sql`select id, name from projects where name in (${join([...names])})`);

/** The attributes of all traffic types of a project. */
export async function listAttributesOfProject(db: Reader, projectId: string) {
  const rows = await db.all<AttributeRow>(sql`
    select t.name as "trafficType", a.id, a.display_name as "displayName", a.description, a.data_type as "dataType",
           a.is_searchable as "isSearchable", a.suggested_values as "suggestedValues"
      from attributes a join traffic_types t on t.id = a.traffic_type_id
     where t.project_id = ${projectId}`);
  return rows.map(({ trafficType, isSearchable, suggestedValues, ...row }) => ({
    trafficType,
    settings: {
      ...row,
      isSearchable: Boolean(isSearchable),
      suggestedValues: JSON.parse(suggestedValues) as string[],
    } satisfies AttributeSettings,
  }));
}

interface AttributeRow extends Omit<AttributeSettings, 'isSearchable' | 'suggestedValues'> {
  readonly trafficType: string;
  readonly isSearchable: boolean | number;
  readonly suggestedValues: string;
}

export const findGroupsNamed = (db: Reader, names: readonly string[]) =>
  names.length === 0
    ? Promise.resolve([])
    : db.all<{ id: string; name: string }>(sql`select id, name from groups where name in (${join([...names])})`);

/** By addresses as they are compared. */
export const findUsersWith = (db: Reader, emailKeys: readonly string[]) =>
  emailKeys.length === 0
    ? Promise.resolve([])
    : db.all<{ id: string }>(sql`select id from users where email_key in (${join([...emailKeys])})`);

/** An import that was started in the interface. */
export interface StoredImport {
  readonly id: string;
  /** What was asked for: a plan, the import itself, or its verification. */
  readonly step: string;
  /** `interrupted`: it runs nowhere any more, but nobody saw it end. */
  readonly state: 'running' | 'done' | 'failed' | 'interrupted';
  /** JSON. */
  readonly progress: string;
  readonly result: string | undefined;
  readonly startedBy: string;
  readonly createdAt: number;
}

/** How many are kept, with their results. */
const keptImports = 20;
/** How long one that runs may write nothing. */
const heartbeatMs = 30_000;

/** False if one is running already. */
export async function insertImport(
  tx: Tx,
  { id, step, startedBy }: Pick<StoredImport, 'id' | 'step' | 'startedBy'>,
): Promise<boolean> {
  await tx.run(sql`
    update imports set state = 'interrupted' where state = 'running' and heartbeat < ${tx.now - heartbeatMs}`);
  await tx.run(sql`
    delete from imports where state <> 'running' and id not in (
      select id from imports order by created_at desc, id desc limit ${keptImports})`);
  const inserted = await tx.run(sql`
    insert into imports (id, step, state, progress, started_by, heartbeat, created_at)
    values (${id}, ${step}, 'running', '{}', ${startedBy}, ${tx.now}, ${tx.now})
        on conflict (state) where state = 'running' do nothing`);
  return inserted > 0;
}

/** Also the heartbeat. False if it was given up: then it must stop. */
export const saveImportProgress = async (tx: Tx, id: string, progress: string): Promise<boolean> =>
  (await tx.run(sql`
    update imports set progress = ${progress}, heartbeat = ${tx.now} where id = ${id} and state = 'running'`)) > 0;

export interface ImportEnd {
  readonly state: 'done' | 'failed' | 'interrupted';
  readonly result: string;
}

/** False if it does not run any more. */
export const saveImportEnd = async (tx: Tx, id: string, { state, result }: ImportEnd): Promise<boolean> =>
  (await tx.run(sql`
    update imports set state = ${state}, result = ${result}, heartbeat = ${tx.now}
     where id = ${id} and state = 'running'`)) > 0;

/** `latest`: the one that was started last. */
export async function findImport(db: Reader, nameOrId: string): Promise<StoredImport | undefined> {
  const wanted = nameOrId === 'latest' ? sql`order by created_at desc, id desc limit 1` : sql`where id = ${nameOrId}`;
  const row = await db.one<Omit<StoredImport, 'result'> & { result: string | null; heartbeat: number }>(sql`
    select id, step, state, progress, result, started_by as "startedBy", created_at as "createdAt", heartbeat
      from imports ${wanted}`);
  if (!row) return undefined;
  const { heartbeat, result, state, ...rest } = row;
  const isSilent = state === 'running' && heartbeat < db.clock() - heartbeatMs;
  return { ...rest, state: isSilent ? 'interrupted' : state, result: result ?? undefined };
}
