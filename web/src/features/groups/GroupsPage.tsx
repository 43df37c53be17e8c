import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { createGroup, listGroups } from '#contract/groups.ts';
import { countOf } from '../../administration/count.ts';
import { NameLink } from '../../administration/NameLink.tsx';
import { Nothing, RowName, StackingTable } from '../../administration/StackingTable.tsx';
import { everyoneReading, type GroupAnswer, groupsReading } from '../../administration/whole-lists.ts';
import { Denied } from '../../kit/Denied.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { useMay } from '../../server/session.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { Button } from '../../ui/Button.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { GroupMenu } from './GroupMenu.tsx';
import { isMember } from './groups-changes.ts';
import { NewGroupDialog } from './NewGroupDialog.tsx';

/** Lists and creates groups. */
export function GroupsPage() {
  const may = useMay();
  const search = useSearch({ from: '/shell/admin/groups' });
  const navigate = useNavigate();
  const groups = useQuery(groupsReading);
  const open = () => void navigate({ to: '.', search: { new: '' } });
  const close = () => void navigate({ to: '.', search: {}, replace: true });
  usePageActions(may(createGroup) ? [{ label: 'New group', keys: 'n', icon: Plus, opensField: true, run: open }] : []);
  if (!may(listGroups)) return <Denied title="Groups" />;
  return (
    <Page>
      <PageHead
        title="Groups"
        lead="A project can be open to certain groups only. Administrators have every right."
        tools={
          may(createGroup) && (
            <Button look="primary" onClick={open}>
              New group
            </Button>
          )
        }
      />
      <Loaded query={groups} skeleton={<SkeletonRows rows={3} />}>
        {(all) => <GroupTable groups={all} />}
      </Loaded>
      {search.new !== undefined && may(createGroup) && <NewGroupDialog onClose={close} />}
    </Page>
  );
}

function GroupTable({ groups }: { readonly groups: readonly GroupAnswer[] }) {
  const may = useMay();
  return (
    <StackingTable
      caption="Groups"
      head={
        <tr>
          <th>Name</th>
          <th>Members</th>
          {may(createGroup) && (
            <th>
              <span className="sr">Actions</span>
            </th>
          )}
        </tr>
      }
    >
      {groups.map((group) => (
        <tr key={group.id}>
          <th scope="row">
            <RowName below={group.description}>
              <NameLink to="/admin/groups/$group" params={{ group: group.id }}>
                {group.name}
              </NameLink>
            </RowName>
          </th>
          <td>
            <MemberCount groupId={group.id} />
          </td>
          {may(createGroup) && (
            <td data-tools>
              <GroupMenu group={group} />
            </td>
          )}
        </tr>
      ))}
    </StackingTable>
  );
}

/** Empty if there are too many users to count. */
function MemberCount({ groupId }: { readonly groupId: string }) {
  const { data } = useQuery(everyoneReading);
  if (!data?.isWhole) return null;
  const count = data.people.filter((user) => isMember(user, groupId)).length;
  return count === 0 ? <Nothing words="No members" /> : <span className="num">{countOf(count, 'member')}</span>;
}
