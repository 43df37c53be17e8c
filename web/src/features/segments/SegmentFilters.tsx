import { useRef } from 'react';
import { useEnvironments } from '../../server/project.ts';
import { FilterButton } from '../../ui/FilterButton.tsx';
import { Picker } from '../../ui/Picker.tsx';
import { type AllTags, useSegmentsSearch } from './segments-query.ts';

/** `tags`: undefined while they are read, when it offers those of before. */
export function TagFilter({ tags }: { readonly tags: AllTags | undefined }) {
  const { tag, change } = useSegmentsSearch();
  const known = useRef(tags ?? []);
  if (tags) known.current = tags;
  // Also the one of the address, which no segment may have any more.
  const gone = tag && known.current.every(({ name }) => name !== tag) ? [{ name: tag, count: 0 }] : [];
  const offered = [...known.current, ...gone];
  if (offered.length === 0) return null;
  return (
    <FilterButton
      what="Tag"
      value={tag || undefined}
      onClear={() => change({ tag: undefined })}
      picker={(trigger) => (
        <Picker
          label="Tag"
          options={offered.map(({ name, count }) => ({ id: name, label: name, detail: count }))}
          selected={tag ?? ''}
          onChoose={(name) => change({ tag: name === tag ? undefined : name })}
          trigger={trigger}
        />
      )}
    />
  );
}

export function EnvironmentFilter() {
  const { environment, change } = useSegmentsSearch();
  const environments = useEnvironments();
  return (
    <FilterButton
      what="Active in"
      value={environment?.name}
      onClear={() => change({ active: undefined })}
      picker={(trigger) => (
        <Picker
          label="Active in"
          options={environments.map(({ name }) => ({ id: name, label: name }))}
          selected={environment?.name ?? ''}
          onChoose={(name) => change({ active: name === environment?.name ? undefined : name })}
          trigger={trigger}
        />
      )}
    />
  );
}
