import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { orderOf, type Targeting, toTargeting } from '#domain/definitions/definition.ts';
import { rolloutOf } from '#domain/rollouts.ts';
import { Bar, NoBar } from '../../../kit/Bar.tsx';
import { Killed, ProdChip, Unsaved } from '../../../kit/StatusChip.tsx';
import { useFlag } from '../../../server/flag.ts';
import { type Environment, useEnvironments, useProject } from '../../../server/project.ts';
import { useMe } from '../../../server/session.ts';
import { useDraftOf } from '../../../state/drafts.ts';
import { type PageAction, usePageActions } from '../../../state/page-actions.ts';
import { percent } from '../../../ui/percent.ts';
import { ShortTime } from '../../../ui/Time.tsx';
import { useSaved } from '../editing/definitions.ts';
import styles from './EnvironmentStrip.module.css';

/** The flag in every environment. The cards are also the tabs of the page. */
export function EnvironmentStrip({ current }: { readonly current: string }) {
  const strip = useRef<HTMLElement>(null);
  const environments = useEnvironments();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the current card changes
  useEffect(() => {
    const card = strip.current?.querySelector<HTMLElement>('[aria-current]');
    if (!strip.current || !card) return;
    strip.current.scrollLeft = card.offsetLeft - (strip.current.clientWidth - card.clientWidth) / 2;
  }, [current]);
  usePageActions(useSwitches(environments));
  return (
    <nav ref={strip} className={styles.strip} aria-label="Environments">
      {environments.map((environment) => (
        <Card key={environment.id} environment={environment} isCurrent={environment.id === current} />
      ))}
    </nav>
  );
}

/** Shortcuts 1 to 9. */
function useSwitches(environments: readonly Environment[]): PageAction[] {
  const cards = (place: number) => document.querySelectorAll<HTMLElement>(`.${styles.strip} a`)[place];
  return environments.slice(0, 9).map(({ name }, place) => ({
    label: `Go to ${name}`,
    keys: String(place + 1),
    isMove: true,
    run: () => cards(place)?.click(),
  }));
}

interface Props {
  readonly environment: Environment;
  readonly isCurrent: boolean;
}

function Card({ environment, isCurrent }: Props) {
  const project = useProject();
  const flag = useFlag();
  const me = useMe();
  const saved = useSaved(environment.id);
  const draft = useDraftOf({ person: me.user.id, object: flag.id, environment: environment.id });
  const before = saved && toTargeting(saved);
  const now = draft?.targeting ?? before;
  return (
    <Link
      to="/p/$project/flags/$flag/$environment"
      params={{ project: project.name, flag: flag.name, environment: environment.name }}
      className={[styles.card, !now && styles.undefined].filter(Boolean).join(' ')}
      activeProps={{}}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <span className={styles.name}>
        <span className={styles.words}>{environment.name}</span>
        {environment.production && <ProdChip />}
        {draft && (
          <span className={styles.unsaved}>
            <Unsaved />
          </span>
        )}
      </span>
      {now ? <NowBar now={now} before={before} /> : <NoBar />}
      <span className={styles.sum}>
        {now ? <Summary now={now} before={before} /> : 'Not defined'}
        {saved && (
          <span className={styles.age}>
            <ShortTime at={saved.lastUpdateTime} />
          </span>
        )}
      </span>
    </Link>
  );
}

interface States {
  readonly now: Targeting;
  readonly before: Targeting | undefined;
}

/** Shares of keys that match no rule, including the traffic allocation. */
const NowBar = ({ now, before }: States) => (
  <Bar buckets={rolloutOf(now)} order={orderOf(before, now)} isFaded={now.killed} label="" />
);

/** The leading treatment and its share: "on 50 → 80%". */
function Summary({ now, before }: States) {
  if (now.killed) return <Killed />;
  const [lead] = rolloutOf(now);
  if (!lead) return null;
  const was = before && rolloutOf(before).find(({ treatment }) => treatment === lead.treatment)?.size;
  return (
    <span>
      <span className={styles.treatment}>{lead.treatment}</span>{' '}
      <span className="num">
        {was !== undefined && was !== lead.size && (
          <>
            {percent(was).replace('%', '')} <span aria-hidden>→</span>
            <span className="sr">to</span>{' '}
          </>
        )}
        {percent(lead.size)}
      </span>
    </span>
  );
}
