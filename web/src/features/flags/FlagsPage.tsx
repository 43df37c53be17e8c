import { Outlet, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { createFlag } from '#contract/flags.ts';
import { Failure } from '../../kit/Failure.tsx';
import { useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { FilterCount } from '../../ui/FilterButton.tsx';
import { Page, PageHead } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { useFailedFlags } from './each-flag.ts';
import { FlagFilters } from './FlagFilters.tsx';
import styles from './FlagsPage.module.css';
import { FlagTable } from './FlagTable.tsx';
import { useFirstPage, useFlagsSearch } from './flags-query.ts';
import { NewFlag } from './NewFlag.tsx';
import { useSelection } from './selection.ts';

const NoFlags = lazy(() => import('./NoFlags.tsx').then((module) => ({ default: module.NoFlags })));
const BulkFailures = lazy(() => import('./BulkReport.tsx').then((module) => ({ default: module.BulkFailures })));
const ViewTabs = lazy(() => import('./ViewTabs.tsx').then((module) => ({ default: module.ViewTabs })));
const Board = lazy(() => import('./Board.tsx').then((module) => ({ default: module.Board })));
/** Loaded with its dialogs once something is selected. */
const SelectionBar = lazy(() => import('./SelectionBar.tsx').then((module) => ({ default: module.SelectionBar })));

/** The flags of a project, and what each serves in every environment. */
export function FlagsPage() {
  const project = useProject();
  const refusal = useWhyNot()(createFlag);
  const navigate = useNavigate();
  const { search, isFiltered } = useFlagsSearch();
  const { data, error, refetch, isPlaceholderData } = useFirstPage();
  const selection = useSelection();
  const failed = useFailedFlags();
  const total = data?.totalCount;
  const params = { project: project.name };

  const open = () => void navigate({ to: '/p/$project/flags/new', params, search: true });
  usePageActions([{ label: 'New flag', keys: 'n', icon: Plus, opensField: true, run: open, refusal }]);

  const isEmpty = total === 0;
  // An empty project shows the button in the middle of the page.
  const hasTools = !isEmpty || isFiltered;
  return (
    <Page width="full">
      <div className={styles.top}>
        <PageHead
          title="Flags"
          within={project.name}
          beside={<FilterCount>{total !== undefined && hasTools && countInWords(total, isFiltered)}</FilterCount>}
          tools={hasTools && <NewFlag />}
        />
        {hasTools && (
          <>
            <Suspense fallback={<div className={styles.tabs} />}>
              <ViewTabs />
            </Suspense>
            <FlagFilters />
          </>
        )}
      </div>
      {!data && (
        <div className={styles.inset}>
          {error ? <Failure problem={error} onRetry={refetch} /> : <SkeletonRows rows={12} height={44} />}
        </div>
      )}
      <Suspense>
        {isEmpty && (
          <div className={styles.inset}>
            <NoFlags />
          </div>
        )}
      </Suspense>
      {data && !isEmpty && search.board && (
        <Suspense fallback={<SkeletonRows rows={6} height={104} />}>
          <Board />
        </Suspense>
      )}
      {data && !isEmpty && !search.board && <FlagTable first={data} isOld={isPlaceholderData} selection={selection} />}
      {selection.count > 0 && (
        <Suspense>
          <SelectionBar selection={selection} total={total ?? 0} />
        </Suspense>
      )}
      <Suspense>{failed.length > 0 && <BulkFailures failed={failed} />}</Suspense>
      <Outlet />
    </Page>
  );
}

const numbers = new Intl.NumberFormat('en');
const countInWords = (total: number, isFiltered: boolean): string =>
  `${numbers.format(total)} ${total === 1 ? 'flag' : 'flags'}${isFiltered ? (total === 1 ? ' matches' : ' match') : ''}`;
