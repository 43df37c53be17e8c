import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { createApiKey, listApiKeys } from '#contract/api-keys.ts';
import { countOf } from '../../administration/count.ts';
import { type ApiKeyAnswer, apiKeysReading } from '../../administration/whole-lists.ts';
import { Denied } from '../../kit/Denied.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { projectsReading } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterButton, FilterCount, Filters, FilterToggle } from '../../ui/FilterButton.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { Picker } from '../../ui/Picker.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { KeyTable } from './KeyTable.tsx';
import { inOrder, orderOf } from './key-order.ts';
import { usePlaces } from './key-places.ts';
import { types } from './key-words.ts';
import { isInScope, isUnused, isWanted, unusedDays, useKeysSearch } from './keys-search.ts';
import { NewKeyDialog } from './NewKeyDialog.tsx';

/** Lists, creates and revokes API keys. */
export function ApiKeysPage() {
  const may = useMay();
  const { search, change, openNew } = useKeysSearch();
  const keys = useQuery({ ...apiKeysReading, enabled: may(listApiKeys) });
  usePageActions(
    may(createApiKey) ? [{ label: 'New API key', keys: 'n', icon: Plus, opensField: true, run: openNew }] : [],
  );
  if (!may(listApiKeys)) return <Denied title="API keys" />;
  return (
    <Page>
      <PageHead
        title="API keys"
        lead="Programs use these keys to call Burgee. A key is shown once, when you create it."
        tools={
          may(createApiKey) && (
            <Button look="primary" onClick={openNew}>
              New key
            </Button>
          )
        }
      />
      <Loaded query={keys} skeleton={<SkeletonRows />}>
        {(all) => <Keys keys={all} />}
      </Loaded>
      {search.new !== undefined && may(createApiKey) && <NewKeyDialog onClose={() => change({ new: undefined })} />}
    </Page>
  );
}

function Keys({ keys }: { readonly keys: readonly ApiKeyAnswer[] }) {
  const { search, change, isFiltered } = useKeysSearch();
  const placeOf = usePlaces();
  const shown = keys
    .filter((key) => isWanted(key, search) && isInScope(placeOf(key), search))
    .filter((key) => search.unused === undefined || isUnused(key, Date.now()));
  return (
    <>
      <Filters>
        <SearchField label="Search keys" value={search.q ?? ''} onSearch={(text) => change({ q: text || undefined })} />
        <TypeFilter />
        <ProjectFilter />
        <FilterToggle
          isOn={search.unused !== undefined}
          onToggle={() => change({ unused: search.unused === undefined ? '' : undefined })}
        >
          Unused for {unusedDays} days
        </FilterToggle>
        <FilterCount>
          {countOf(shown.length, 'key')}
          {isFiltered && ` of ${keys.length}`}
        </FilterCount>
      </Filters>
      {shown.length > 0 ? (
        <KeyTable keys={inOrder(shown, orderOf(search.sort))} />
      ) : (
        <EmptyState
          title="No keys match"
          action={
            <Button
              onClick={() =>
                change({ q: undefined, type: undefined, project: undefined, env: undefined, unused: undefined })
              }
            >
              Clear filters
            </Button>
          }
        />
      )}
    </>
  );
}

function TypeFilter() {
  const { search, change } = useKeysSearch();
  const options = Object.entries(types).map(([id, { label }]) => ({ id, label }));
  return (
    <FilterButton
      what="Type"
      value={options.find(({ id }) => id === search.type)?.label}
      onClear={() => change({ type: undefined })}
      picker={(trigger) => (
        <Picker
          label="Type"
          options={options}
          selected={search.type ?? ''}
          onChoose={(type) => change({ type: type === search.type ? undefined : type })}
          trigger={trigger}
        />
      )}
    />
  );
}

function ProjectFilter() {
  const { search, change } = useKeysSearch();
  const { data } = useQuery(projectsReading);
  const value = search.env === undefined ? search.project : `${search.env} in ${search.project}`;
  return (
    <FilterButton
      what="Project"
      value={search.project === undefined ? undefined : value}
      onClear={() => change({ project: undefined, env: undefined })}
      picker={(trigger) => (
        <Picker
          label="Project"
          options={(data?.objects ?? []).map(({ name }) => ({ id: name, label: name }))}
          selected={search.project ?? ''}
          onChoose={(project) => change({ project: project === search.project ? undefined : project, env: undefined })}
          trigger={trigger}
        />
      )}
    />
  );
}
