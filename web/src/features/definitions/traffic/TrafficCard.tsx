import { TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import type { FlagTraffic } from '#domain/traffic.ts';
import { Bar, TreatmentName } from '../../../kit/Bar.tsx';
import { Loaded } from '../../../kit/Loaded.tsx';
import { instancesInWords, sdkInWords, useSdks } from '../../../sdks/connected.ts';
import { useProject } from '../../../server/project.ts';
import { useTraffic } from '../../../timeline/use-traffic.ts';
import { Button } from '../../../ui/Button.tsx';
import { percent } from '../../../ui/percent.ts';
import { TextLink } from '../../../ui/TextLink.tsx';
import { Time } from '../../../ui/Time.tsx';
import { useEditor } from '../editing/editor.ts';
import { type Compared, type ComparedShare, compareShares, isUnlikely, labelInWords } from './shares.ts';
import styles from './TrafficCard.module.css';
import { useNamedRules } from './use-named-rules.ts';

/** Loaded when someone opens it. */
const LiveImpressions = lazy(() =>
  import('./LiveImpressions.tsx').then((module) => ({ default: module.LiveImpressions })),
);

/** What SDKs really served, next to what the definition says. */
export function TrafficCard() {
  const id = useId();
  const { environment } = useEditor();
  const query = useTraffic(environment, '24h');
  const [isLive, setLive] = useState(false);
  const lastAt = query.data?.lastTrafficReceivedAt;
  return (
    <section className={styles.card} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>Evaluations in {environment.name}</h2>
        {lastAt !== undefined && (
          <p className={styles.last}>
            Last evaluated <Time at={lastAt} />
          </p>
        )}
        <Button size="small" look="quiet" aria-expanded={isLive} onClick={() => setLive(!isLive)}>
          {isLive ? 'Hide impressions' : 'Recent impressions'}
        </Button>
      </header>
      <Loaded query={query} skeleton={<div className={styles.waiting} />}>
        {(traffic) => (traffic.lastTrafficReceivedAt === undefined ? <NoTraffic /> : <Shares traffic={traffic} />)}
      </Loaded>
      <Suspense>{isLive && <LiveImpressions lastAt={lastAt} />}</Suspense>
    </section>
  );
}

const askAgainMs = 10_000;

/** Never evaluated: because nothing is connected, or because no code asks for the flag. */
function NoTraffic() {
  const { environment } = useEditor();
  const live = useSdks({ project: useProject().id, environment: environment.id }, askAgainMs);
  if (!live) return <div className={styles.waiting} />;
  if (live.connected + live.clients === 0) {
    return (
      <p className={styles.none}>
        No SDK is connected to {environment.name}, and none has evaluated this flag here.{' '}
        <TextLink to="/welcome" search={{ env: environment.name }}>
          Connect an application
        </TextLink>
      </p>
    );
  }
  return (
    <p className={styles.none}>
      Connected to {environment.name}: {instancesInWords(live)}. None has reported an evaluation of this flag. SDKs
      report every few minutes.
    </p>
  );
}

function Shares({ traffic }: { readonly traffic: FlagTraffic }) {
  const { saved } = useEditor();
  const named = useNamedRules();
  const { all, rules, unnamed, from, comparedFrom } = compareShares(traffic, saved?.lastUpdateTime ?? 0);
  const isSinceChange = from > traffic.from;
  const isCompared = comparedFrom === undefined;
  if (traffic.evaluations === 0) return <p className={styles.none}>No evaluations in the last 24 hours.</p>;
  return (
    <>
      {all.evaluations > 0 && (
        <table className={styles.table}>
          <caption className="sr">Measured and expected shares</caption>
          <thead>
            <tr>
              <th scope="col">{isSinceChange ? 'Since the last change' : 'Last 24 hours'}</th>
              <th scope="col">Evaluations</th>
              <th scope="col">Measured</th>
              {isCompared && <th scope="col">By the definition</th>}
            </tr>
          </thead>
          <tbody>
            <Row compared={all} of={all.evaluations} name="All evaluations" isCompared={isCompared} />
            {rules.map((rule) => (
              <Row
                key={rule.label}
                compared={rule}
                of={all.evaluations}
                name={labelInWords(rule.label ?? '', named)}
                isCompared={isCompared}
              />
            ))}
          </tbody>
        </table>
      )}
      <div className={styles.notes}>
        {comparedFrom !== undefined && (
          <p>
            The definition changed in this period. Evaluations from {hour.format(comparedFrom)} on will be compared with
            it.
          </p>
        )}
        {unnamed > 0 && (
          <p>
            {unnamed.toLocaleString('en')} more evaluations were reported as a number, without treatment: SDKs do so for
            keys that they have reported within the hour.
          </p>
        )}
        <Askers askers={traffic.askers} />
      </div>
    </>
  );
}

const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

interface RowProps {
  readonly compared: Compared;
  /** Evaluations of all rules. */
  readonly of: number;
  readonly name: string;
  /** With what the definition says. */
  readonly isCompared: boolean;
}

function Row({ compared: { evaluations, shares, label }, of, name, isCompared }: RowProps) {
  const isSaid = shares.some(({ expected }) => expected !== undefined);
  return (
    <tr className={label === undefined ? styles.all : undefined}>
      <th scope="row">{name}</th>
      <td className="num" data-label="Evaluations">
        {evaluations.toLocaleString('en')}
        {label !== undefined && <small> {percent((evaluations / of) * 100)}</small>}
      </td>
      <td data-label="Measured">
        <SharesBar shares={shares} sizeOf={({ measured }) => measured} />
        {shares.some((share) => isUnlikely(share, evaluations)) && (
          <p className={styles.unlikely}>
            <TriangleAlert size={12} aria-hidden /> Differs from the definition
          </p>
        )}
      </td>
      {isCompared && (
        <td data-label="By the definition">
          {isSaid ? (
            <SharesBar shares={shares} sizeOf={({ expected = 0 }) => expected} />
          ) : (
            <span className={styles.unsaid}>{unsaidInWords(label)}</span>
          )}
        </td>
      )}
    </tr>
  );
}

/** Why the definition does not say what share of the evaluations gets each treatment. */
function unsaidInWords(label: string | undefined): string {
  if (label === undefined || label === '') return 'Unknown';
  return label.startsWith('whitelisted') ? 'By key' : 'Not in the definition';
}

interface BarProps {
  readonly shares: readonly ComparedShare[];
  readonly sizeOf: (share: ComparedShare) => number;
}

function SharesBar({ shares, sizeOf }: BarProps) {
  const { order } = useEditor();
  const sorted = shares.toSorted((a, b) => order.indexOf(a.treatment) - order.indexOf(b.treatment));
  return (
    <>
      <Bar
        buckets={sorted.map((share) => ({ treatment: share.treatment, size: sizeOf(share) }))}
        order={order}
        label=""
      />
      <ul className={styles.legend}>
        {sorted.map((share) => (
          <li key={share.treatment}>
            <TreatmentName treatment={share.treatment} order={order} />{' '}
            <span className="num">{percent(sizeOf(share))}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const namedAskers = 3;

/** Known to the node that answered. */
function Askers({ askers }: Pick<FlagTraffic, 'askers'>) {
  if (askers.length === 0) return null;
  const named = askers
    .slice(0, namedAskers)
    .map(({ sdk, machine }) => `${sdkInWords({ sdk })}${machine === undefined ? '' : ` on ${machine}`}`);
  const more = askers.length - named.length;
  return (
    <p>
      Evaluated by {named.join(', ')}
      {more > 0 && ` and ${more} more`}.
    </p>
  );
}
