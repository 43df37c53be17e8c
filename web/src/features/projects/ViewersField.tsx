import { useQuery } from '@tanstack/react-query';
import { administrators } from '#domain/groups.ts';
import { everyoneReading, groupsReading } from '../../administration/whole-lists.ts';
import { ChipsField } from '../../ui/ChipsField.tsx';

interface Props {
  /** Ids of groups and people. */
  readonly viewers: readonly string[];
  readonly onChange: (ids: string[]) => void;
}

/** The groups and people whom a project is open to, beside the administrators. */
export function ViewersField({ viewers, onChange }: Props) {
  const { data: groups = [] } = useQuery(groupsReading);
  const { data: everyone } = useQuery(everyoneReading);
  const options = [
    ...groups
      .filter(({ name }) => name !== administrators.name)
      .map(({ id, name }) => ({ id, label: name, group: 'Groups' })),
    ...(everyone?.people ?? []).map(({ id, name, email }) => ({ id, label: name, detail: email, group: 'People' })),
  ];
  return (
    <ChipsField
      label="Groups and people"
      hint="Administrators always see every project."
      options={options}
      selected={viewers}
      onChange={onChange}
      add="Add group or person"
    />
  );
}
