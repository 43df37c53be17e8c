import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { createSegment, listSegments } from '#contract/segments.ts';
import { countOf } from '../../administration/count.ts';
import { ShowMore } from '../../administration/ShowMore.tsx';
import { Denied } from '../../kit/Denied.tsx';
import { FlagFilter } from '../../kit/FlagFilter.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { useMay } from '../../server/session.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { kinds, kindWords } from '../../targeting/segment-kinds.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterCount, Filters, FilterToggle } from '../../ui/FilterButton.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { KeyMemberships, useMemberships } from './KeyMemberships.tsx';
import { NewSegmentDialog } from './NewSegmentDialog.tsx';
import { EnvironmentFilter, TagFilter } from './SegmentFilters.tsx';
import styles from './SegmentsPage.module.css';
import { SegmentTable } from './SegmentTable.tsx';
import { type KindFilter, segmentCountReading, segmentsReading, useSegmentsSearch } from './segments-query.ts';

/** Segments of all kinds, with their size in each environment. */
export function SegmentsPage() {
  const may = useMay();
  const project = useProject();
  const navigate = useNavigate();
  const search = useSearch({ from: '/shell/p/$project/segments' });
  const refusal = useWhyNot()(createSegment);
  const open = () => void navigate({ to: '.', search: (before: object) => ({ ...before, new: '' }) });
  const close = () =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, new: undefined }), replace: true });
  usePageActions([{ label: 'New segment', keys: 'n', icon: Plus, opensField: true, run: open, refusal }]);
  if (!may(listSegments)) return <Denied title="Segments" />;
  const newSegment = (
    <Button look="primary" refusal={refusal} onClick={open}>
      New segment
    </Button>
  );
  return (
    <Page>
      <PageHead
        title="Segments"
        within={project.name}
        lead="Named sets of keys. A change here reaches every flag that uses the segment."
        tools={newSegment}
      />
      <KindTabs />
      <div role="tabpanel" id="segments" aria-label="Segments" className={styles.list}>
        <SegmentList newSegment={newSegment} />
      </div>
      <Kinds />
      {search.new !== undefined && <NewSegmentDialog onClose={close} />}
    </Page>
  );
}

function KindTabs() {
  const { filter, change } = useSegmentsSearch();
  return (
    <Tabs<KindFilter>
      label="Kind"
      controls="segments"
      selected={filter.kind}
      onSelect={(id) => change({ kind: id === 'all' ? undefined : id })}
      tabs={[
        {
          id: 'all',
          label: (
            <>
              All <Count kind="all" />
            </>
          ),
        },
        ...kinds.map((id) => ({
          id,
          label: (
            <>
              {kindWords[id].name} <Count kind={id} />
            </>
          ),
        })),
      ]}
    />
  );
}

/** Of the segments that match the search. */
function Count({ kind }: { readonly kind: KindFilter }) {
  const { filter } = useSegmentsSearch();
  const { data } = useQuery(segmentCountReading(useProject().id, { ...filter, kind }));
  return <span className={styles.count}>{data?.totalCount.toLocaleString('en')}</span>;
}

function SegmentList({ newSegment }: { readonly newSegment: React.ReactNode }) {
  const project = useProject();
  const { filter, isFiltered, change } = useSegmentsSearch();
  const query = useInfiniteQuery(segmentsReading(project.id, filter));
  const places = useMemberships(filter.name);
  return (
    <>
      <Filters>
        <SearchField
          label="Search names and keys"
          value={filter.name ?? ''}
          onSearch={(q) => change({ q: q || undefined })}
        />
        <TagFilter tags={query.data?.allTags} />
        <EnvironmentFilter />
        <FlagFilter what="Used by" value={filter.usedBy} onChange={(flag) => change({ flag })} />
        <FilterToggle
          isOn={filter.used !== undefined}
          onToggle={() => change({ unused: filter.used === undefined ? '' : undefined })}
        >
          Not used
        </FilterToggle>
        <FilterCount>{query.data && countOf(query.data.total, 'segment')}</FilterCount>
      </Filters>
      {filter.name !== undefined && <KeyMemberships text={filter.name} places={places} />}
      <Loaded query={query} skeleton={<SkeletonRows />}>
        {({ segments, total }) =>
          segments.length > 0 ? (
            <>
              <SegmentTable segments={segments} />
              <ShowMore query={query} shown={`${segments.length} of ${total.toLocaleString('en')}`} />
            </>
          ) : places.length > 0 ? null : isFiltered ? (
            <EmptyState
              title={filter.name === undefined ? 'No segments match' : `No segment name contains ${filter.name}`}
              action={<Button onClick={() => change(noFilters)}>Clear filters</Button>}
            />
          ) : (
            <EmptyState title="No segments yet" action={newSegment}>
              A segment is a set of keys, such as beta testers. Rules of flags can name it.
            </EmptyState>
          )
        }
      </Loaded>
    </>
  );
}

const noFilters = {
  q: undefined,
  kind: undefined,
  tag: undefined,
  active: undefined,
  flag: undefined,
  unused: undefined,
};

const Kinds = () => (
  <ul className={styles.kinds} aria-label="Kinds of segments">
    {kinds.map((kind) => {
      const { name, icon: Icon, about, limit } = kindWords[kind];
      return (
        <li key={kind} className={styles.kind}>
          <Icon size={15} strokeWidth={1.75} aria-hidden />
          <div>
            <p className={styles.kindName}>{name}</p>
            <p>{about}</p>
            <p className={styles.limit}>{limit}</p>
          </div>
        </li>
      );
    })}
  </ul>
);
