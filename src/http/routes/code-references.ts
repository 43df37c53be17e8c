import { reportCode } from '#commands/code-references.ts';
import * as contract from '#contract/code-references.ts';
import { listCodeReferences } from '#store/code-references.ts';
import type { Reader } from '#store/sql.ts';
import { implement } from '../pipeline/implement.ts';

export const codeReferences = (db: Reader) =>
  implement(contract, {
    reportCode: async ({ context, project, body }) => reportCode(context, project, body),
    getFlagCode: async ({ flag }) => ({ reports: await listCodeReferences(db, flag.id) }),
  });
