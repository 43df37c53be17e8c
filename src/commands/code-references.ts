import type { CodeReport } from '#domain/code-references.ts';
import type { Project } from '#domain/projects.ts';
import { deleteCodeReport, saveCodeReport } from '#store/code-references.ts';
import { type Context, type RecordingTx, write } from './context.ts';

/** Stores where the code of a branch names flags, instead of its last report. */
export const reportCode = (context: Context, project: Project, report: CodeReport) =>
  write(context, (tx) => reportCodeIn(tx, project, report));

export async function reportCodeIn(tx: RecordingTx, project: Project, report: CodeReport) {
  const { repository, branch, commit } = report;
  const references = await saveCodeReport(tx, project.id, report);
  if (references === 0) await deleteCodeReport(tx, project.id, report);
  await tx.record({
    action: 'workspace.code_reported',
    object: { type: 'workspace', id: project.id, name: project.name },
    project,
    after: { repository, branch, ...(commit === undefined ? {} : { commit }), references },
    touches: 'nothing',
  });
  return { references };
}
