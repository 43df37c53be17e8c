import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { listFlags } from '#contract/flags.ts';
import { reading } from '../server/api.ts';
import { useProject } from '../server/project.ts';
import { FilterButton } from '../ui/FilterButton.tsx';
import { Picker } from '../ui/Picker.tsx';

interface Props {
  /** The label: "Used by". */
  readonly what: string;
  /** The name of a flag. */
  readonly value: string | undefined;
  readonly onChange: (flag: string | undefined) => void;
}

/** A filter by one flag of the project. */
export function FlagFilter({ what, value, onChange }: Props) {
  const project = useProject();
  const [text, setText] = useState('');
  const name = useDeferredValue(text) || undefined;
  const { data } = useQuery(reading(listFlags, { params: { project: project.id }, query: { name, limit: 20 } }));
  return (
    <FilterButton
      what={what}
      value={value}
      onClear={() => onChange(undefined)}
      picker={(trigger) => (
        <Picker
          label={what}
          options={(data?.objects ?? []).map((flag) => ({
            id: flag.name,
            label: flag.name,
            face: <span className="mono">{flag.name}</span>,
          }))}
          selected={value ?? ''}
          onSearch={setText}
          isCut={(data?.totalCount ?? 0) > 20}
          onChoose={(flag) => onChange(flag === value ? undefined : flag)}
          trigger={trigger}
        />
      )}
    />
  );
}
