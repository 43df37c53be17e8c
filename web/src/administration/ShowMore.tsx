import { Button } from '../ui/Button.tsx';
import styles from './ShowMore.module.css';

interface Props {
  /** From `useInfiniteQuery`. */
  readonly query: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; fetchNextPage(): unknown };
  /** For example "50 people shown". */
  readonly shown: string;
}

/** Loads the next page. A button rather than infinite scrolling, so that content below the list stays reachable. */
export function ShowMore({ query, shown }: Props) {
  if (!query.hasNextPage) return null;
  return (
    <div className={styles.more}>
      <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show more
      </Button>
      <span className={styles.shown}>{shown}</span>
    </div>
  );
}
