import { orderOf, type Targeting, toTargeting } from '#domain/definitions/definition.ts';
import { rolloutOf } from '#domain/rollouts.ts';
import { Bar, NoBar } from '../../../kit/Bar.tsx';
import { Killed, Unsaved } from '../../../kit/StatusChip.tsx';
import { Strip, StripCard, StripContent } from '../../../kit/Strip.tsx';
import { useFlag } from '../../../server/flag.ts';
import { type Environment, useProject } from '../../../server/project.ts';
import { useMe } from '../../../server/session.ts';
import { useDraftOf } from '../../../state/drafts.ts';
import { percent } from '../../../ui/percent.ts';
import { useSaved } from '../editing/definitions.ts';
import styles from './EnvironmentStrip.module.css';
import type { View } from './FlagFrame.tsx';

interface StripProps {
  readonly current: string | undefined;
  readonly view: View;
}

/** The flag in every environment. */
export const EnvironmentStrip = ({ current, view }: StripProps) => (
  <Strip
    current={current}
    card={(environment) => (
      <Card key={environment.id} environment={environment} isCurrent={environment.id === current} view={view} />
    )}
  />
);

interface Props {
  readonly environment: Environment;
  readonly isCurrent: boolean;
  readonly view: View;
}

/** Views of one environment stay open when it changes; the others lead to its targeting. */
const addressIn = (view: View, environment: string) => {
  if (view === 'JSON') return { to: '/p/$project/flags/$flag/$environment/json' } as const;
  if (view === 'History') return { to: '/p/$project/flags/$flag/activity', search: { environment } } as const;
  return { to: '/p/$project/flags/$flag/$environment' } as const;
};

function Card({ environment, isCurrent, view }: Props) {
  const project = useProject();
  const flag = useFlag();
  const me = useMe();
  const saved = useSaved(environment.id);
  const draft = useDraftOf({ person: me.user.id, object: flag.id, environment: environment.id });
  const before = saved && toTargeting(saved);
  const now = draft?.targeting ?? before;
  return (
    <StripCard
      {...addressIn(view, environment.name)}
      params={{ project: project.name, flag: flag.name, environment: environment.name }}
      activeProps={{}}
      isCurrent={isCurrent}
      isEmpty={!now}
    >
      <StripContent
        environment={environment}
        aside={draft && <Unsaved />}
        picture={now ? <NowBar now={now} before={before} /> : <NoBar />}
        summary={now ? <Summary now={now} before={before} /> : 'Not defined'}
        changedAt={saved?.lastUpdateTime}
      />
    </StripCard>
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
