/** Labels for states. Colour is never the only signal. */
import type { UserStatus } from '#domain/users.ts';
import { Chip } from '../ui/Chip.tsx';
import { daysSince } from '../ui/Time.tsx';
import styles from './StatusChip.module.css';

/** Follows an environment name. */
export const ProdChip = () => <span className={styles.prod}>Prod</span>;

/** Marks a draft. */
export const Unsaved = () => <span className={styles.unsaved}>Unsaved</span>;

export const Killed = () => <span className={styles.killed}>Killed</span>;

const groups: Readonly<Record<string, string | undefined>> = {
  'Pre-Production': styles.waiting,
  '0% in Production': styles.waiting,
  'Internal Testing': styles.moving,
  'External Beta': styles.moving,
  Ramping: styles.moving,
  Experimenting: styles.moving,
  '100% Released': styles.done,
  Permanent: styles.done,
  Killed: styles.stopped,
  'Removed from Code': styles.gone,
};

interface RolloutProps {
  readonly name: string;
  /** When the status was set. */
  readonly since?: number;
}

/** A rollout status: a dot for its group, its name and its age in days. */
export const RolloutStatusLabel = ({ name, since }: RolloutProps) => (
  <span className={`${styles.rollout} ${groups[name] ?? styles.unknown}`}>
    {name}
    {since !== undefined && daysSince(since) > 0 && <span className={styles.days}>{daysSince(since)} d</span>}
  </span>
);

const userStatuses = {
  PENDING: { kind: 'plain', mark: 'ring', label: 'Pending' },
  ACTIVE: { kind: 'ok', mark: 'dot', label: 'Active' },
  DEACTIVATED: { kind: 'plain', mark: 'dot', label: 'Deactivated' },
} as const satisfies Record<UserStatus, object>;

export function UserStatusChip({ status }: { readonly status: UserStatus }) {
  const { label, ...look } = userStatuses[status];
  return <Chip {...look}>{label}</Chip>;
}
