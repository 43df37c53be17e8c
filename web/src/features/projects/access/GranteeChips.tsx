import { useQuery } from '@tanstack/react-query';
import { KeyRound, Lock, Plus, User, UsersRound, X } from 'lucide-react';
import { useMemo } from 'react';
import { listApiKeys } from '#contract/api-keys.ts';
import { administrators } from '#domain/groups.ts';
import type { Grantee } from '#domain/rights.ts';
import { countOf } from '../../../administration/count.ts';
import { apiKeysReading, everyoneReading, groupsReading } from '../../../administration/whole-lists.ts';
import { useProject } from '../../../server/project.ts';
import { useMay } from '../../../server/session.ts';
import chips from '../../../ui/ChipsField.module.css';
import { MultiPicker } from '../../../ui/Picker.tsx';
import { addedTo, isSame } from './access-draft.ts';
import { useEditing } from './access-editing.ts';
import styles from './GranteeChips.module.css';

interface Props {
  /** Names the list: "Can edit definitions in Production". */
  readonly label: string;
  readonly grantees: readonly Grantee[];
  readonly saved: readonly Grantee[];
  /** Shown if nobody is listed. */
  readonly empty?: string;
  readonly onChange: (grantees: Grantee[]) => void;
}

/** The groups, people and API keys of a list, and a button to add more. */
export function GranteeChips({ label, grantees, saved, empty, onChange }: Props) {
  const { mayChange } = useEditing();
  const options = useGrantable(grantees);
  const added = addedTo(saved, grantees);
  const removable = grantees.filter((one) => !isFixed(one));
  return (
    <div className={styles.chips}>
      {empty !== undefined && grantees.length === 0 && <span className={styles.none}>{empty}</span>}
      {grantees.map((grantee) => (
        <GranteeChip
          key={keyOf(grantee)}
          grantee={grantee}
          isNew={added.includes(grantee)}
          onRemove={
            mayChange && !isFixed(grantee)
              ? () => onChange(grantees.filter((other) => !isSame(other, grantee)))
              : undefined
          }
        />
      ))}
      <MultiPicker
        label={label}
        options={options.map(({ grantee, detail, group }) => ({
          id: keyOf(grantee),
          label: grantee.name,
          detail,
          group,
        }))}
        selected={removable.map(keyOf)}
        onChange={(keys) => {
          const known = [...grantees, ...options.map(({ grantee }) => grantee)];
          const chosen = keys.flatMap((key) => known.find((one) => keyOf(one) === key) ?? []);
          onChange([...grantees.filter(isFixed), ...chosen]);
        }}
        trigger={(trigger) => (
          <button type="button" className={`${chips.add} ${styles.add}`} disabled={!mayChange} {...trigger}>
            <Plus size={13} aria-hidden /> Add <span className="sr">to {label}</span>
          </button>
        )}
      />
    </div>
  );
}

const keyOf = ({ type, id }: Grantee): string => `${type} ${id}`;

/** Removing administrators would change nothing: no list holds them back. */
const isFixed = ({ type, name }: Grantee): boolean => type === 'group' && name === administrators.name;

const icons = { group: UsersRound, user: User, api_key: KeyRound };

interface ChipProps {
  readonly grantee: Grantee;
  readonly isNew: boolean;
  readonly onRemove: (() => void) | undefined;
}

function GranteeChip({ grantee, isNew, onRemove }: ChipProps) {
  const { type, id, name } = grantee;
  const sizes = useGroupSizes();
  const Icon = icons[type];
  const size = type === 'group' && sizes ? (sizes.get(id) ?? 0) : undefined;
  return (
    <span
      className={`${chips.chip} ${isNew ? styles.added : styles.chip}`}
      title={isFixed(grantee) ? always : undefined}
    >
      <Icon size={13} aria-hidden />
      <span>
        {name}
        {isNew && <span className="sr"> (unsaved)</span>}
      </span>
      {size !== undefined && (
        <span className={styles.size}>
          <span aria-hidden>{size}</span>
          <span className="sr">{countOf(size, 'member')}</span>
        </span>
      )}
      {isFixed(grantee) && <Lock size={11} aria-label={always} />}
      {onRemove && (
        <button
          type="button"
          className={`${chips.remove} ${styles.remove}`}
          aria-label={`Remove ${name}`}
          onClick={onRemove}
        >
          <X size={12} aria-hidden />
        </button>
      )}
    </span>
  );
}

const always = 'Administrators always have this right';

/** Members of each group; a group without members is missing. */
function useGroupSizes(): ReadonlyMap<string, number> | undefined {
  const { data } = useQuery(everyoneReading);
  return useMemo(() => {
    if (!data?.isWhole) return undefined;
    const sizes = new Map<string, number>();
    for (const { id } of data.people.flatMap(({ groups }) => groups ?? [])) sizes.set(id, (sizes.get(id) ?? 0) + 1);
    return sizes;
  }, [data]);
}

interface Grantable {
  readonly grantee: Grantee;
  readonly detail?: string;
  readonly group: string;
}

/** All groups but the administrators, everyone who is not deactivated, and the admin keys that reach the project. */
function useGrantable(listed: readonly Grantee[]): Grantable[] {
  const may = useMay();
  const project = useProject();
  const { data: groups } = useQuery(groupsReading);
  const { data: everyone } = useQuery(everyoneReading);
  const { data: keys } = useQuery({ ...apiKeysReading, enabled: may(listApiKeys) });
  return useMemo(() => {
    const isListed = (id: string) => listed.some((one) => one.id === id);
    return [
      ...(groups ?? []).map(({ id, name }) => ({ grantee: { id, name, type: 'group' as const }, group: 'Groups' })),
      ...(everyone?.people ?? [])
        .filter(({ id, status }) => status !== 'DEACTIVATED' || isListed(id))
        .map(({ id, name, email }) => ({
          grantee: { id, name, type: 'user' as const },
          detail: email,
          group: 'People',
        })),
      ...(keys ?? [])
        .filter(({ apiKeyType, workspace }) => apiKeyType === 'admin' && (!workspace || workspace.id === project.id))
        .map(({ id, name }) => ({ grantee: { id, name, type: 'api_key' as const }, group: 'API keys' })),
    ].filter(({ grantee }) => !isFixed(grantee));
  }, [groups, everyone, keys, listed, project.id]);
}
