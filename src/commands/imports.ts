/** The rows of imports that run in the background. They never have keys of the source. */
import { v7 as newId } from 'uuid';
import type { ImportStep } from '#domain/imports.ts';
import { Problem } from '#domain/problems.ts';
import * as store from '#store/imports.ts';
import { type Context, prepare, write } from './context.ts';

/** Refused while another one runs. `source`: as the audit log names it. */
export const startImport = (context: Context, { step, source }: { step: ImportStep; source: string }) =>
  write(context, async (tx) => {
    const { type, id: actorId, name } = tx.actor;
    const row = { id: newId(), step, startedBy: JSON.stringify({ type, id: actorId, name }) };
    if (!(await store.insertImport(tx, row))) throw new Problem('import_running');
    await tx.record({
      action: 'import.started',
      object: { type: 'import', id: row.id, name: source },
      after: { step, source },
      touches: 'nothing',
    });
    return row.id;
  });

/** Its node notices with its next heartbeat. */
export const stopImport = (context: Context, nameOrId: string) =>
  write(context, async (tx) => {
    const found = await store.findImport(tx, nameOrId);
    if (!found) throw new Problem('import_not_found', { nameOrId });
    const result = JSON.stringify({ problem: 'It was stopped. What it wrote stays.' });
    const isStopped = await store.saveImportEnd(tx, found.id, { state: 'interrupted', result });
    if (!isStopped) return tx.unchanged(found.id);
    await tx.record({
      action: 'import.stopped',
      object: { type: 'import', id: found.id, name: found.step },
      after: { step: found.step },
      touches: 'nothing',
    });
    return found.id;
  });

/** Also the heartbeat. False if it was given up: then it must stop. */
export const saveImportProgress = (context: Context, id: string, progress: string): Promise<boolean> =>
  prepare(context, (tx) => store.saveImportProgress(tx, id, progress));

export const saveImportEnd = (context: Context, id: string, end: store.ImportEnd): Promise<boolean> =>
  prepare(context, (tx) => store.saveImportEnd(tx, id, end));
