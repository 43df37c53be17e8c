import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { listFlags } from '#contract/flags.ts';
import { reading } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { FilterButton } from '../../ui/FilterButton.tsx';
import { Picker } from '../../ui/Picker.tsx';
import { useActivitySearch } from './activity-search.ts';

/** Changes of one flag and its definitions. */
export function FlagFilter() {
  const project = useProject();
  const { search, change } = useActivitySearch();
  const [text, setText] = useState('');
  const name = useDeferredValue(text) || undefined;
  const { data } = useQuery(reading(listFlags, { params: { project: project.id }, query: { name, limit: 20 } }));
  return (
    <FilterButton
      what="Flag"
      value={search.flag}
      onClear={() => change({ flag: undefined })}
      picker={(trigger) => (
        <Picker
          label="Flag"
          options={(data?.objects ?? []).map((flag) => ({
            id: flag.name,
            label: flag.name,
            face: <span className="mono">{flag.name}</span>,
          }))}
          selected={search.flag ?? ''}
          onSearch={setText}
          isCut={(data?.totalCount ?? 0) > 20}
          onChoose={(flag) => change({ flag: flag === search.flag ? undefined : flag })}
          trigger={trigger}
        />
      )}
    />
  );
}
