import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { inviteUser, listUsers } from '#contract/users.ts';
import type { UserStatus } from '#domain/users.ts';
import { countOf } from '../../administration/count.ts';
import { ShowMore } from '../../administration/ShowMore.tsx';
import { everyoneReading, groupsReading, type UserAnswer } from '../../administration/whole-lists.ts';
import { Denied } from '../../kit/Denied.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { useMay } from '../../server/session.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterButton, FilterCount, Filters } from '../../ui/FilterButton.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { Picker } from '../../ui/Picker.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { TabLink, TabLinks } from '../../ui/Tabs.tsx';
import { InviteDialog } from './InviteDialog.tsx';
import styles from './UsersPage.module.css';
import { UserTable } from './UserTable.tsx';
import { isNamed, useUserCounts, useUserPages, useUsersSearch } from './users-query.ts';

/** Active, pending and deactivated users. */
export function UsersPage() {
  const may = useMay();
  const { invite, q, change, openInvite } = useUsersSearch();
  usePageActions(
    may(inviteUser) ? [{ label: 'Invite people', keys: 'n', icon: UserPlus, opensField: true, run: openInvite }] : [],
  );
  if (!may(listUsers)) return <Denied title="Users" />;
  return (
    <Page>
      <PageHead
        title="Users"
        lead={!may(inviteUser) && 'Only administrators can invite and edit people.'}
        tools={
          may(inviteUser) && (
            <Button look="primary" onClick={openInvite}>
              Invite
            </Button>
          )
        }
      />
      <StatusTabs />
      <Filters>
        <SearchField label="Search people" value={q ?? ''} onSearch={(text) => change({ q: text || undefined })} />
        <GroupFilter />
      </Filters>
      {q ? <FoundUsers text={q} /> : <ListedUsers />}
      {invite !== undefined && may(inviteUser) && <InviteDialog onClose={() => change({ invite: undefined })} />}
    </Page>
  );
}

function StatusTabs() {
  const { status: selected } = useUsersSearch();
  const counts = useUserCounts(selected);
  const tab = (status: UserStatus | undefined, label: string) => (
    <TabLink
      to="."
      search={(all) => ({ ...all, status: status?.toLowerCase() })}
      aria-current={status === selected ? 'page' : undefined}
    >
      {label} {counts && <span className={styles.count}>{counts[status ?? 'all']}</span>}
    </TabLink>
  );
  return (
    <TabLinks label="Status">
      {tab(undefined, 'Everyone')}
      {tab('ACTIVE', 'Active')}
      {tab('PENDING', 'Pending')}
      {tab('DEACTIVATED', 'Deactivated')}
    </TabLinks>
  );
}

function GroupFilter() {
  const { group, change } = useUsersSearch();
  const { data: groups = [] } = useQuery(groupsReading);
  const chosen = groups.find(({ id }) => id === group);
  return (
    <FilterButton
      what="Group"
      value={group === undefined ? undefined : (chosen?.name ?? 'Unknown')}
      onClear={() => change({ group: undefined })}
      picker={(trigger) => (
        <Picker
          label="Group"
          options={groups.map(({ id, name }) => ({ id, label: name }))}
          selected={group ?? ''}
          onChoose={(id) => change({ group: id === group ? undefined : id })}
          trigger={trigger}
        />
      )}
    />
  );
}

/** In the server's order. */
function ListedUsers() {
  const { status, group } = useUsersSearch();
  const query = useUserPages({ status, group });
  return (
    <Loaded query={query} skeleton={<SkeletonRows />}>
      {({ pages }) => {
        const users = pages.flatMap(({ data }) => data);
        return (
          <>
            <Users users={users} />
            <ShowMore query={query} shown={`${countOf(users.length, 'person', 'people')} shown`} />
          </>
        );
      }}
    </Loaded>
  );
}

/** The server has no user search, so this loads all users and searches them here. */
function FoundUsers({ text }: { readonly text: string }) {
  const { status, group } = useUsersSearch();
  const everyone = useQuery(everyoneReading);
  return (
    <Loaded query={everyone} skeleton={<SkeletonRows />}>
      {({ people, isWhole }) => (
        <>
          {!isWhole && (
            <FilterCount>Only the first {countOf(people.length, 'person', 'people')} are searched.</FilterCount>
          )}
          <Users
            users={people
              .filter((user) => isNamed(user, text))
              .filter((user) => status === undefined || user.status === status)
              .filter((user) => group === undefined || user.groups?.some(({ id }) => id === group))}
          />
        </>
      )}
    </Loaded>
  );
}

function Users({ users }: { readonly users: readonly UserAnswer[] }) {
  const { status, group, q, change } = useUsersSearch();
  if (users.length > 0) return <UserTable users={users} />;
  if (group !== undefined || q !== undefined) {
    return (
      <EmptyState
        title="Nobody matches"
        action={<Button onClick={() => change({ group: undefined, q: undefined })}>Clear filters</Button>}
      />
    );
  }
  return (
    <EmptyState title={status === 'PENDING' ? 'No pending invitations' : 'Nobody is deactivated'}>
      {status === 'PENDING'
        ? 'Invited people are pending until they accept.'
        : 'Deactivated people cannot sign in. You cannot delete active people, because their changes stay attributed to them.'}
    </EmptyState>
  );
}
