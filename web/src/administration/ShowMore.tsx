import { Button } from '../ui/Button.tsx';
import styles from './ShowMore.module.css';

interface Props {
  /** Of an infinite query. */
  readonly query: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; fetchNextPage(): unknown };
  /** How many are shown: "50 people shown". */
  readonly shown: string;
}

/** Below a list that goes on. A button, so that what stands below the list can be reached. */
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
