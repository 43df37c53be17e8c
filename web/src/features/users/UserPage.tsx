import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { getUser, patchUser } from '#contract/users.ts';
import type { UserAnswer } from '../../administration/whole-lists.ts';
import { Denied } from '../../kit/Denied.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { reading } from '../../server/api.ts';
import { useMay } from '../../server/session.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { CrumbLink, Page, PageHead } from '../../ui/Page.tsx';
import { PlainButtonLink } from '../../ui/TextLink.tsx';
import { StatusCard } from './StatusCard.tsx';
import { UserAccess } from './UserAccess.tsx';
import { UserActivity } from './UserActivity.tsx';
import { UserCard } from './UserCard.tsx';
import { UserHead } from './UserHead.tsx';
import styles from './UserPage.module.css';

export function UserPage() {
  const may = useMay();
  const { user: id = '' } = useParams({ strict: false });
  const user = useQuery(reading(getUser, { params: { user: id } }));
  if (!may(getUser)) return <Denied title="Users" />;
  return (
    <Page>
      {user.error?.status === 404 ? (
        <NoSuchUser />
      ) : (
        <Loaded query={user}>{(found) => <UserView user={found} />}</Loaded>
      )}
    </Page>
  );
}

const NoSuchUser = () => (
  <>
    <PageHead title="No such user" crumbs={<CrumbLink to="/admin/users">Users</CrumbLink>} />
    <EmptyState title="User not found" action={<PlainButtonLink to="/admin/users">All users</PlainButtonLink>}>
      The invitation was withdrawn, or the address is wrong.
    </EmptyState>
  </>
);

function UserView({ user }: { readonly user: UserAnswer }) {
  const may = useMay();
  return (
    <>
      <UserHead user={user} />
      <div className={styles.columns}>
        <div className={styles.side}>
          <UserCard user={user} />
          {may(patchUser) && <StatusCard user={user} />}
        </div>
        <div className={styles.main}>
          <UserAccess user={user} />
          <UserActivity user={user} />
        </div>
      </div>
    </>
  );
}
