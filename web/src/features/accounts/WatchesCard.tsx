import { useState } from 'react';
import type { WatchedFlag } from '#domain/watches.ts';
import { Failure } from '../../kit/Failure.tsx';
import { useMe } from '../../server/session.ts';
import { useWatches, useWatching } from '../../server/watches.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './SessionsCard.module.css';

/** The flags that a person watches. One that they stopped watching stays until they leave, so it can be taken back. */
export function WatchesCard() {
  const watches = useWatches();
  const watching = useWatching();
  const { sendsMail } = useMe();
  const [stopped, setStopped] = useState<readonly WatchedFlag[]>([]);
  const watched = watches.data ?? [];
  const isWatched = ({ flag }: WatchedFlag) => watched.some((one) => one.flag.id === flag.id);
  const all = [...watched, ...stopped.filter((one) => !isWatched(one))].sort(byPlace);
  return (
    <Card
      title="Watched flags"
      lead={`${sendsMail ? 'You get a mail when others change them.' : 'You would get a mail when others change them, but this server sends none.'} Watch a flag on its page.`}
    >
      {watching.error && <Failure problem={watching.error} />}
      {watches.isPending && <Loading lines={1} />}
      {watches.isError && <Failure problem={watches.error} onRetry={watches.refetch} />}
      {watches.data && all.length === 0 && <p className={styles.meta}>You watch no flag.</p>}
      {all.length > 0 && (
        <ul className={styles.list}>
          {all.map((one) => (
            <WatchRow
              key={one.flag.id}
              watch={one}
              isWatched={isWatched(one)}
              isBusy={watching.isPending && watching.variables.id === one.flag.id}
              onChange={(now) => {
                if (!now) setStopped([...stopped.filter(({ flag }) => flag.id !== one.flag.id), one]);
                watching.mutate({ id: one.flag.id, isWatched: now });
              }}
            />
          ))}
        </ul>
      )}
    </Card>
  );
}

const byPlace = (one: WatchedFlag, other: WatchedFlag): number =>
  one.project.name.localeCompare(other.project.name) || one.flag.name.localeCompare(other.flag.name);

interface RowProps {
  readonly watch: WatchedFlag;
  readonly isWatched: boolean;
  readonly isBusy: boolean;
  readonly onChange: (isWatched: boolean) => void;
}

function WatchRow({ watch: { flag, project, archived, since }, isWatched, isBusy, onChange }: RowProps) {
  const action = isWatched ? 'Stop watching' : 'Watch again';
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <span>
          <TextLink to="/p/$project/flags/$flag" params={{ project: project.name, flag: flag.name }}>
            {flag.name}
          </TextLink>{' '}
          {archived && <Chip>Archived</Chip>}
        </span>
        <span className={styles.meta}>
          {project.name} ·{' '}
          {isWatched ? (
            <>
              since <Time at={since} />
            </>
          ) : (
            'no longer watched'
          )}
        </span>
      </div>
      <Button size="small" isBusy={isBusy} aria-label={`${action}: ${flag.name}`} onClick={() => onChange(!isWatched)}>
        {action}
      </Button>
    </li>
  );
}
