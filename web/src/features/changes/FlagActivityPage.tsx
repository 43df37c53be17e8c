import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { listChanges } from '#contract/changes.ts';
import type { Change } from '#domain/changes.ts';
import { orderOf, toTargeting } from '#domain/definitions/definition.ts';
import { useChanges } from '../../activity/changes-query.ts';
import { byDay } from '../../activity/days.ts';
import { countOf } from '../../administration/count.ts';
import { ShowMore } from '../../administration/ShowMore.tsx';
import { DeniedView } from '../../kit/Denied.tsx';
import { useEditorName } from '../../kit/EditorName.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { useFlag } from '../../server/flag.ts';
import { type Environment, useEnvironments, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { lazyPart } from '../../state/lazy.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Filters } from '../../ui/FilterButton.tsx';
import { Select } from '../../ui/Select.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import styles from './FlagActivityPage.module.css';

const FlagChange = lazyPart('FlagChange', () => import('./FlagChange.tsx'));
const RolloutTimeline = lazyPart('RolloutTimeline', () => import('../../timeline/RolloutTimeline.tsx'));
const VersionCompare = lazyPart('VersionCompare', () => import('./VersionCompare.tsx'));

interface Search {
  /** Environment name. */
  readonly environment?: string | undefined;
  readonly q?: string | undefined;
  /** User or key id. */
  readonly who?: string | undefined;
  /** Ids of audit entries: one to show, and two to compare. */
  readonly version?: string | undefined;
  readonly a?: string | undefined;
  readonly b?: string | undefined;
}

/** The versions of a flag and its definitions, newest first, and the differences between any two. */
export function FlagActivityPage() {
  const may = useMay();
  const environments = useEnvironments();
  const search: Search = useSearch({ strict: false });
  const environment = environments.find(({ name }) => name === search.environment);
  if (!may(listChanges)) return <DeniedView title="the history" />;
  return (
    <>
      <h2 className="sr">History</h2>
      <Changes key={environment?.id ?? ''} environment={environment} search={search} />
    </>
  );
}

function useSetSearch() {
  const navigate = useNavigate();
  return (changed: Search) =>
    void navigate({ to: '.', search: (all: Search) => ({ ...all, ...changed }), replace: true, resetScroll: false });
}

const isVersion = ({ object, after }: Change): boolean => object.type === 'definition' && after !== undefined;
/** How far back a linked version is looked for, in pages. */
const maxPages = 20;

function Changes({ environment, search }: { readonly environment: Environment | undefined; readonly search: Search }) {
  const project = useProject();
  const flag = useFlag();
  const set = useSetSearch();
  const query = useChanges({
    workspaceId: project.id,
    objectId: flag.id,
    environmentId: environment?.id,
    search: search.q?.slice(0, 100),
    actor: search.who,
  });
  const changes = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const find = (id: string | undefined) => changes.find((change) => change.id === id);
  const wanted = [search.version, search.a, search.b].filter((id) => id !== undefined);
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const isMissing =
    wanted.some((id) => !find(id)) && hasNextPage && !isFetching && (query.data?.pages.length ?? 0) < maxPages;
  useEffect(() => {
    if (isMissing) void fetchNextPage();
  }, [isMissing, fetchNextPage]);
  const saved = flag.definitions.find((definition) => definition.environment.id === environment?.id);
  const [left, right] = [find(search.a), find(search.b)];
  const isFiltered = search.q !== undefined || search.who !== undefined;
  const isLast = (change: Change) =>
    !isFiltered && changes.find((one) => one.environmentId === change.environmentId)?.id === change.id;
  const versions = changes.filter((one) => isVersion(one) && one.environmentId === (left ?? right)?.environmentId);
  return (
    <>
      {environment && saved && (
        <Suspense fallback={<div className={styles.timeline} />}>
          <RolloutTimeline
            environment={environment}
            saved={saved}
            order={orderOf(toTargeting(saved))}
            marks={{
              ...(search.a === undefined ? {} : { [search.a]: 'A' }),
              ...(search.b === undefined ? {} : { [search.b]: 'B' }),
            }}
          />
        </Suspense>
      )}
      <HistoryFilters environment={environment} search={search} changes={changes} />
      {left && right && isVersion(left) && isVersion(right) && (
        <Suspense>
          <VersionCompare {...{ versions, left, right }} onChoose={({ a, b }) => set({ a, b })} />
        </Suspense>
      )}
      <Loaded query={query} skeleton={<SkeletonRows />}>
        {() =>
          changes.length === 0 && !hasNextPage ? (
            <EmptyState title={isFiltered ? 'No changes match' : 'No changes yet.'} />
          ) : (
            <Suspense fallback={<SkeletonRows />}>
              <div className={styles.days}>
                {byDay(changes, Date.now()).map(({ day, items }) => (
                  <section key={day} aria-label={day}>
                    <h2 className={styles.day}>{day}</h2>
                    <ol className={styles.list}>
                      {items.map((change) => (
                        <FlagChange
                          key={change.id}
                          change={change}
                          isLinked={change.id === search.version}
                          mark={change.id === search.a ? 'A' : change.id === search.b ? 'B' : undefined}
                          isLast={isLast(change)}
                          onCompare={isVersion(change) ? () => set(sidesFor(change, changes)) : undefined}
                        />
                      ))}
                    </ol>
                  </section>
                ))}
                <ShowMore query={query} shown={`${countOf(changes.length, 'change')} shown`} />
              </div>
            </Suspense>
          )
        }
      </Loaded>
    </>
  );
}

/** A version with the newest of its environment, or the newest with the one before it. */
function sidesFor(change: Change, changes: readonly Change[]): { a: string; b: string } {
  const versions = changes.filter((one) => isVersion(one) && one.environmentId === change.environmentId);
  const [newest, second] = versions;
  if (!newest || newest.id !== change.id) return { a: change.id, b: newest?.id ?? change.id };
  return { a: second?.id ?? change.id, b: change.id };
}

interface FiltersProps {
  readonly environment: Environment | undefined;
  readonly search: Search;
  readonly changes: readonly Change[];
}

function HistoryFilters({ environment, search, changes }: FiltersProps) {
  const set = useSetSearch();
  const environments = useEnvironments();
  const people = new Map(changes.map(({ editor }) => [editor.id, editor]));
  return (
    <div className={styles.filter}>
      <Filters>
        <SearchField label="Search changes" value={search.q ?? ''} onSearch={(q) => set({ q: q || undefined })} />
        <Select
          name="environment"
          label="Environment"
          value={environment?.name ?? ''}
          onChange={({ target }) => set({ environment: target.value || undefined, a: undefined, b: undefined })}
        >
          <option value="">All</option>
          {environments.map(({ id, name }) => (
            <option key={id}>{name}</option>
          ))}
        </Select>
        <Select
          name="who"
          label="Who"
          value={search.who ?? ''}
          onChange={({ target }) => set({ who: target.value || undefined })}
        >
          <option value="">Everyone</option>
          {[...people.values()].map((editor) => (
            <Person key={editor.id} editor={editor} />
          ))}
        </Select>
      </Filters>
    </div>
  );
}

const Person = ({ editor }: { readonly editor: Change['editor'] }) => (
  <option value={editor.id}>{useEditorName(editor)}</option>
);
