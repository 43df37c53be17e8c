import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ProdChip } from '../../kit/StatusChip.tsx';
import { useEnvironments, useProject } from '../../server/project.ts';
import { usePageActions } from '../../state/page-actions.ts';
import { ShortTime } from '../../ui/Time.tsx';
import styles from './SegmentStrip.module.css';
import { Size } from './Size.tsx';
import type { SegmentAnswer } from './segments-query.ts';

interface Props {
  readonly segment: SegmentAnswer;
  /** The id of the environment of the page. */
  readonly current: string | undefined;
}

/** The segment in every environment. The cards are also the tabs of the page; keys 1 to 9 open them. */
export function SegmentStrip({ segment, current }: Props) {
  const strip = useRef<HTMLElement>(null);
  const project = useProject();
  const environments = useEnvironments();
  const { name: segmentName, kind = 'standard', environments: usages = [] } = segment;
  const largest = Math.max(...usages.map(({ keyCount }) => keyCount), 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the current card changes
  useEffect(() => {
    const card = strip.current?.querySelector<HTMLElement>('[aria-current]');
    if (!strip.current || !card) return;
    strip.current.scrollLeft = card.offsetLeft - (strip.current.clientWidth - card.clientWidth) / 2;
  }, [current]);
  usePageActions(
    environments.slice(0, 9).map(({ name }, place) => ({
      label: `Go to ${name}`,
      keys: String(place + 1),
      isMove: true,
      run: () => strip.current?.querySelectorAll('a')[place]?.click(),
    })),
  );
  return (
    <nav ref={strip} className={styles.strip} aria-label="Environments">
      {environments.map(({ id, name, production }) => {
        const usage = usages.find(({ environment }) => environment.id === id);
        return (
          <Link
            key={id}
            to="/p/$project/segments/$segment/$environment"
            params={{ project: project.name, segment: segmentName, environment: name }}
            className={usage?.active ? styles.card : `${styles.card} ${styles.inactive}`}
            activeProps={{}}
            aria-current={id === current ? 'page' : undefined}
          >
            <span className={styles.name}>
              <span className={styles.words}>{name}</span>
              {production && <ProdChip />}
              {usage?.active && usage.lastUpdateTime !== undefined && (
                <span className={styles.age}>
                  <ShortTime at={usage.lastUpdateTime} />
                </span>
              )}
            </span>
            <Size kind={kind} usage={usage} largest={largest} hasUnit />
          </Link>
        );
      })}
    </nav>
  );
}
