import { useQuery } from '@tanstack/react-query';
import { DependentList, dependentsReading } from '../../../kit/Dependents.tsx';
import { useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import styles from './ActivityRail.module.css';

/** The flags with rules on this one, wherever they are. Nothing when there are none. */
export function UsedBy() {
  const { data } = useQuery(dependentsReading(useProject().id, useFlag().name));
  if (!data || data.objects.length === 0) return null;
  return (
    <section aria-labelledby="used-by">
      <div className={styles.head}>
        <h2 id="used-by">Used by</h2>
      </div>
      <DependentList dependents={data.objects} />
    </section>
  );
}
