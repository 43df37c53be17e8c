/** Changed fields of projects, environments, flags, users and groups. */
import { equalJson } from '#domain/json.ts';
import { accessChanges } from './access-changes.ts';

export interface FieldChange {
  readonly name: string;
  /** Absent if `after` says what was added and removed. */
  readonly before?: string;
  readonly after: string;
}

/** Labels of the fields worth a line. */
const members: Readonly<Record<string, string>> = {
  name: 'Name',
  description: 'Description',
  email: 'Email',
  tags: 'Tags',
  rolloutStatus: 'Rollout status',
  owners: 'Owners',
  production: 'Production',
  requiresTitleAndComments: 'Title and comment required',
  groups: 'Groups',
  position: 'Position',
  permanent: 'Stays out of cleanup',
};

/** `nameOf` resolves ids to names. Empty for new and deleted objects. */
export function fieldChanges(
  before: unknown,
  after: unknown,
  nameOf: (id: string) => string | undefined,
): FieldChange[] {
  if (!isObject(before) || !isObject(after)) return [];
  const fields = Object.entries(members)
    .filter(([member]) => !equalJson(before[member], after[member]))
    .map(([member, name]) => ({
      name,
      before: inWords(before[member], nameOf),
      after: inWords(after[member], nameOf),
    }));
  return [...fields, ...accessChanges(before, after)];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function inWords(value: unknown, nameOf: (id: string) => string | undefined): string {
  if (value === undefined || value === null || value === '') return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((one) => inWords(one, nameOf)).join(', ') || 'nobody';
  if (!isObject(value)) return String(value);
  const { id, name } = value as { id?: string; name?: string };
  return name ?? (id === undefined ? '' : (nameOf(id) ?? id));
}
