import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { deleteGroup } from '#contract/groups.ts';
import { listed } from '../../administration/count.ts';
import { LostRights } from '../../administration/GrantedRights.tsx';
import { RemoveModal } from '../../administration/RemoveModal.tsx';
import { everyoneReading, type GroupAnswer, type UserAnswer } from '../../administration/whole-lists.ts';
import { call } from '../../server/api.ts';
import { isMember, useRefreshGroups } from './groups-changes.ts';

interface Props {
  readonly group: GroupAnswer;
  readonly onClose: () => void;
}

export function DeleteGroupDialog({ group, onClose }: Props) {
  const refresh = useRefreshGroups();
  const navigate = useNavigate();
  const { data } = useQuery(everyoneReading);
  const members = data?.people.filter((user) => isMember(user, group.id));
  const leave = async () => {
    // Leaves the deleted group's page; has no effect on the list.
    await navigate({ to: '/admin/groups' });
    await refresh();
  };
  return (
    <RemoveModal
      title={`Delete ${group.name}?`}
      about={`${membersSentence(members)} They lose what they can do only through this group. It no longer owns flags.`}
      submit="Delete group"
      send={() => call(deleteGroup, { params: { group: group.id } })}
      done={`Deleted ${group.name}.`}
      refresh={leave}
      onClose={onClose}
    >
      <LostRights grantee={{ type: 'group', id: group.id }} />
    </RemoveModal>
  );
}

function membersSentence(members: readonly UserAnswer[] | undefined): string {
  if (!members) return '';
  const names = members.map(({ name }) => name);
  if (names.length < 2) return names.length === 0 ? 'It has no members.' : `It has one member: ${names[0]}.`;
  return `It has ${names.length} members: ${listed(names, 5)}.`;
}
