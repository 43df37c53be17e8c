import type { ReactNode } from 'react';
import { countOf } from '../administration/count.ts';
import { ShowMore } from '../administration/ShowMore.tsx';
import { Loaded } from '../kit/Loaded.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { ChangeEntry } from './ChangeEntry.tsx';
import styles from './ChangeList.module.css';
import { type ChangeFilter, useChanges } from './changes-query.ts';
import { byDay } from './days.ts';

interface Props {
  readonly filter: ChangeFilter;
  /** Entries name their project. */
  readonly namesProject?: boolean;
  /** Shown instead of an empty list. */
  readonly empty: ReactNode;
  /** Heading level for days: one below the enclosing section's. */
  readonly level?: 'h2' | 'h3';
}

/** Audit entries grouped by day. */
export function ChangeList({ filter, namesProject = false, empty, level: Heading = 'h2' }: Props) {
  const query = useChanges(filter);
  return (
    <Loaded query={query} skeleton={<SkeletonRows />}>
      {({ pages }) => {
        const changes = pages.flatMap(({ data }) => data);
        if (changes.length === 0 && !query.hasNextPage) return empty;
        return (
          <div className={styles.whole}>
            {byDay(changes, Date.now()).map(({ day, items }) => (
              <section key={day} aria-label={day} className={styles.day}>
                <Heading className={styles.heading}>{day}</Heading>
                <ol className={styles.list}>
                  {items.map((change) => (
                    <ChangeEntry key={change.id} change={change} namesProject={namesProject} />
                  ))}
                </ol>
              </section>
            ))}
            <ShowMore
              query={query}
              shown={
                changes.length > 0
                  ? `${countOf(changes.length, 'change')} shown`
                  : 'Nothing found so far; older changes were not searched'
              }
            />
          </div>
        );
      }}
    </Loaded>
  );
}
