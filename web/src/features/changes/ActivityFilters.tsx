import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { listApiKeys } from '#contract/api-keys.ts';
import { listUsers } from '#contract/users.ts';
import { type ObjectType, objectTitles } from '#domain/changes.ts';
import { apiKeysReading, everyoneReading } from '../../administration/whole-lists.ts';
import { SearchField } from '../../kit/SearchField.tsx';
import { ProdChip } from '../../kit/StatusChip.tsx';
import type { Environment } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { FilterButton, Filters } from '../../ui/FilterButton.tsx';
import { Picker } from '../../ui/Picker.tsx';
import { isKind, useActivitySearch } from './activity-search.ts';
import { DatesFilter } from './DatesFilter.tsx';

interface Props {
  /** The object kinds to offer. */
  readonly offered: readonly ObjectType[];
  readonly environments: readonly Environment[];
  /** Additional filters, shown first. */
  readonly children?: ReactNode;
}

/** Filters live in the address; the server applies them. */
export function ActivityFilters({ offered, environments, children }: Props) {
  const { search, change, isFiltered, clear } = useActivitySearch();
  return (
    <Filters>
      <SearchField label="Search changes" value={search.q ?? ''} onSearch={(q) => change({ q: q || undefined })} />
      {children}
      <WhoFilter />
      <KindFilter offered={offered} />
      {environments.length > 0 && <EnvironmentFilter environments={environments} />}
      <DatesFilter />
      {isFiltered && (
        <Button look="quiet" onClick={clear}>
          Clear filters
        </Button>
      )}
    </Filters>
  );
}

function WhoFilter() {
  const may = useMay();
  const { search, change } = useActivitySearch();
  const everyone = useQuery({ ...everyoneReading, enabled: may(listUsers) });
  const keys = useQuery({ ...apiKeysReading, enabled: may(listApiKeys) });
  const options = [
    ...(everyone.data?.people ?? []).map(({ id, name, email }) => ({
      id,
      label: `${name} ${email}`,
      name,
      face: name,
      detail: email,
      group: 'People',
    })),
    ...(keys.data ?? []).map(({ id, name, lastFour }) => ({
      id,
      label: name,
      name,
      detail: `…${lastFour}`,
      group: 'API keys',
    })),
  ];
  const chosen = options.find(({ id }) => id === search.who)?.name;
  return (
    <FilterButton
      what="Who"
      value={search.who === undefined ? undefined : (chosen ?? 'Someone')}
      onClear={() => change({ who: undefined })}
      picker={(trigger) => (
        <Picker
          label="Who"
          options={options}
          selected={search.who ?? ''}
          onChoose={(who) => change({ who: who === search.who ? undefined : who })}
          trigger={trigger}
        />
      )}
    />
  );
}

function KindFilter({ offered }: Pick<Props, 'offered'>) {
  const { search, change } = useActivitySearch();
  const kind = isKind(search.kind) ? search.kind : undefined;
  return (
    <FilterButton
      what="Kind"
      value={kind && objectTitles[kind]}
      onClear={() => change({ kind: undefined })}
      picker={(trigger) => (
        <Picker
          label="Kind"
          options={offered.map((id) => ({ id, label: objectTitles[id] }))}
          selected={kind ?? ''}
          onChoose={(id) => change({ kind: id === kind ? undefined : id })}
          trigger={trigger}
        />
      )}
    />
  );
}

function EnvironmentFilter({ environments }: Pick<Props, 'environments'>) {
  const { search, change } = useActivitySearch();
  return (
    <FilterButton
      what="Environment"
      value={search.env}
      onClear={() => change({ env: undefined })}
      picker={(trigger) => (
        <Picker
          label="Environment"
          options={environments.map(({ name, production }) => ({
            id: name,
            label: name,
            ...(production ? { detail: <ProdChip /> } : {}),
          }))}
          selected={search.env ?? ''}
          onChoose={(env) => change({ env: env === search.env ? undefined : env })}
          trigger={trigger}
        />
      )}
    />
  );
}
