import { useRef } from 'react';
import { useEnvironments } from '../../server/project.ts';
import { FilterButton } from '../../ui/FilterButton.tsx';
import { Picker } from '../../ui/Picker.tsx';
import { type SegmentAnswer, useSegmentsSearch } from './segments-query.ts';

/** The API has no tag list, so this offers the tags seen so far. */
export function TagFilter({ segments }: { readonly segments: readonly SegmentAnswer[] }) {
  const { tag, change } = useSegmentsSearch();
  const seen = useRef(new Set<string>());
  for (const name of [tag, ...segments.flatMap(({ tags }) => (tags ?? []).map((one) => one.name))]) {
    if (name) seen.current.add(name);
  }
  if (seen.current.size === 0) return null;
  return (
    <FilterButton
      what="Tag"
      value={tag || undefined}
      onClear={() => change({ tag: undefined })}
      picker={(trigger) => (
        <Picker
          label="Tag"
          options={[...seen.current].sort().map((name) => ({ id: name, label: name }))}
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
