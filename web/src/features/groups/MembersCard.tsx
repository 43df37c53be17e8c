import { useMutation, useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { patchUser } from '#contract/users.ts';
import { NameLink } from '../../administration/NameLink.tsx';
import { everyoneReading, type GroupAnswer, type UserAnswer } from '../../administration/whole-lists.ts';
import { Failure } from '../../kit/Failure.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { UserStatusChip } from '../../kit/StatusChip.tsx';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useMay } from '../../server/session.ts';
import { toast } from '../../state/toasts.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { focusWhenLost } from '../../ui/focus.ts';
import { Picker } from '../../ui/Picker.tsx';
import { addMember, isMember, removeMember, useRefreshGroups } from './groups-changes.ts';
import styles from './MembersCard.module.css';

/** The members of a group. Changes apply immediately and can be undone. */
export function MembersCard({ group }: { readonly group: GroupAnswer }) {
  const may = useMay();
  const everyone = useQuery(everyoneReading);
  const { add, remove, problem, removing } = useMembership(group);
  const members = everyone.data?.people.filter((user) => isMember(user, group.id)) ?? [];
  const others = everyone.data?.people.filter((user) => !isMember(user, group.id)) ?? [];
  return (
    <Card title="Members" aside={everyone.data && <span className={styles.count}>{members.length}</span>}>
      {problem && <Failure problem={problem} />}
      <Loaded query={everyone}>
        {() =>
          members.length === 0 ? (
            <p className={styles.none}>No members.</p>
          ) : (
            <ul className={styles.list}>
              {members.map((user) => (
                <MemberRow
                  key={user.id}
                  user={user}
                  isLeaving={removing === user.id}
                  onRemove={may(patchUser) ? () => remove(user) : undefined}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {may(patchUser) && (
        <div>
          <Picker
            label="Add a member"
            options={others.map(({ id, name, email }) => ({
              id,
              label: `${name} ${email}`,
              face: name,
              detail: email,
            }))}
            onChoose={(id) => {
              const user = others.find((one) => one.id === id);
              if (user) add(user);
            }}
            trigger={(trigger) => (
              <Button {...trigger}>
                <Plus size={14} aria-hidden /> Add member
              </Button>
            )}
          />
        </div>
      )}
    </Card>
  );
}

function useMembership(group: GroupAnswer) {
  const refresh = useRefreshGroups();
  const adding = useMutation<unknown, ApiProblem, UserAnswer>({
    mutationFn: ({ id }) => addMember(group.id, id),
    onSuccess: (_, user) => toast(`Added ${user.name} to ${group.name}.`, { label: 'Undo', run: () => remove(user) }),
    onSettled: () => refresh().then(focusWhenLost),
  });
  const removing = useMutation<unknown, ApiProblem, UserAnswer>({
    mutationFn: ({ id }) => removeMember(group.id, id),
    onSuccess: (_, user) => toast(`Removed ${user.name} from ${group.name}.`, { label: 'Undo', run: () => add(user) }),
    onSettled: () => refresh().then(focusWhenLost),
  });
  const add = (user: UserAnswer) => {
    removing.reset();
    adding.mutate(user);
  };
  const remove = (user: UserAnswer) => {
    adding.reset();
    removing.mutate(user);
  };
  return {
    add,
    remove,
    problem: adding.error ?? removing.error,
    removing: removing.isPending ? removing.variables.id : undefined,
  };
}

interface RowProps {
  readonly user: UserAnswer;
  readonly isLeaving: boolean;
  readonly onRemove: (() => void) | undefined;
}

const MemberRow = ({ user, isLeaving, onRemove }: RowProps) => (
  <li className={styles.row}>
    <Avatar name={user.name} />
    <span className={styles.who}>
      <NameLink to="/admin/users/$user" params={{ user: user.id }}>
        {user.name}
      </NameLink>
      <span className={styles.email}>{user.email}</span>
    </span>
    {user.status !== 'ACTIVE' && <UserStatusChip status={user.status} />}
    {onRemove && (
      <Button look="quiet" size="icon" isBusy={isLeaving} aria-label={`Remove ${user.name}`} onClick={onRemove}>
        <X size={15} aria-hidden />
      </Button>
    )}
  </li>
);
