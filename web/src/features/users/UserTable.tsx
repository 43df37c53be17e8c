import { useQuery } from '@tanstack/react-query';
import { patchUser } from '#contract/users.ts';
import { NameLink } from '../../administration/NameLink.tsx';
import { Nothing, RowName, StackingTable } from '../../administration/StackingTable.tsx';
import { groupsReading, type UserAnswer } from '../../administration/whole-lists.ts';
import { UserStatusChip } from '../../kit/StatusChip.tsx';
import { useMay, useMe } from '../../server/session.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Chip, Tag } from '../../ui/Chip.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { UserMenu } from './UserMenu.tsx';
import styles from './UserTable.module.css';
import { useWaitingInvitation } from './user-changes.ts';

export function UserTable({ users }: { readonly users: readonly UserAnswer[] }) {
  const may = useMay();
  return (
    <StackingTable
      caption="Users"
      head={
        <tr>
          <th>Name</th>
          <th>Status</th>
          <th>Second factor</th>
          <th>Groups</th>
          {may(patchUser) && (
            <th>
              <span className="sr">Actions</span>
            </th>
          )}
        </tr>
      }
    >
      {users.map((user) => (
        <UserRow key={user.id} user={user} />
      ))}
    </StackingTable>
  );
}

function UserRow({ user }: { readonly user: UserAnswer }) {
  const may = useMay();
  const me = useMe();
  const mail = useWaitingInvitation()(user.email);
  return (
    <tr>
      <th scope="row">
        <span className={styles.who}>
          <Avatar name={user.name} />
          <RowName below={user.email}>
            <NameLink to="/admin/users/$user" params={{ user: user.id }}>
              {user.name}
            </NameLink>
            {user.id === me.user.id && <Chip>You</Chip>}
          </RowName>
        </span>
      </th>
      <td>
        <span className={styles.status}>
          <UserStatusChip status={user.status} />
          {mail && <CopyButton text={location.origin + mail.path} what={`link for ${user.email}`} shown="link" />}
        </span>
      </td>
      <td data-label="Second factor">{user.status === 'PENDING' ? <Nothing words="–" /> : <Factor user={user} />}</td>
      <td data-label="Groups">
        <GroupTags ids={(user.groups ?? []).map(({ id }) => id)} />
      </td>
      {may(patchUser) && (
        <td data-tools>
          <UserMenu user={user} />
        </td>
      )}
    </tr>
  );
}

const Factor = ({ user }: { readonly user: UserAnswer }) => (user['2fa'] ? <span>On</span> : <Nothing words="Off" />);

function GroupTags({ ids }: { readonly ids: readonly string[] }) {
  const { data } = useQuery(groupsReading);
  if (ids.length === 0) return <Nothing words="None" />;
  return (
    <span className={styles.groups}>
      {ids.map((id) => (
        <Tag key={id}>{data?.find((group) => group.id === id)?.name ?? '…'}</Tag>
      ))}
    </span>
  );
}
