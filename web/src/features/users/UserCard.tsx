import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { patchUser } from '#contract/users.ts';
import { CopyableId } from '../../administration/CopyableId.tsx';
import { Fact, Facts } from '../../administration/Facts.tsx';
import { Nothing } from '../../administration/StackingTable.tsx';
import { groupsReading, type UserAnswer } from '../../administration/whole-lists.ts';
import { useMay } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { UserDialog, type UserDialogName } from './UserDialog.tsx';

export function UserCard({ user }: { readonly user: UserAnswer }) {
  const may = useMay();
  const [open, setOpen] = useState<UserDialogName>();
  return (
    <Card title="Account">
      <Facts>
        <Fact name="Groups">
          <GroupLinks ids={(user.groups ?? []).map(({ id }) => id)} />
          {may(patchUser) && (
            <Button size="small" onClick={() => setOpen('groups')}>
              Change
            </Button>
          )}
        </Fact>
        {user.status !== 'PENDING' && (
          <Fact name="Second factor">
            {user['2fa'] ? 'On' : 'Off'}
            {user['2fa'] && may(patchUser) && (
              <Button size="small" onClick={() => setOpen('second factor')}>
                Turn off
              </Button>
            )}
          </Fact>
        )}
        <Fact name="Id">
          <CopyableId id={user.id} />
        </Fact>
      </Facts>
      {open && <UserDialog name={open} user={user} onClose={() => setOpen(undefined)} />}
    </Card>
  );
}

function GroupLinks({ ids }: { readonly ids: readonly string[] }) {
  const { data: groups = [] } = useQuery(groupsReading);
  if (ids.length === 0) return <Nothing words="None" />;
  return groups
    .filter(({ id }) => ids.includes(id))
    .map(({ id, name }) => (
      <TextLink key={id} to="/admin/groups/$group" params={{ group: id }}>
        {name}
      </TextLink>
    ));
}
