import { ChevronDown } from 'lucide-react';
import { useRef } from 'react';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import { SearchField } from '../../kit/SearchField.tsx';
import { RolloutStatusLabel } from '../../kit/StatusChip.tsx';
import { useEnvironments } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { FilterButton, FilterCount, Filters } from '../../ui/FilterButton.tsx';
import { MultiPicker, Picker } from '../../ui/Picker.tsx';
import styles from './FlagFilters.module.css';
import { useFlagsSearch, useRolloutStatuses } from './flags-query.ts';
import { maxColumns, shownEnvironments } from './shown-environments.ts';

interface Props {
  readonly flags: readonly ListedFlag[];
  /** Undefined while loading. */
  readonly total: number | undefined;
}

/** Search and filters. They live in the address; the server applies them. */
export function FlagFilters({ flags, total }: Props) {
  const { search, isFiltered, change } = useFlagsSearch();
  return (
    <div className={styles.filters}>
      <Filters>
        <SearchField label="Search names" value={search.q ?? ''} onSearch={(q) => change({ q: q || undefined })} />
        <StatusFilter />
        <TagFilter flags={flags} />
        <EnvironmentColumns />
        {isFiltered && (
          <Button look="quiet" onClick={() => change({ q: undefined, status: undefined, tag: undefined })}>
            Clear filters
          </Button>
        )}
      </Filters>
      <FilterCount>{total !== undefined && countInWords(total, isFiltered)}</FilterCount>
    </div>
  );
}

const numbers = new Intl.NumberFormat('en');
const countInWords = (total: number, isFiltered: boolean): string =>
  `${numbers.format(total)} ${total === 1 ? 'flag' : 'flags'}${isFiltered ? (total === 1 ? ' matches' : ' match') : ''}`;

function StatusFilter() {
  const { search, change } = useFlagsSearch();
  const statuses = useRolloutStatuses();
  const options = (statuses.data ?? []).map(({ name }) => ({
    id: name,
    label: name,
    face: <RolloutStatusLabel name={name} />,
  }));
  return (
    <FilterButton
      what="Status"
      value={search.status}
      onClear={() => change({ status: undefined })}
      picker={(trigger) => (
        <Picker
          label="Status"
          options={options}
          selected={search.status ?? ''}
          onChoose={(status) => change({ status: status === search.status ? undefined : status })}
          trigger={trigger}
        />
      )}
    />
  );
}

/** The API has no tag list, so this offers the tags seen so far and accepts any other. */
function TagFilter({ flags }: Pick<Props, 'flags'>) {
  const { search, change } = useFlagsSearch();
  const selected = search.tag ?? [];
  const seen = useRef(new Set<string>());
  for (const tag of [...selected, ...flags.flatMap(({ tags }) => (tags ?? []).map(({ name }) => name))]) {
    seen.current.add(tag);
  }
  const choose = (tag: readonly string[]) => change({ tag: tag.length > 0 ? tag : undefined });
  return (
    <FilterButton
      what="Tag"
      value={selected.join(', ') || undefined}
      onClear={() => choose([])}
      picker={(trigger) => (
        <MultiPicker
          label="Tag"
          options={[...seen.current].sort().map((name) => ({ id: name, label: name }))}
          selected={selected}
          onChange={choose}
          create={{ label: (text) => `Flags with the tag ${text}`, make: (text) => choose([...selected, text]) }}
          trigger={trigger}
        />
      )}
    />
  );
}

/** Only if there are more environments than columns. */
function EnvironmentColumns() {
  const { search, change } = useFlagsSearch();
  const environments = useEnvironments();
  if (environments.length <= maxColumns) return null;
  return (
    <MultiPicker
      label="Environments"
      options={environments.map(({ name }) => ({ id: name, label: name }))}
      selected={shownEnvironments(environments, search.env).map(({ name }) => name)}
      onChange={(env) => change({ env })}
      trigger={(trigger) => (
        <Button {...trigger}>
          Environments <ChevronDown size={13} aria-hidden />
        </Button>
      )}
    />
  );
}
