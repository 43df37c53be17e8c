import type { Change } from '#domain/changes.ts';
import type { Flag } from '#domain/flags.ts';
import { equalJson } from '#domain/json.ts';
import { OwnerNames } from '../../kit/OwnerNames.tsx';
import styles from './FlagMembers.module.css';

type Members = Readonly<Record<string, unknown>>;

const names: Readonly<Record<string, string>> = {
  description: 'Description',
  tags: 'Tags',
  rolloutStatus: 'Rollout status',
  owners: 'Owners',
};

/** Derived fields, which are not worth showing. */
const unsaid = new Set(['rolloutStatusTimestamp', 'definitions', 'id']);

/** Changed fields of the flag itself. */
export function FlagMembers({ change }: { readonly change: Change }) {
  const before = (change.before ?? {}) as Members;
  const after = (change.after ?? {}) as Members;
  if (!change.before || !change.after) return null;
  const changed = Object.keys({ ...before, ...after }).filter(
    (name) => !unsaid.has(name) && !equalJson(before[name], after[name]),
  );
  return (
    <dl className={styles.members}>
      {changed.map((name) => (
        <div key={name}>
          <dt>{names[name] ?? name}</dt>
          <dd>
            <del>{said(name, before[name])}</del> <ins>{said(name, after[name])}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function said(name: string, value: unknown) {
  const isSome = name === 'owners' && Array.isArray(value) && value.length > 0;
  return isSome ? <OwnerNames owners={value as Flag['owners']} /> : words(value);
}

function words(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(words).join(', ');
  if (typeof value === 'object' && 'name' in value) return String(value.name);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
