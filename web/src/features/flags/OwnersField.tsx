import { useQuery } from '@tanstack/react-query';
import { listGroups } from '#contract/groups.ts';
import { listUsers } from '#contract/users.ts';
import { everyoneReading, groupsReading } from '../../administration/whole-lists.ts';
import type { FlagAnswer } from '../../server/flag.ts';
import { useMay } from '../../server/session.ts';
import { ChipsField } from '../../ui/ChipsField.tsx';

type Owners = FlagAnswer['owners'];

interface Props {
  readonly owners: Owners;
  readonly onChange: (owners: Owners) => void;
  readonly isReadOnly?: boolean;
  readonly error?: string | undefined;
}

/** People and groups. Those who have left stay as long as they are owners, but are not offered. */
export function OwnersField({ owners, onChange, isReadOnly = false, error }: Props) {
  const may = useMay();
  const { data: everyone } = useQuery({ ...everyoneReading, enabled: may(listUsers), staleTime: 60_000 });
  const { data: groups = [] } = useQuery({ ...groupsReading, enabled: may(listGroups), staleTime: 60_000 });
  const isOwner = (id: string) => owners.some((owner) => owner.id === id);
  const people = (everyone?.people ?? []).filter(({ id, status }) => status !== 'DEACTIVATED' || isOwner(id));
  const options = [
    ...people.map(({ id, name, email }) => ({ id, label: name, detail: email, group: 'People' })),
    ...groups.map(({ id, name }) => ({ id, label: name, group: 'Groups' })),
  ];
  const typeOf = (id: string) =>
    owners.find((owner) => owner.id === id)?.type ?? (groups.some((group) => group.id === id) ? 'group' : 'user');
  return (
    <ChipsField
      label="Owners"
      options={options}
      selected={owners.map(({ id }) => id)}
      onChange={(ids) => onChange(ids.map((id) => ({ id, type: typeOf(id) })))}
      add="Add owner"
      isReadOnly={isReadOnly}
      error={error}
    />
  );
}
