/** The audit log as the model expects it. */
import type { Api } from '../app.ts';
import { difference, type Ids, type Strictness } from './compare.ts';
import type { Entry } from './step.ts';

export interface Recorded extends Entry {
  readonly at: number;
}

const shown = ({ action, object, project, environment, before, after, note, editor, at }: Recorded) => ({
  ...{ id: '@any', type: 'audit_log', auditLogType: action, object, createdAt: at, transactionId: '@any' },
  ...{ workspaceId: project, environmentId: environment, before, after, title: note?.title, comment: note?.comment },
  editor: editor ?? { type: 'api_key', id: '@key', name: 'First admin key' },
});

/** What is wrong with the log, if anything. */
export async function auditDifference(
  api: Api,
  entries: readonly Recorded[],
  { ids, strictness }: { ids: Ids; strictness: Strictness },
): Promise<string | undefined> {
  const found: unknown[] = [];
  let after: string | null = '';
  while (after !== null) {
    const { body } = await api.get(`/auditLogs?limit=200${after === '' ? '' : `&after=${after}`}`);
    found.push(...body.data);
    after = body.nextMarker;
  }
  return difference(entries.map(shown).toReversed(), found, { ids, strictness, place: 'audit log' });
}
