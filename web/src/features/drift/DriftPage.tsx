import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { Suspense, useCallback, useState } from 'react';
import { createChangeset } from '#contract/changesets.ts';
import { listDrift } from '#contract/flags.ts';
import { type DriftingFlag, type DriftKind, driftKinds, driftSorts } from '#domain/drift.ts';
import { countOf } from '../../administration/count.ts';
import { ShowMore } from '../../administration/ShowMore.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { SaveBar } from '../../kit/SaveBar.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { type Answer, call, keyOf } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { type Environment, sidesOf, useEnvironments, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { lazyPart } from '../../state/lazy.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterCount } from '../../ui/FilterButton.tsx';
import { focusWhenLost } from '../../ui/focus.ts';
import { Page, PageHead } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import styles from './DriftPage.module.css';
import { DriftTable } from './DriftTable.tsx';

const PromoteFlags = lazyPart('PromoteFlags', () => import('./PromoteFlags.tsx'));

type Answered = Answer<typeof listDrift>;
export type DriftSort = (typeof driftSorts)[number];

/** Which flags differ between two environments, or between one and all others. */
export function DriftPage() {
  const project = useProject();
  const environments = useEnvironments();
  const search: Readonly<Record<string, string | undefined>> = useSearch({ from: '/shell/p/$project/drift' });
  const { left, right: base } = sidesOf(environments, search);
  if (!left || !base) {
    return (
      <Page>
        <PageHead title="Drift" within={project.name} />
        <EmptyState title="This project has only one environment">You need two to compare.</EmptyState>
      </Page>
    );
  }
  return <Compared left={left} base={base} isAll={search.all !== undefined} search={search} />;
}

interface Props {
  readonly left: Environment;
  readonly base: Environment;
  /** All environments are compared with the base, instead of the left one. */
  readonly isAll: boolean;
  readonly search: Readonly<Record<string, string | undefined>>;
}

const everything = 'all';

function Compared({ left, base, isAll, search }: Props) {
  const project = useProject();
  const environments = useEnvironments();
  const navigate = useNavigate();
  const change = (next: Readonly<Record<string, string | undefined>>) =>
    void navigate({ to: '.', search: { ...search, a: left.name, b: base.name, ...next }, replace: true });
  const kind = driftKinds.find((one) => one === search.kind);
  const sort = driftSorts.find((one) => one === search.sort) ?? 'severity';
  const others = environments.filter(({ id }) => id !== base.id);
  const may = useMay();
  const { picked, pick } = usePicked(`${left.id} ${base.id}`);
  const hasBar = !isAll && picked.size > 0;
  const query = useInfiniteQuery(
    driftReading(project.id, {
      base: base.id,
      environment: isAll ? undefined : [left.id],
      kind: kind && [kind],
      name: search.q || undefined,
      sort,
    }),
  );
  return (
    <Page width="full">
      <div className={styles.top}>
        <PageHead
          title="Drift"
          within={project.name}
          beside={<FilterCount>{query.data && totalInWords(query.data)}</FilterCount>}
          tools={
            <div className={styles.choices}>
              <Select
                name="a"
                label="Compare"
                value={isAll ? '' : left.id}
                onChange={({ target: { value } }) =>
                  change(
                    value === ''
                      ? { all: '' }
                      : { all: undefined, a: environments.find(({ id }) => id === value)?.name },
                  )
                }
              >
                <option value="">All environments</option>
                {others.map(toOption)}
              </Select>
              <Button
                size="icon"
                aria-label="Swap environments"
                refusal={isAll ? 'Choose one environment to swap.' : undefined}
                onClick={() => change({ a: base.name, b: left.name })}
              >
                <ArrowLeftRight size={15} aria-hidden />
              </Button>
              <Select
                name="b"
                label="with"
                value={base.id}
                onChange={({ target: { value } }) => {
                  const chosen = environments.find(({ id }) => id === value);
                  change({ b: chosen?.name, ...(chosen === left && { a: base.name }) });
                }}
              >
                {environments.map(toOption)}
              </Select>
            </div>
          }
        />
        <div className={styles.tools}>
          <Tabs
            label="Kind of difference"
            controls="drift"
            selected={kind ?? everything}
            onSelect={(id) => change({ kind: id === everything ? undefined : id })}
            tabs={tabsOf(query.data)}
          />
          <SearchField label="Search flags" value={search.q ?? ''} onSearch={(q) => change({ q: q || undefined })} />
        </div>
      </div>
      <div
        role="tabpanel"
        id="drift"
        aria-label="Flags that differ"
        className={styles.panel}
        data-plain={!hasBar || undefined}
      >
        <Loaded query={query} skeleton={<SkeletonRows rows={12} height={40} />}>
          {({ flags }) =>
            flags.length === 0 ? (
              <div className={styles.inset}>
                <EmptyState title="No differences found">
                  {search.q || kind
                    ? 'No flag that differs matches the filters.'
                    : `No flag differs between ${isAll ? 'the environments' : left.name} and ${base.name}.`}
                </EmptyState>
              </div>
            ) : (
              <DriftTable
                flags={flags}
                base={base}
                left={isAll ? undefined : left}
                sort={sort}
                onSort={(next) => change({ sort: next })}
                picked={isAll || !may(createChangeset) ? undefined : picked}
                onPick={pick}
              />
            )
          }
        </Loaded>
        {hasBar && <Promotion flags={[...picked.values()]} from={left} to={base} onClear={() => pick('none', false)} />}
        <ShowMore query={query} shown={`${query.data?.flags.length ?? 0} flags shown`} />
      </div>
    </Page>
  );
}

/** Flags by id, with their names. Other environments have other picks: none at first. */
function usePicked(sides: string) {
  const [kept, setKept] = useState({ sides, flags: none });
  const pick = useCallback(
    (flags: readonly DriftingFlag[] | 'none', isPicked: boolean) =>
      setKept((before) => {
        const after = new Map(before.sides === sides && flags !== 'none' ? before.flags : none);
        for (const { id, name } of flags === 'none' ? [] : flags) {
          if (isPicked) after.set(id, name);
          else after.delete(id);
        }
        return { sides, flags: after };
      }),
    [sides],
  );
  return { picked: kept.sides === sides ? kept.flags : none, pick };
}

const none: ReadonlyMap<string, string> = new Map();

interface PromotionProps {
  /** Names. */
  readonly flags: readonly string[];
  readonly from: Environment;
  readonly to: Environment;
  readonly onClear: () => void;
}

function Promotion({ flags, from, to, onClear }: PromotionProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <SaveBar
        label="Selected flags"
        edge={to.production ? 'production' : 'plain'}
        title={`${countOf(flags.length, 'flag')} selected`}
        line={`Promote what ${from.name} has, in one changeset.`}
      >
        <Button
          onClick={() => {
            onClear();
            focusWhenLost();
          }}
        >
          Clear
        </Button>
        <Button look="primary" onClick={() => setOpen(true)}>
          Promote to {to.name}…
        </Button>
      </SaveBar>
      <Suspense>{isOpen && <PromoteFlags {...{ flags, from, to }} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

const toOption = ({ id, name, production }: Environment) => (
  <option key={id} value={id}>
    {name}
    {production ? ' (production)' : ''}
  </option>
);

const numbers = new Intl.NumberFormat('en');

interface Totals {
  readonly flagCount: number;
  readonly total: number;
  readonly counts: Answered['counts'];
}

const totalInWords = ({ total, flagCount }: Totals): string =>
  `${numbers.format(total)} of ${flagCount === 1 ? '1 flag' : `${numbers.format(flagCount)} flags`} ${total === 1 ? 'differs' : 'differ'}`;

const titles: readonly (readonly [DriftKind | typeof everything, string])[] = [
  [everything, 'All'],
  ['killed', 'Killed in one'],
  ['defined', 'Defined in one'],
  ['targeting', 'Rules or targets'],
  ['share', 'Share'],
];

const tabsOf = (totals: Totals | undefined) =>
  titles.map(([id, title]) => ({
    id,
    label: (
      <>
        {title}{' '}
        {totals && id !== everything && <span className={styles.count}>{numbers.format(totals.counts[id])}</span>}
      </>
    ),
  }));

type DriftFilter = Omit<
  NonNullable<NonNullable<Parameters<typeof call<typeof listDrift>>[1]>['query']>,
  'offset' | 'limit'
>;
const pageSize = 50;

const driftReading = (project: string, filter: DriftFilter) =>
  infiniteQueryOptions<
    Answered,
    ApiProblem,
    Totals & { readonly flags: Answered['objects'] },
    readonly unknown[],
    number
  >({
    queryKey: [...keyOf(listDrift), 'pages', project, filter],
    queryFn: ({ pageParam: offset }) =>
      call(listDrift, { params: { project }, query: { ...filter, offset, limit: pageSize } }),
    initialPageParam: 0,
    getNextPageParam: ({ totalCount, offset }) => (offset + pageSize < totalCount ? offset + pageSize : undefined),
    placeholderData: keepPreviousData,
    select: ({ pages }) => ({
      flags: pages.flatMap(({ objects }) => objects),
      total: pages.at(-1)?.totalCount ?? 0,
      flagCount: pages.at(-1)?.flagCount ?? 0,
      counts: pages.at(-1)?.counts ?? { killed: 0, defined: 0, targeting: 0, share: 0 },
    }),
  });
