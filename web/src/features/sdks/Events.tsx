import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useId } from 'react';
import { getEvents } from '#contract/traffic.ts';
import type { EventTraffic } from '#domain/traffic.ts';
import { Nothing, RowName, StackingTable } from '../../administration/StackingTable.tsx';
import { Loaded } from '../../kit/Loaded.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { reading } from '../../server/api.ts';
import { type Environment, useProject } from '../../server/project.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterCount, Filters } from '../../ui/FilterButton.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { ShortTime } from '../../ui/Time.tsx';
import styles from './Events.module.css';
import { amount, number, peakOf } from './fleet.ts';

const ranges = [
  { id: '24h', label: '24 hours' },
  { id: '7d', label: '7 days' },
  { id: '30d', label: '30 days' },
] as const;

const askAgainMs = 30_000;

/** The events that applications tracked, by type. */
export function Events({ environment }: { readonly environment: Environment }) {
  const params = { project: useProject().id, environment: environment.id };
  const search = useSearch({ from: '/shell/p/$project/sdks/$environment/events' });
  const navigate = useNavigate();
  const range = ranges.find(({ id }) => id === search.range)?.id ?? '24h';
  const change = (changed: { range?: string; q?: string | undefined }) =>
    void navigate({ to: '.', search: (all) => ({ ...all, ...changed }), replace: true });
  const events = useQuery({
    ...reading(getEvents, { params, query: { range } }),
    refetchInterval: askAgainMs,
    // Of the same environment.
    placeholderData: keepPreviousData,
  });
  const panel = useId();
  return (
    <>
      <Tabs label="Time" tabs={ranges} selected={range} onSelect={(id) => change({ range: id })} controls={panel} />
      <div id={panel} role="tabpanel" aria-label="Events" className={styles.panel}>
        <Loaded query={events} skeleton={<SkeletonRows />}>
          {(found) => (
            <EventTable traffic={found} text={search.q ?? ''} onSearch={(q) => change({ q: q || undefined })} />
          )}
        </Loaded>
      </div>
    </>
  );
}

interface TableProps {
  readonly traffic: EventTraffic;
  readonly text: string;
  readonly onSearch: (text: string) => void;
}

function EventTable({ traffic: { eventTypes, from, stepMilliseconds }, text, onSearch }: TableProps) {
  if (eventTypes.length === 0) {
    return (
      <EmptyState title="No events yet">
        Applications send them with <code>client.track(key, trafficType, eventType, value)</code>. SDKs post events once
        a minute.
      </EmptyState>
    );
  }
  const found = eventTypes
    .filter(({ eventType, trafficType }) => `${eventType} ${trafficType}`.toLowerCase().includes(text.toLowerCase()))
    .sort((a, b) => b.events - a.events || a.eventType.localeCompare(b.eventType));
  return (
    <>
      <Filters>
        <SearchField label="Search event types" value={text} onSearch={onSearch} />
        <FilterCount>
          {number(found.length)} {found.length === 1 ? 'event type' : 'event types'}
        </FilterCount>
      </Filters>
      <StackingTable
        caption="Event types"
        head={
          <tr>
            <th>Event type</th>
            <th>Over time</th>
            <th>Events</th>
            <th>Sum of values</th>
            <th>Mean</th>
            <th>Last received</th>
          </tr>
        }
      >
        {found.map(({ trafficType, eventType, counts, events, values, lastReceivedAt }) => (
          <tr key={`${trafficType} ${eventType}`}>
            <th scope="row">
              <RowName below={trafficType}>
                <span className="mono">{eventType}</span>
              </RowName>
            </th>
            <td data-label="Over time">
              <Sparkline counts={counts} from={from} step={stepMilliseconds} />
            </td>
            <td data-label="Events" className="num">
              {number(events)}
            </td>
            <td data-label="Sum" className="num">
              {values ? amount(values.mean * values.count) : <Nothing words="No values" />}
            </td>
            <td data-label="Mean" className="num">
              {values ? (
                <span title={`Standard deviation ${amount(values.standardDeviation)}`}>{amount(values.mean)}</span>
              ) : (
                <Nothing words="–" />
              )}
            </td>
            <td data-label="Last received">
              <ShortTime at={lastReceivedAt} />
            </td>
          </tr>
        ))}
      </StackingTable>
    </>
  );
}

const [width, height] = [200, 28];

interface SparklineProps {
  readonly counts: readonly number[];
  readonly from: number;
  readonly step: number;
}

/** A bar for each hour or day. */
function Sparkline({ counts, from, step }: SparklineProps) {
  const most = Math.max(1, ...counts);
  const wide = width / counts.length;
  const bars = counts.map((count, index) => {
    const tall = count === 0 ? 0 : Math.max(1.5, (count / most) * (height - 2));
    return `M${(index * wide).toFixed(2)} ${height}v-${tall.toFixed(1)}h${(wide * 0.8).toFixed(2)}v${tall.toFixed(1)}z`;
  });
  return (
    <svg
      className={styles.sparkline}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={peakOf(counts, from, step)}
    >
      <title>{peakOf(counts, from, step)}</title>
      <path className={styles.ground} d={`M0 ${height - 0.5}H${width}`} />
      <path className={styles.bars} d={bars.join('')} />
    </svg>
  );
}
