import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { useActivitySearch } from './activity-search.ts';

/** No changes at all, or none that match the filters. */
export function NoChanges() {
  const { isFiltered, clear } = useActivitySearch();
  return isFiltered ? (
    <EmptyState title="No changes match" action={<Button onClick={clear}>Clear filters</Button>} />
  ) : (
    <EmptyState title="No changes yet">Every change appears here: who made it, why, and what it changed.</EmptyState>
  );
}
