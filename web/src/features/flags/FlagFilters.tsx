import { ArrowDownUp, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useOwnerNames } from '../../administration/owner-names.ts';
import { SearchField } from '../../kit/SearchField.tsx';
import { RolloutStatusLabel } from '../../kit/StatusChip.tsx';
import { useEnvironments } from '../../server/project.ts';
import { useMe } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { AddFilterButton, FilterButton, Filters, FilterToggle } from '../../ui/FilterButton.tsx';
import { type Option, OptionList } from '../../ui/OptionList.tsx';
import { MultiPicker, Picker } from '../../ui/Picker.tsx';
import { Popover } from '../../ui/Popover.tsx';
import { useMedia } from '../../ui/use-media.ts';
import styles from './FlagFilters.module.css';
import { useFlagCounts, useFlagsSearch, useRolloutStatuses, useTrafficTypes } from './flags-query.ts';
import { type Filter, filters, sortOf, sortText } from './flags-search.ts';

const filterNames: Readonly<Record<Filter, string>> = {
  status: 'Status',
  tag: 'Tag',
  owner: 'Owner',
  type: 'Traffic type',
  state: 'State',
  traffic: 'Evaluations',
};

/** Search and filters. They live in the address; the server applies them. */
export function FlagFilters() {
  const { search, isFiltered, change, clear } = useFlagsSearch();
  const options = useFilterOptions();
  const set = filters.filter((name) => search[name]?.length);
  const isStacked = useMedia('(max-width: 760px)');
  return (
    <Filters>
      <SearchField label="Search flags" value={search.q ?? ''} onSearch={(q) => change({ q: q || undefined })} />
      {set.map((name) => (
        <SetFilter key={name} name={name} options={options[name]} />
      ))}
      {set.length < filters.length && (
        <AddFilter options={options} unset={filters.filter((name) => !set.includes(name))} />
      )}
      <FilterToggle
        isOn={search.archived !== undefined}
        onToggle={() => change({ archived: search.archived ? undefined : 'true' })}
      >
        Archived
      </FilterToggle>
      <FilterToggle
        isOn={search.drafts !== undefined}
        onToggle={() => change({ drafts: search.drafts ? undefined : 'true' })}
      >
        With my drafts
      </FilterToggle>
      <FilterToggle
        isOn={search.watched !== undefined}
        onToggle={() => change({ watched: search.watched ? undefined : 'true' })}
      >
        Watched by me
      </FilterToggle>
      {isStacked && !search.board && <SortPicker />}
      {isFiltered && (
        <Button look="quiet" onClick={clear}>
          Clear filters
        </Button>
      )}
    </Filters>
  );
}

/** The first is the usual one, which needs no address. */
const sorts: readonly Option[] = [
  { id: '', label: 'Last changed' },
  { id: 'name', label: 'Name' },
  { id: '-created', label: 'Newest' },
  { id: 'created', label: 'Oldest' },
  { id: 'status', label: 'Status' },
  { id: '-share', label: 'Production share' },
  { id: '-traffic', label: 'Evaluations' },
];

/** Where the list has no column heads. */
function SortPicker() {
  const { search, change } = useFlagsSearch();
  const current = sortText(sortOf(search)) ?? '';
  return (
    <Picker
      label="Sort by"
      options={sorts}
      selected={current}
      onChoose={(sort) => change({ sort: sort || undefined })}
      trigger={(trigger) => (
        <AddFilterButton {...trigger}>
          <ArrowDownUp size={13} aria-hidden /> {sorts.find(({ id }) => id === current)?.label ?? 'Sort by'}
        </AddFilterButton>
      )}
    />
  );
}

interface SetProps {
  readonly name: Filter;
  readonly options: readonly Option[];
}

function useChosen(name: Filter) {
  const { search, change } = useFlagsSearch();
  const statuses = useRolloutStatuses().data ?? [];
  const choose = (values: readonly string[]) => change({ [name]: values.length > 0 ? values : undefined });
  // Links by hand name a status; what is chosen here is its id, which stays when it gets another name.
  const idOf = (word: string) => (name === 'status' && statuses.find((one) => one.name === word)?.id) || word;
  return { selected: (search[name] ?? []).map(idOf), choose };
}

/** More values are only counted. */
const maxNamed = 2;

function SetFilter({ name, options }: SetProps) {
  const { selected, choose } = useChosen(name);
  const what = filterNames[name];
  const isLoaded = useRolloutStatuses().isSuccess;
  const labelOf = (id: string) => (name === 'status' && isLoaded ? 'Deleted status' : id);
  const known = selected.map((id) => options.find((option) => option.id === id) ?? { id, label: labelOf(id) });
  return (
    <FilterButton
      what={what}
      value={<Values options={known} />}
      onClear={() => choose([])}
      picker={(trigger) => (
        <MultiPicker
          label={what}
          options={withMissing(options, known)}
          selected={selected}
          onChange={choose}
          trigger={trigger}
        />
      )}
    />
  );
}

/** What was chosen stays in the list, although no flag has it any more. */
const withMissing = (options: readonly Option[], chosen: readonly Option[]): readonly Option[] => [
  ...options,
  ...chosen.filter(({ id }) => !options.some((option) => option.id === id)),
];

const Values = ({ options }: { readonly options: readonly Option[] }) => (
  <>
    {options.slice(0, maxNamed).map(({ id, label, detail }, index) => (
      <span key={id}>
        {index > 0 && <span className={styles.or}> or </span>}
        {label} {detail !== undefined && <span className={styles.count}>{detail}</span>}
      </span>
    ))}
    {options.length > maxNamed && <span className={styles.or}> or {options.length - maxNamed} more</span>}
  </>
);

interface AddProps {
  readonly options: Readonly<Record<Filter, readonly Option[]>>;
  readonly unset: readonly Filter[];
}

/** First the filter, then its values, in one panel. */
const AddFilter = ({ options, unset }: AddProps) => (
  <Popover
    label="Add a filter"
    trigger={(trigger) => (
      <AddFilterButton {...trigger}>
        <Plus size={13} aria-hidden /> Filter
      </AddFilterButton>
    )}
  >
    {(close) => <FilterSteps options={options} unset={unset} onDone={close} />}
  </Popover>
);

function FilterSteps({ options, unset, onDone }: AddProps & { readonly onDone: () => void }) {
  const [name, setName] = useState<Filter>();
  if (name === undefined) {
    return (
      <OptionList
        label="Filter by"
        options={unset.map((id) => ({ id, label: filterNames[id] }))}
        onChoose={({ id }) => setName(id as Filter)}
      />
    );
  }
  return <FirstValue key={name} name={name} options={options[name]} onDone={onDone} />;
}

/** The first value turns the filter into a button, where more can be chosen. */
function FirstValue({ name, options, onDone }: SetProps & { readonly onDone: () => void }) {
  const { choose } = useChosen(name);
  return (
    <OptionList
      label={filterNames[name]}
      options={options}
      onChoose={({ id }) => {
        onDone();
        choose([id]);
      }}
    />
  );
}

/** The values of each filter, with the number of flags that each would show. */
function useFilterOptions(): Record<Filter, readonly Option[]> {
  const me = useMe();
  const { data: counts } = useFlagCounts();
  const statuses = useRolloutStatuses().data ?? [];
  const types = useTrafficTypes().data ?? [];
  const nameOf = useOwnerNames();
  const countOf = (list: readonly { id: string; count: number }[] | undefined, id: string): ReactNode =>
    counts && (list?.find((one) => one.id === id)?.count ?? 0);
  return {
    status: statuses.map(({ id, name }) => ({
      id,
      label: name,
      face: <RolloutStatusLabel name={name} />,
      detail: countOf(counts?.rolloutStatus, id),
    })),
    tag: (counts?.tag ?? []).map(({ name, count }) => ({ id: name, label: name, detail: count })),
    owner: (counts?.owner ?? []).map(({ id, count }) => ({
      id,
      label: id === me.user.id ? `${me.user.name} (you)` : (nameOf(id) ?? 'Deleted'),
      detail: count,
    })),
    type: types.map(({ id, name }) => ({ id: name, label: name, detail: countOf(counts?.trafficType, id) })),
    state: useStateOptions(),
    traffic: useTrafficOptions(),
  };
}

const trafficNames = {
  never: ['Never', 'Never in'],
  'quiet-7d': ['None for 7 days', 'None for 7 days in'],
  'quiet-30d': ['None for 30 days', 'None for 30 days in'],
} as const;

function useTrafficOptions(): readonly Option[] {
  const { data: counts } = useFlagCounts();
  const environments = useEnvironments().toReversed();
  const countOf = (traffic: string, environment?: string): ReactNode =>
    counts?.traffic.find((one) => one.traffic === traffic && one.environment?.id === environment)?.count;
  const kinds = ['never', 'quiet-7d', 'quiet-30d'] as const;
  return [
    ...kinds.map((kind) => ({ id: kind, label: trafficNames[kind][0], detail: countOf(kind) })),
    ...environments.flatMap(({ id, name }) =>
      kinds.map((kind) => ({
        id: `${kind}:${name}`,
        label: `${trafficNames[kind][1]} ${name}`,
        detail: countOf(kind, id),
        group: name,
      })),
    ),
  ];
}

const stateNames = {
  killed: ['Killed somewhere', 'Killed in'],
  undefined: ['Not defined anywhere', 'Not defined in'],
  defined: ['Defined somewhere', 'Defined in'],
} as const;

function useStateOptions(): readonly Option[] {
  const { data: counts } = useFlagCounts();
  const environments = useEnvironments().toReversed();
  const countOf = (state: string, environment?: string): ReactNode =>
    counts?.state.find((one) => one.state === state && one.environment?.id === environment)?.count;
  const kinds = ['killed', 'undefined', 'defined'] as const;
  return [
    { id: 'different', label: 'Rules or treatments differ', detail: countOf('different') },
    ...kinds.map((kind) => ({ id: kind, label: stateNames[kind][0], detail: countOf(kind) })),
    ...environments.flatMap(({ id, name }) =>
      kinds.map((kind) => ({
        id: `${kind}:${name}`,
        label: `${stateNames[kind][1]} ${name}`,
        detail: countOf(kind, id),
        group: name,
      })),
    ),
  ];
}
