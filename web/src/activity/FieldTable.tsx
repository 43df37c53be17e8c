import { equalJson } from '#domain/json.ts';
import styles from './FieldTable.module.css';

interface Props {
  readonly before: unknown;
  readonly after: unknown;
  /** Resolves ids. */
  readonly nameOf: (id: string) => string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** What an entry changed, field by field in words: all of it if something was created or deleted. */
export function FieldTable({ before, after, nameOf }: Props) {
  const [old, now] = [membersOf(before), membersOf(after)];
  const names = Object.keys({ ...old, ...now }).filter(
    (name) => !unsaid.has(name) && !equalJson(old?.[name], now?.[name]) && !isNothing(old?.[name], now?.[name]),
  );
  if (names.length === 0) return <p className={styles.none}>Nothing that is shown here changed.</p>;
  const isBoth = before !== undefined && after !== undefined;
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          {before !== undefined && <th scope="col">{isBoth ? 'Before' : 'Was'}</th>}
          {after !== undefined && <th scope="col">{isBoth ? 'After' : 'Value'}</th>}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{titleOf(name)}</th>
            {before !== undefined && <td className={styles.old}>{inWords(name, old?.[name], nameOf)}</td>}
            {after !== undefined && <td>{inWords(name, now?.[name], nameOf)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Ids and members that repeat the sentence above. JSON has them. */
const unsaid = new Set(['id', 'type', 'orgId', 'workspaceId', 'rolloutStatusTimestamp', 'lastUpdateTime', 'seed']);

const membersOf = (value: unknown): Members | undefined =>
  typeof value === 'object' && value !== null ? (value as Members) : undefined;

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
const isNothing = (...values: unknown[]): boolean => values.every(isEmpty);

/** "requiresTitleAndComments": "Requires title and comments". */
function titleOf(member: string): string {
  const words = member
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const isTime = (name: string, value: unknown): value is number =>
  typeof value === 'number' && value > 1e11 && /(Time|At|Timestamp|timestamp|Date)$/.test(name);

function inWords(name: string, value: unknown, nameOf: Props['nameOf']): string {
  if (isEmpty(value)) return 'none';
  if (isTime(name, value)) return exact.format(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return nameOf(value) ?? value;
  if (Array.isArray(value)) return value.map((one) => inWords(name, one, nameOf)).join(', ');
  const members = membersOf(value);
  if (!members) return String(value);
  const { id, name: ownName } = members as { id?: string; name?: string };
  if (typeof ownName === 'string') return ownName;
  if (typeof id === 'string') return nameOf(id) ?? id;
  return Object.entries(members)
    .filter(([, member]) => !isEmpty(member))
    .map(([member, inner]) => `${titleOf(member).toLowerCase()} ${inWords(member, inner, nameOf)}`)
    .join('; ');
}
