import type { Role } from '#domain/access.ts';
import { Checkbox, Choices } from '../../ui/Checkbox.tsx';
import { offeredRoles, roleWords } from './key-words.ts';
import styles from './RoleFields.module.css';

interface Props {
  readonly roles: readonly Role[];
  readonly onChange: (roles: Role[]) => void;
  readonly error: string | undefined;
}

const all = 'API_ALL_GRANTED';

/** The roles of an admin key. "Everything" includes the rest. */
export function RoleFields({ roles, onChange, error }: Props) {
  const isAll = roles.includes(all);
  const toggle = (role: Role, on: boolean) => onChange(on ? [...roles, role] : roles.filter((other) => other !== role));
  return (
    <Choices label="Roles" error={error}>
      <Checkbox
        label={roleWords[all].label}
        hint={roleWords[all].hint}
        checked={isAll}
        onChange={({ target }) => onChange(target.checked ? [all] : [])}
      />
      <div className={styles.single}>
        {offeredRoles.map((role) => (
          <Checkbox
            key={role}
            label={roleWords[role].label}
            hint={roleWords[role].hint}
            checked={isAll || roles.includes(role)}
            disabled={isAll}
            onChange={({ target }) => toggle(role, target.checked)}
          />
        ))}
      </div>
    </Choices>
  );
}
