import { useNavigate, useSearch } from '@tanstack/react-router';
import { listChanges } from '#contract/changes.ts';
import { useChanges } from '../../activity/changes-query.ts';
import { byDay } from '../../activity/days.ts';
import { countOf } from '../../administration/count.ts';
import { ShowMore } from '../../administration/ShowMore.tsx';
import { DeniedView } from '../../kit/Denied.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { useFlag } from '../../server/flag.ts';
import { useEnvironments, useProject } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Select } from '../../ui/Select.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import styles from './FlagActivityPage.module.css';
import { FlagChange } from './FlagChange.tsx';

/** Activity of the flag and its definitions, newest first. */
export function FlagActivityPage() {
  const may = useMay();
  const environments = useEnvironments();
  const { environment: wanted }: { environment?: string } = useSearch({ strict: false });
  const environment = environments.find(({ name }) => name === wanted);
  const navigate = useNavigate();
  if (!may(listChanges)) return <DeniedView title="the history" />;
  return (
    <>
      <h2 className="sr">History</h2>
      <div className={styles.filter}>
        <Select
          name="environment"
          label="Environment"
          value={environment?.name ?? ''}
          onChange={({ target }) =>
            void navigate({ to: '.', search: { environment: target.value || undefined }, replace: true })
          }
        >
          <option value="">All</option>
          {environments.map(({ id, name }) => (
            <option key={id}>{name}</option>
          ))}
        </Select>
      </div>
      <Changes key={environment?.id ?? ''} environmentId={environment?.id} />
    </>
  );
}

function Changes({ environmentId }: { readonly environmentId: string | undefined }) {
  const project = useProject();
  const flag = useFlag();
  const query = useChanges({ workspaceId: project.id, objectId: flag.id, environmentId });
  return (
    <Loaded query={query} skeleton={<SkeletonRows />}>
      {({ pages }) => {
        const changes = pages.flatMap(({ data }) => data);
        if (changes.length === 0) return <EmptyState title="No changes yet." />;
        return (
          <div className={styles.days}>
            {byDay(changes, Date.now()).map(({ day, items }) => (
              <section key={day} aria-label={day}>
                <h2 className={styles.day}>{day}</h2>
                <ol className={styles.list}>
                  {items.map((change) => (
                    <FlagChange key={change.id} change={change} />
                  ))}
                </ol>
              </section>
            ))}
            <ShowMore query={query} shown={`${countOf(changes.length, 'change')} shown`} />
          </div>
        );
      }}
    </Loaded>
  );
}
