import { useQuery } from '@tanstack/react-query';
import { administrators } from '#domain/groups.ts';
import { apiKeysReading, everyoneReading, groupsReading } from '../../administration/whole-lists.ts';
import { ChipsField } from '../../ui/ChipsField.tsx';

interface Props {
  /** Group, user and API key ids. */
  readonly viewers: readonly string[];
  readonly onChange: (ids: string[]) => void;
}

/** The groups, people and API keys that a project is open to, besides the administrators. */
export function ViewersField({ viewers, onChange }: Props) {
  const { data: groups = [] } = useQuery(groupsReading);
  const { data: everyone } = useQuery(everyoneReading);
  const { data: keys = [] } = useQuery(apiKeysReading);
  // Keys limited to the project can see it anyway; a listed one is still shown by name.
  const listable = keys.filter(
    ({ id, apiKeyType, workspace }) => apiKeyType === 'admin' && (!workspace || viewers.includes(id)),
  );
  const options = [
    ...groups
      .filter(({ name }) => name !== administrators.name)
      .map(({ id, name }) => ({ id, label: name, group: 'Groups' })),
    ...(everyone?.people ?? []).map(({ id, name, email }) => ({ id, label: name, detail: email, group: 'People' })),
    ...listable.map(({ id, name }) => ({ id, label: name, group: 'API keys' })),
  ];
  return (
    <ChipsField
      label="Groups, people and API keys"
      hint="Administrators and account-wide keys that can change project access always see every project."
      options={options}
      selected={viewers}
      onChange={onChange}
      add="Add group, person or key"
    />
  );
}
