import { Outlet, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { createFlag } from '#contract/flags.ts';
import { Failure } from '../../kit/Failure.tsx';
import { useProject } from '../../server/project.ts';
import { useWhyNot } from '../../server/rights.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { Page, PageHead } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { PlainButtonLink } from '../../ui/TextLink.tsx';
import { FlagFilters } from './FlagFilters.tsx';
import { FlagTable } from './FlagTable.tsx';
import { useFlags, useFlagsSearch } from './flags-query.ts';
import { NewFlag } from './NewFlag.tsx';

const NoFlags = lazy(() => import('./NoFlags.tsx').then((module) => ({ default: module.NoFlags })));
/** Loaded with its dialogs once something is selected. */
const SelectionBar = lazy(() => import('./SelectionBar.tsx').then((module) => ({ default: module.SelectionBar })));

/** The flags of a project, and what each serves in every environment. */
export function FlagsPage() {
  const project = useProject();
  const refusal = useWhyNot()(createFlag);
  const navigate = useNavigate();
  const { isFiltered } = useFlagsSearch();
  const { data, error, refetch, ...more } = useFlags();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const flags = data?.pages.flatMap(({ objects }) => objects);
  const total = data?.pages[0]?.totalCount ?? 0;
  const params = { project: project.name };

  const open = () => void navigate({ to: '/p/$project/flags/new', params, search: true });
  usePageActions([{ label: 'New flag', keys: 'n', icon: Plus, run: open, refusal }]);

  const isEmpty = flags?.length === 0;
  return (
    <Page>
      <PageHead
        title="Flags"
        within={project.name}
        tools={
          <>
            <PlainButtonLink to="/p/$project/archived" params={params}>
              Archived
            </PlainButtonLink>
            {/* An empty project shows the button in the middle of the page. */}
            {(!isEmpty || isFiltered) && <NewFlag />}
          </>
        }
      />
      {(!isEmpty || isFiltered) && <FlagFilters flags={flags ?? []} total={data && total} />}
      {!flags && (error ? <Failure problem={error} onRetry={refetch} /> : <SkeletonRows rows={8} />)}
      <Suspense>{isEmpty && <NoFlags />}</Suspense>
      {flags && !isEmpty && (
        <FlagTable flags={flags} total={total} selected={selected} onSelect={setSelected} more={more} />
      )}
      {flags && selected.size > 0 && (
        <Suspense>
          <SelectionBar flags={flags.filter(({ id }) => selected.has(id))} onDone={() => setSelected(new Set())} />
        </Suspense>
      )}
      <Outlet />
    </Page>
  );
}
