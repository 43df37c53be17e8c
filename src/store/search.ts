/** Finds what the projects of a scope contain by parts of names. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Scope } from '#domain/access.ts';
import type { Found, SearchKind } from '#domain/search.ts';
import { firstOf, type Page } from './paging.ts';
import { partsOf } from './parts.ts';
import { environmentScopeFilter, scopeFilter } from './scope-filter.ts';
import { likeLiteral, type Reader } from './sql.ts';

export interface Search {
  readonly scope: Scope;
  readonly kinds: ReadonlySet<SearchKind>;
  /** Each word as its possible parts: the name, or that of the project, contains one part of each. */
  readonly words: readonly (readonly string[])[];
  /** Of each kind. */
  readonly limit: number;
  /** Which projects of the scope, in order of creation. */
  readonly projects: Page;
}

interface Row {
  readonly kind: SearchKind;
  readonly name: string;
  readonly project_id: string;
  readonly project_name: string;
}

/**
 * In a few projects of the scope, from the one with that number on. Short names first, within each kind. Names are
 * compared along their index; SQLite blocks the process meanwhile, so not in all projects at once, nor in all flags of a
 * project.
 */
export async function listFound(db: Reader, search: Search): Promise<Found[]> {
  const { scope, kinds, projects } = search;
  const reached = sql`
    select id, name from projects where ${scopeFilter(scope, sql`projects.id`)} order by created_at, id
     limit ${projects.limit} offset ${projects.offset}`;
  const rows = Number.isFinite(db.rowsPerTurn)
    ? [
        ...(await findRows(db, search, { kinds: new Set([...kinds].filter((kind) => kind !== 'flag')), reached })),
        ...(kinds.has('flag') ? await findFlags(db, search, reached) : []),
      ]
    : await findRows(db, search, { kinds, reached });
  const byKind = Map.groupBy(rows, ({ kind }) => kind);
  return [...kinds]
    .flatMap((kind) => byKind.get(kind) ?? [])
    .map(({ kind, name, project_id: id, project_name }) => ({ kind, name, project: { id, name: project_name } }));
}

/** Project by project, and of each some flags at a time. */
async function findFlags(db: Reader, search: Search, reached: Sql): Promise<Row[]> {
  const shortest = firstOf(search.limit, byLength);
  for (const { id } of await db.all<{ id: string }>(reached)) {
    const project = sql`select id, name from projects where id = ${id}`;
    const all = { from: sql`flags o`, where: sql`o.project_id = ${id}`, columns: [sql`o.name`] };
    for await (const flags of partsOf(db, all)) {
      shortest.add(await findRows(db, search, { kinds: new Set(['flag']), reached: project, flags }));
    }
  }
  return [...shortest.inOrder()];
}

const byLength = (one: Row, other: Row): number =>
  one.name.length - other.name.length || (one.name < other.name ? -1 : Number(one.name > other.name));

interface Part {
  readonly kinds: ReadonlySet<SearchKind>;
  /** The projects. */
  readonly reached: Sql;
  /** Which flags `o`. */
  readonly flags?: Sql;
}

function findRows(db: Reader, { scope, words, limit }: Search, { kinds, reached, flags = sql`1 = 1` }: Part) {
  const branch = (kind: SearchKind, name: Sql, from: Sql) => sql`
    select * from (
      select ${kind} as kind, ${name} as name, p.id as project_id, p.name as project_name
        from ${from} and ${contains(name, words)} order by length(${name}), ${name} limit ${limit}) ${raw(kind)}`;
  // SQLite keeps the order of a cross join.
  const inProject = (table: string) => sql`reached p cross join ${raw(table)} o where o.project_id = p.id`;
  const branches: Record<SearchKind, Sql> = {
    flag: branch('flag', sql`o.name`, sql`${inProject('flags')} and ${flags} and o.archived_at is null`),
    segment: branch('segment', sql`o.name`, inProject('segments')),
    environment: branch(
      'environment',
      sql`o.name`,
      sql`${inProject('environments')} and ${environmentScopeFilter(scope, sql`o.id`)}`,
    ),
    project: branch('project', sql`p.name`, sql`reached p where 1 = 1`),
  };
  return db.all<Row>(sql`
    with reached as (${reached})
    ${join(
      [...kinds].map((kind) => branches[kind]),
      ' union all ',
    )}`);
}

const contains = (name: Sql, words: Search['words']): Sql =>
  join(
    words.map((parts) => {
      const patterns = parts.map((part) => `%${likeLiteral(part)}%`);
      const either = (column: Sql) => patterns.map((pattern) => sql`lower(${column}) like ${pattern} escape '\\'`);
      return sql`(${join([...either(name), ...either(sql`p.name`)], ' or ')})`;
    }),
    ' and ',
  );
