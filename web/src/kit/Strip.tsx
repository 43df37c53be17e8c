import { createLink } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react';
import { type Environment, useEnvironments } from '../server/project.ts';
import { usePageActions } from '../state/page-actions.ts';
import { ShortTime } from '../ui/Time.tsx';
import { ProdChip } from './StatusChip.tsx';
import styles from './Strip.module.css';

interface StripProps {
  /** The id of the environment of the page. */
  readonly current: string | undefined;
  readonly card: (environment: Environment) => ReactNode;
}

/** More take several rows, so that all of them, and production with them, stay in sight. */
const inOneRow = 6;

/** An object in every environment. The cards are also the tabs of the page; keys 1 to 9 open them. */
export function Strip({ current, card }: StripProps) {
  const strip = useRef<HTMLElement>(null);
  const environments = useEnvironments();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the current card changes
  useEffect(() => {
    const shown = strip.current?.querySelector<HTMLElement>('[aria-current]');
    if (!strip.current || !shown) return;
    strip.current.scrollLeft = shown.offsetLeft - (strip.current.clientWidth - shown.clientWidth) / 2;
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
    <nav
      ref={strip}
      className={styles.strip}
      data-many={environments.length > inOneRow || undefined}
      aria-label="Environments"
    >
      {environments.map(card)}
    </nav>
  );
}

type LinkProps = Omit<ComponentProps<'a'>, 'className'> & {
  readonly isCurrent: boolean;
  /** There is nothing in this environment. */
  readonly isEmpty: boolean;
};

export const StripCard = createLink(({ isCurrent, isEmpty, ...props }: LinkProps) => (
  <a
    {...props}
    className={isEmpty ? `${styles.card} ${styles.empty}` : styles.card}
    aria-current={isCurrent ? 'page' : undefined}
  />
));

interface ContentProps {
  readonly environment: Environment;
  /** Beside the name. */
  readonly aside?: ReactNode;
  /** A bar or a curve. */
  readonly picture: ReactNode;
  readonly summary: ReactNode;
  readonly changedAt: number | undefined;
}

/** What a card shows. */
export const StripContent = ({ environment, aside, picture, summary, changedAt }: ContentProps) => (
  <>
    <span className={styles.name}>
      <span className={styles.words}>{environment.name}</span>
      {environment.production && <ProdChip />}
      {aside && <span className={styles.aside}>{aside}</span>}
    </span>
    {picture}
    <span className={styles.sum}>
      {summary}
      {changedAt !== undefined && (
        <span className={styles.age}>
          <ShortTime at={changedAt} />
        </span>
      )}
    </span>
  </>
);
