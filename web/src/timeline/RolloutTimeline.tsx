import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChartNoAxesColumn, Rows3, TableProperties } from 'lucide-react';
import { useId, useState } from 'react';
import { getRolloutHistory } from '#contract/rollouts.ts';
import type { Targeting } from '#domain/definitions/definition.ts';
import type { ExpandedDefinition } from '#domain/definitions/summary.ts';
import { useComing } from '../changesets/use-coming.ts';
import { Loaded } from '../kit/Loaded.tsx';
import { useFlag } from '../server/flag.ts';
import { type Environment, useEnvironments } from '../server/project.ts';
import { useMay } from '../server/session.ts';
import { Button } from '../ui/Button.tsx';
import { EvaluationsTable } from './EvaluationsTable.tsx';
import { RolloutChart } from './RolloutChart.tsx';
import { RolloutTable } from './RolloutTable.tsx';
import styles from './RolloutTimeline.module.css';
import { type Range, ranges, useRollout } from './use-rollout.ts';
import { useTraffic } from './use-traffic.ts';

interface Props {
  readonly environment: Environment;
  readonly saved: ExpandedDefinition;
  /** A draft that changes shares. */
  readonly draft?: Targeting | undefined;
  readonly order: readonly string[];
  /** Changes to mark with a letter, by their ids. */
  readonly marks?: Readonly<Record<string, string>>;
}

const trafficRanges = { '1': '24h', '7': '7d', '30': '30d', '90': '400d', all: '400d' } as const;

/** Who got what over time: all treatments, the allocation, kills, a dot for each change, and what SDKs evaluated. */
export function RolloutTimeline({ environment, saved, draft, order, marks = {} }: Props) {
  const id = useId();
  const { range: asked = '30' }: { range?: string } = useSearch({ strict: false });
  const range = asked in ranges ? (asked as Range) : '30';
  const environments = useEnvironments();
  const flag = useFlag();
  const [isTable, setTable] = useState(false);
  const [isEveryLane, setEveryLane] = useState(false);
  const { query, from } = useRollout(environment, saved.etag, range);
  const traffic = useTraffic(environment, trafficRanges[range]);
  const [coming] = useComing(environment);
  if (!useMay()(getRolloutHistory)) return null;
  const others = environments.filter(
    (other) => other.id !== environment.id && flag.definitions.some((one) => one.environment.id === other.id),
  );
  return (
    <section className={styles.card} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id} className={styles.title}>
          Rollout in {environment.name}
        </h2>
        <span className={styles.unit}>share of keys that match no target and no rule</span>
        <div className={styles.tools}>
          {others.length > 0 && !isTable && (
            <Button size="small" look="quiet" aria-pressed={isEveryLane} onClick={() => setEveryLane(!isEveryLane)}>
              <Rows3 size={14} aria-hidden /> All environments
            </Button>
          )}
          <Button size="small" look="quiet" onClick={() => setTable(!isTable)}>
            {isTable ? <ChartNoAxesColumn size={14} aria-hidden /> : <TableProperties size={14} aria-hidden />}
            {isTable ? 'Chart' : 'Table'}
          </Button>
          <Ranges selected={range} />
        </div>
      </header>
      <Loaded query={query} skeleton={<div className={styles.waiting} />}>
        {(history) =>
          isTable ? (
            <>
              <RolloutTable history={history} environment={environment} />
              {traffic.data && <EvaluationsTable traffic={traffic.data} order={order} from={from} />}
            </>
          ) : (
            <RolloutChart
              {...{ history, environment, saved, draft, order, marks, range, traffic }}
              planned={coming?.steps.filter(({ isConflict }) => !isConflict) ?? []}
              from={from}
              now={Math.max(query.dataUpdatedAt, saved.lastUpdateTime)}
              lanes={isEveryLane ? others : []}
            />
          )
        }
      </Loaded>
    </section>
  );
}

function Ranges({ selected }: { readonly selected: Range }) {
  const navigate = useNavigate();
  const choose = (range: Range) =>
    void navigate({
      to: '.',
      search: (all: object) => ({ ...all, range: range === '30' ? undefined : range }),
      replace: true,
      resetScroll: false,
    });
  return (
    <fieldset className={styles.ranges}>
      <legend className="sr">Time span</legend>
      {(Object.keys(ranges) as Range[]).map((range) => (
        <button key={range} type="button" aria-pressed={range === selected} onClick={() => choose(range)}>
          {ranges[range]}
        </button>
      ))}
    </fieldset>
  );
}
