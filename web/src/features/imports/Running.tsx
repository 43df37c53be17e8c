import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import styles from './ImportPage.module.css';
import type { Job } from './source.ts';

const titles = { plan: 'Reading the source', import: 'Importing', verify: 'Verifying' } as const;

/** A step that runs: what it does, how far it is, and how long it will take. */
export function Running({
  job,
  isStopping,
  onStop,
}: {
  readonly job: Job;
  readonly isStopping: boolean;
  readonly onStop: () => void;
}) {
  const { progress, step } = job;
  const { done = 0, total = 0 } = progress;
  const remaining = useRemaining(progress);
  return (
    <Card
      title={titles[step]}
      aside={
        <span className={styles.push}>
          <Button isBusy={isStopping} onClick={onStop}>
            Stop
          </Button>
        </span>
      }
      lead={
        step === 'import'
          ? 'You can leave this page. If you stop it, what was imported stays; run it again to continue.'
          : 'You can leave this page. Nothing is written.'
      }
    >
      <div>
        <div className={styles.progressWords}>
          <span>{inWords(progress)}</span>
          <span className={styles.quiet}>{remaining}</span>
        </div>
        <progress
          className={styles.progress}
          aria-label={titles[step]}
          max={total || 1}
          value={total ? done : undefined}
        />
        {(progress.requests ?? 0) > 0 && (
          <p className={styles.quiet}>
            {(progress.requests ?? 0).toLocaleString('en')} requests
            {(progress.waitedMs ?? 0) >= 1_000 &&
              `, waited ${Math.round((progress.waitedMs ?? 0) / 1000)} s for the rate limit`}
          </p>
        )}
      </div>
    </Card>
  );
}

function inWords({ phase, doing, done = 0, total = 0, waitsUntil }: Job['progress']): string {
  const of = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
  if (waitsUntil !== undefined) return 'Waiting for the rate limit of the source';
  if (phase === 'reading') return doing === undefined ? 'Connecting' : `Reading ${doing}: ${of} lists`;
  if (phase === 'planning') return 'Comparing with what is here';
  if (phase === 'rehearsing') return `Rehearsing: ${of} definitions`;
  if (phase === 'importing') return `${doing}: ${of}`;
  return phase === 'verifying' ? `Comparing: ${of} definitions` : 'Starting';
}

interface Seen {
  readonly phase: string | undefined;
  readonly at: number;
  readonly done: number;
}

/** By what this page saw of the phase: the server's clock may be another. */
function useRemaining({ phase, done = 0, total = 0 }: Job['progress']): string {
  const [first, setFirst] = useState<Seen>({ phase: undefined, at: 0, done: 0 });
  if (first.phase !== phase) setFirst({ phase, at: Date.now(), done });
  const elapsed = Date.now() - first.at;
  const moved = done - first.done;
  // The total of a reading grows at first.
  if (first.phase !== phase || elapsed < 3_000 || moved <= 0 || done < total / 20) return '';
  const seconds = Math.ceil(((total - done) * elapsed) / moved / 1000);
  return seconds < 60 ? `about ${seconds} s left` : `about ${Math.ceil(seconds / 60)} min left`;
}
