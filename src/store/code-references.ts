import sql, { bulk, join } from 'sql-template-tag';
import { type CodeReport, type FlagCode, maxReferencesOfFlag, maxReports, urlOf } from '#domain/code-references.ts';
import { Problem } from '#domain/problems.ts';
import { inChunks, type Reader, type Tx } from './sql.ts';

type Branch = Pick<CodeReport, 'repository' | 'branch'>;

/**
 * Replaces the report of a branch. Its row is the lock, so two reports of a branch do not mix. Flags that do not exist
 * are left out, and so is what exceeds the limit of a flag; returns how many references were stored.
 */
export async function saveCodeReport(tx: Tx, projectId: string, report: CodeReport): Promise<number> {
  const { repository, branch, commit = '', urlPattern = '', references } = report;
  await tx.run(sql`
    insert into code_reports (project_id, repository, branch, commit_id, url_pattern, reported_at)
    values (${projectId}, ${repository}, ${branch}, ${commit}, ${urlPattern}, ${tx.now})
        on conflict (project_id, repository, branch) do update
       set commit_id = excluded.commit_id, url_pattern = excluded.url_pattern, reported_at = excluded.reported_at`);
  const count = await tx.one<{ total: number }>(sql`
    select count(*) as total from code_reports where project_id = ${projectId}`);
  if ((count?.total ?? 0) > maxReports) throw new Problem('too_many_code_reports', { max: maxReports });
  await tx.run(sql`
    delete from code_references
     where project_id = ${projectId} and repository = ${repository} and branch = ${branch}`);
  const ids = await flagIds(tx, projectId, [...new Set(references.map(({ flag }) => flag))]);
  const rows = [...Map.groupBy(references, ({ flag }) => ids.get(flag))].flatMap(([flagId, own]) => {
    if (flagId === undefined) return [];
    const places = new Map(own.map((one) => [`${one.line} ${one.path}`, one]));
    return [...places.values()]
      .slice(0, maxReferencesOfFlag)
      .map(({ path, line, excerpt = '' }) => [flagId, projectId, repository, branch, path, line, excerpt]);
  });
  // In the order of flags, because each insert locks its flag.
  rows.sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  for (const some of inChunks(rows, rowsAtOnce)) {
    await tx.run(sql`
      insert into code_references (flag_id, project_id, repository, branch, path, line, excerpt) values ${bulk(some)}`);
  }
  return rows.length;
}

const rowsAtOnce = 250;

/** By name. */
async function flagIds(tx: Tx, projectId: string, names: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const some of inChunks(names, rowsAtOnce)) {
    const rows = await tx.all<{ id: string; name: string }>(sql`
      select id, name from flags where project_id = ${projectId} and name in (${join(some)})`);
    for (const { id, name } of rows) found.set(name, id);
  }
  return found;
}

export const deleteCodeReport = (tx: Tx, projectId: string, { repository, branch }: Branch) =>
  tx.run(sql`
    delete from code_reports where project_id = ${projectId} and repository = ${repository} and branch = ${branch}`);

interface ReferenceRow extends Branch {
  readonly commit_id: string;
  readonly url_pattern: string;
  readonly reported_at: number;
  readonly path: string;
  readonly line: number;
  readonly excerpt: string;
}

/** Of all branches that name the flag, bounded by the number of reports and of references in each. */
export async function listCodeReferences(db: Reader, flagId: string): Promise<FlagCode['reports']> {
  const rows = await db.all<ReferenceRow>(sql`
    select r.repository, r.branch, p.commit_id, p.url_pattern, p.reported_at, r.path, r.line, r.excerpt
      from code_references r
      join code_reports p on p.project_id = r.project_id and p.repository = r.repository and p.branch = r.branch
     where r.flag_id = ${flagId} order by r.repository, r.branch, r.path, r.line limit ${maxShown}`);
  return [...Map.groupBy(rows, ({ repository, branch }) => JSON.stringify([repository, branch])).values()].map(
    (own) => {
      const {
        repository,
        branch,
        commit_id: commit,
        url_pattern: pattern,
        reported_at: reportedAt,
      } = own[0] as ReferenceRow;
      return {
        repository,
        branch,
        reportedAt,
        ...(commit === '' ? {} : { commit }),
        references: own.map(({ path, line, excerpt }) => ({
          path,
          line,
          ...(excerpt === '' ? {} : { excerpt }),
          ...(pattern === '' ? {} : { url: urlOf(pattern, { commit: commit || branch, path, line }) }),
        })),
      };
    },
  );
}

const maxShown = 1_000;

/** Deletes one report from before an instant; returns how many it deleted. */
export const deleteOldCodeReport = (tx: Tx, before: number) =>
  tx.run(sql`
    delete from code_reports
     where (project_id, repository, branch) in (
             select project_id, repository, branch from code_reports
              where reported_at < ${before} order by reported_at limit 1)`);
