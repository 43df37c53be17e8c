import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteGroup, getGroup, listGroups, replaceGroup } from '#contract/groups.ts';
import { GrantedRightsCard } from '../../administration/GrantedRights.tsx';
import type { GroupAnswer } from '../../administration/whole-lists.ts';
import { Denied } from '../../kit/Denied.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { reading } from '../../server/api.ts';
import { useMay } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { CrumbLink, Page, PageHead } from '../../ui/Page.tsx';
import { PlainButtonLink } from '../../ui/TextLink.tsx';
import { DeleteGroupDialog } from './DeleteGroupDialog.tsx';
import { EditGroupDialog } from './EditGroupDialog.tsx';
import { isProtected } from './groups-changes.ts';
import { MembersCard } from './MembersCard.tsx';

export function GroupPage() {
  const may = useMay();
  const { group: id = '' } = useParams({ strict: false });
  const group = useQuery(reading(getGroup, { params: { group: id } }));
  if (!may(listGroups)) return <Denied title="Groups" />;
  return (
    <Page width="narrow">
      {group.error?.status === 404 ? (
        <NoSuchGroup />
      ) : (
        <Loaded query={group}>{(found) => <GroupView group={found} />}</Loaded>
      )}
    </Page>
  );
}

const crumbs = <CrumbLink to="/admin/groups">Groups</CrumbLink>;

const NoSuchGroup = () => (
  <>
    <PageHead title="No such group" crumbs={crumbs} />
    <EmptyState title="Group not found" action={<PlainButtonLink to="/admin/groups">All groups</PlainButtonLink>}>
      It was deleted, or the address is wrong.
    </EmptyState>
  </>
);

function GroupView({ group }: { readonly group: GroupAnswer }) {
  const may = useMay();
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <PageHead
        title={group.name}
        within="Groups"
        crumbs={crumbs}
        lead={group.description}
        tools={may(replaceGroup) && <Button onClick={() => setEditing(true)}>Edit</Button>}
      />
      <MembersCard group={group} />
      {!isProtected(group) && <GrantedRightsCard grantee={{ type: 'group', id: group.id }} />}
      {may(deleteGroup) && <DeleteCard group={group} />}
      {isEditing && <EditGroupDialog group={group} onClose={() => setEditing(false)} />}
    </>
  );
}

function DeleteCard({ group }: { readonly group: GroupAnswer }) {
  const [isAsking, setAsking] = useState(false);
  if (isProtected(group)) {
    return <Card title="Delete" lead="You cannot rename or delete this group: it holds the administrators." />;
  }
  return (
    <Card title="Delete" lead="Its members keep their accounts.">
      <div>
        <Button look="danger" onClick={() => setAsking(true)}>
          Delete group
        </Button>
      </div>
      {isAsking && <DeleteGroupDialog group={group} onClose={() => setAsking(false)} />}
    </Card>
  );
}
