import { stopImport } from '#commands/imports.ts';
import * as contract from '#contract/imports.ts';
import type { Import } from '#domain/imports.ts';
import { Problem } from '#domain/problems.ts';
import type { ImportJobs } from '#import/jobs.ts';
import { findImport } from '#store/imports.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';

export const imports = (db: Reader, jobs: ImportJobs) =>
  implement(contract, {
    startImport: async ({ context, body }) => toImport(db, await jobs.start(context, body)),
    getImport: async ({ params }) => toImport(db, params.import),
    stopImport: async ({ context, params }) => {
      const id = await stopImport(context, params.import);
      await jobs.stop(id);
      return toImport(db, id);
    },
  });

async function toImport(db: Reader, nameOrId: string): Promise<Import> {
  const found = await findImport(db, nameOrId);
  if (!found) throw new Problem('import_not_found', { nameOrId });
  const { progress, startedBy, result, ...rest } = found;
  return {
    ...rest,
    step: rest.step as Import['step'],
    startedBy: JSON.parse(startedBy),
    progress: JSON.parse(progress),
    ...(result === undefined ? {} : { result: JSON.parse(result) }),
  };
}
