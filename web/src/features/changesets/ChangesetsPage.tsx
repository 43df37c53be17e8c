import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { listChangesets } from '#contract/changesets.ts';
import type { ChangesetState } from '#domain/changesets.ts';
import { countOf } from '../../administration/count.ts';
import { NameLink } from '../../administration/NameLink.tsx';
import { ShowMore } from '../../administration/ShowMore.tsx';
import { RowName, StackingTable } from '../../administration/StackingTable.tsx';
import { isScheduled, objectOf, placesOf, stateWords, titleOf } from '../../changesets/changesets-query.ts';
import { timeWords, zoneHere } from '../../changesets/schedule-words.ts';
import { Denied } from '../../kit/Denied.tsx';
import { EditorName } from '../../kit/EditorName.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { type Answer, call, keyOf } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useProject } from '../../server/project.ts';
import { useMay, useMe } from '../../server/session.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Filters } from '../../ui/FilterButton.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { ShortTime, Until } from '../../ui/Time.tsx';
import styles from './ChangesetsPage.module.css';
import { StateChip } from './StateChip.tsx';

type Answered = Answer<typeof listChangesets>;
type Listed = Answered['data'][number];

const filters = ['waiting', 'mine', 'all'] as const;
type Filter = (typeof filters)[number];
const filterWords: Readonly<Record<Filter, string>> = { waiting: 'Waiting for you', mine: 'Yours', all: 'All' };

const emptyWords: Readonly<Record<Filter, readonly [title: string, text: string]>> = {
  waiting: ['Nothing waits for you', 'Changesets of others that need you to approve or apply them appear here.'],
  mine: ['You have no changesets', 'Propose a change on the page of a flag, or collect several into one.'],
  all: ['No changesets', 'A changeset changes several flags and environments together, or asks for approval first.'],
};

/** Changesets of the project: what waits for the user, what is theirs, and all. */
export function ChangesetsPage() {
  const project = useProject();
  const may = useMay();
  const navigate = useNavigate();
  const search: Readonly<Record<string, string | undefined>> = useSearch({ from: '/shell/p/$project/changesets' });
  const filter = filters.find((one) => one === search.show) ?? 'all';
  const state = (Object.keys(stateWords) as ChangesetState[]).find((one) => one === search.state);
  const set = (next: Readonly<Record<string, string | undefined>>) =>
    void navigate({ to: '.', search: { ...search, ...next }, replace: true });
  const query = useInfiniteQuery<Answered, ApiProblem>({
    queryKey: [...keyOf(listChangesets), 'pages', project.id, filter, state],
    queryFn: ({ pageParam }) =>
      call(listChangesets, {
        query: {
          workspaceId: project.id,
          filter,
          status: state,
          limit: pageSize,
          after: pageParam as string | undefined,
        },
      }),
    initialPageParam: undefined,
    getNextPageParam: ({ nextMarker }) => nextMarker,
    placeholderData: keepPreviousData,
  });
  if (!may(listChangesets)) return <Denied title="Changesets" />;
  return (
    <Page>
      <PageHead
        title="Changesets"
        within={project.name}
        lead="Changes that are proposed, approved, scheduled and applied together."
      />
      <div className={styles.tools}>
        <Tabs<Filter>
          label="Which"
          controls="changesets"
          selected={filter}
          onSelect={(id) => set({ show: id === 'all' ? undefined : id, state: undefined })}
          tabs={filters.map((id) => ({ id, label: filterWords[id] }))}
        />
        {filter !== 'waiting' && (
          <Filters>
            <Select
              name="state"
              label="State"
              value={state ?? ''}
              onChange={({ target: { value } }) => set({ state: value || undefined })}
            >
              <option value="">Any state</option>
              {Object.entries(stateWords).map(([id, { label }]) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </Select>
          </Filters>
        )}
      </div>
      {filter === 'waiting' && <Elsewhere />}
      <div role="tabpanel" id="changesets" aria-label={filterWords[filter]}>
        <Loaded query={query} skeleton={<SkeletonRows />}>
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            if (all.length === 0) {
              const [title, text] = emptyWords[filter];
              return state ? (
                <EmptyState title={`None is ${stateWords[state].label.toLowerCase()}`} />
              ) : (
                <EmptyState title={title}>{text}</EmptyState>
              );
            }
            return (
              <>
                <StackingTable
                  caption="Changesets"
                  head={
                    <tr>
                      <th>Title</th>
                      <th>State</th>
                      <th>Environments</th>
                      <th>By</th>
                      <th>Changed</th>
                    </tr>
                  }
                >
                  {all.map((changeset) => (
                    <Row key={changeset.id} changeset={changeset} />
                  ))}
                </StackingTable>
                <ShowMore query={query} shown={`${countOf(all.length, 'changeset')} shown`} />
              </>
            );
          }}
        </Loaded>
      </div>
    </Page>
  );
}

const pageSize = 50;

/** What waits in other projects. */
function Elsewhere() {
  const project = useProject();
  const others = useMe().waiting.filter(({ id }) => id !== project.id);
  if (others.length === 0) return null;
  return (
    <p>
      Also waiting for you:{' '}
      {others.map(({ id, name, count }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <TextLink to="/p/$project/changesets" params={{ project: name }} search={{ show: 'waiting' }}>
            {count} in {name}
          </TextLink>
        </span>
      ))}
    </p>
  );
}

/** When the next step of a schedule is due. */
const NextStep = ({ changeset: { dueAt, status } }: { readonly changeset: Listed }) => (
  <span className={styles.next}>
    {dueAt !== undefined && status === 'SCHEDULED' && (
      <>
        {timeWords(dueAt, zoneHere())}, <Until at={dueAt} />
      </>
    )}
    {/* A ramp without a time starts once it is approved. */}
    {dueAt !== undefined && status !== 'SCHEDULED' && dueAt > Date.now() && `due ${timeWords(dueAt, zoneHere())}`}
    {dueAt === undefined && 'Paused or on hold'}
  </span>
);

function Row({ changeset }: { readonly changeset: Listed }) {
  const project = useProject();
  const names = [...new Set(changeset.operations.map((operation) => objectOf(operation).name))];
  return (
    <tr>
      <th scope="row">
        <RowName
          below={
            <span className="mono">
              {names.slice(0, 3).join(', ')}
              {names.length > 3 && ` and ${names.length - 3} more`}
            </span>
          }
        >
          <NameLink to="/p/$project/changesets/$changeset" params={{ project: project.name, changeset: changeset.id }}>
            {titleOf(changeset)}
          </NameLink>
        </RowName>
      </th>
      <td>
        <StateChip changeset={changeset} />
        {isScheduled(changeset) && <NextStep changeset={changeset} />}
      </td>
      <td data-label="In">{placesOf(changeset).join(', ')}</td>
      <td data-label="By">
        <EditorName editor={changeset.author} />
      </td>
      <td data-label="Changed">
        <ShortTime at={changeset.updatedAt} />
      </td>
    </tr>
  );
}
