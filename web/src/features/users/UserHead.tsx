import { useQuery } from '@tanstack/react-query';
import { patchUser } from '#contract/users.ts';
import { administrators } from '#domain/groups.ts';
import { groupsReading, type UserAnswer } from '../../administration/whole-lists.ts';
import { UserStatusChip } from '../../kit/StatusChip.tsx';
import { useMay, useMe } from '../../server/session.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { CrumbLink, PageHead } from '../../ui/Page.tsx';
import { PlainButtonLink } from '../../ui/TextLink.tsx';
import styles from './UserHead.module.css';
import { UserMenu } from './UserMenu.tsx';

/** The user's name, status and email. */
export function UserHead({ user }: { readonly user: UserAnswer }) {
  const may = useMay();
  const isMyself = useMe().user.id === user.id;
  const { data: groups } = useQuery(groupsReading);
  const administratorsId = groups?.find(({ name }) => name === administrators.name)?.id;
  const isAdministrator = user.groups?.some(({ id }) => id === administratorsId) ?? false;
  return (
    <div className={styles.head}>
      <Avatar name={user.name} size="large" />
      <div className={styles.words}>
        <PageHead
          title={user.name}
          within="Users"
          crumbs={<CrumbLink to="/admin/users">Users</CrumbLink>}
          beside={
            <>
              <UserStatusChip status={user.status} />
              {isAdministrator && <Chip>Administrator</Chip>}
            </>
          }
          lead={user.email}
          tools={
            <>
              {isMyself && <PlainButtonLink to="/me">Password, second factor, sessions</PlainButtonLink>}
              {may(patchUser) && <UserMenu user={user} />}
            </>
          }
        />
      </div>
    </div>
  );
}
