/** The audit log as the model expects it. */
import type { Api } from '../app.ts';
import { difference, type Ids } from './compare.ts';
import type { Entry } from './step.ts';

export interface Recorded extends Entry {
  readonly at: number;
}

const shown = ({ action, object, project, environment, before, after, note, editor, at }: Recorded) => ({
  id: '@any',
  type: 'audit_log',
  auditLogType: action,
  object,
  createdAt: at,
  transactionId: '@any',
  workspaceId: project,
  environmentId: environment,
  before,
  after,
  title: note?.title,
  comment: note?.comment,
  editor: editor ?? { type: 'api_key', id: '@key', name: 'First admin key' },
});

/** Where several orders are possible, the states between are not known, nor are names and instants. */
const blurred = (entry: Entry): Recorded => ({
  ...entry,
  object: { ...entry.object, name: '@any' },
  before: entry.before && '@any',
  after: entry.after && '@any',
  at: '@any' as unknown as number,
});

/** What is wrong with the log, if anything. */
export async function auditDifference(api: Api, entries: readonly Recorded[], ids: Ids): Promise<string | undefined> {
  return difference(entries.map(shown).toReversed(), await wholeLog(api), { ids, strictness: 'serial', place: 'log' });
}

/** The same, except for the order and what depends on it. */
export function entriesDifference(entries: readonly Entry[], log: readonly LogEntry[], ids: Ids): string | undefined {
  const expected = entries.map((entry) => shown(blurred(entry)));
  return difference(expected, log, { ids, strictness: 'concurrent', place: 'log' });
}

export interface LogEntry {
  readonly transactionId: string;
}

export async function wholeLog(api: Api): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  let after: string | null = '';
  while (after !== null) {
    const { body } = await api.get(`/auditLogs?limit=200${after === '' ? '' : `&after=${after}`}`);
    found.push(...body.data);
    after = body.nextMarker;
  }
  return found;
}
