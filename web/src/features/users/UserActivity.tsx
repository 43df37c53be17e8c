import { useSearch } from '@tanstack/react-router';
import { listChanges } from '#contract/changes.ts';
import { ChangeList } from '../../activity/ChangeList.tsx';
import type { UserAnswer } from '../../administration/whole-lists.ts';
import { useMay, useMe } from '../../server/session.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TabLink, TabLinks } from '../../ui/Tabs.tsx';
import styles from './UserActivity.module.css';

/** Activity by a user, and changes to their account. */
export function UserActivity({ user }: { readonly user: UserAnswer }) {
  const may = useMay();
  const { about } = useSearch({ from: '/shell/admin/users/$user' });
  // Only administrators can see changes to accounts.
  const { administrator } = useMe();
  // A pending user has no activity.
  const isPending = user.status === 'PENDING';
  const isAbout = administrator && (isPending || about !== undefined);
  if (!may(listChanges) || (isPending && !administrator)) return null;
  return (
    <section className={styles.activity} aria-labelledby="activity">
      <h2 id="activity" className={styles.heading}>
        Activity
      </h2>
      {administrator && !isPending && (
        <TabLinks label="Activity">
          <TabLink to="." search={{}} aria-current={isAbout ? undefined : 'page'}>
            By {user.name}
          </TabLink>
          <TabLink to="." search={{ about: '' }} aria-current={isAbout ? 'page' : undefined}>
            About this account
          </TabLink>
        </TabLinks>
      )}
      <ChangeList
        filter={isAbout ? { objectType: 'user', objectId: user.id } : { actor: user.id }}
        namesProject
        level="h3"
        empty={
          <EmptyState title="Nothing yet">
            {isAbout ? 'Nobody has changed this account.' : `You can see no changes by ${user.name}.`}
          </EmptyState>
        }
      />
    </section>
  );
}
