import { useNavigate, useSearch } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { type ConnectedSdk, type Convergence, isConnected } from '#domain/sdks.ts';
import { Nothing, RowName, StackingTable } from '../../administration/StackingTable.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { isPolling, sdkInWords } from '../../sdks/connected.ts';
import { Button } from '../../ui/Button.tsx';
import { FilterCount, Filters, FilterToggle } from '../../ui/FilterButton.tsx';
import { errorsInWords, number, span } from './fleet.ts';
import styles from './InstanceTable.module.css';
import { StateMark } from './Squares.tsx';

interface Props {
  readonly sdks: readonly ConnectedSdk[];
  readonly convergence: Convergence;
}

const shownAtOnce = 50;

/** One row for each instance. */
export function InstanceTable({ sdks, convergence }: Props) {
  const { changeNumber, instances, silent } = convergence;
  const { q = '', only } = useSearch({ from: '/shell/p/$project/sdks/$environment' });
  const navigate = useNavigate();
  const change = (changed: { q?: string | undefined; only?: string | undefined }) =>
    void navigate({ to: '.', search: (all) => ({ ...all, ...changed }), replace: true });
  const [limit, setLimit] = useState(shownAtOnce);
  const isBehind = (sdk: ConnectedSdk) => sdk.changeNumber !== undefined && sdk.changeNumber < changeNumber;
  const found = sdks.filter(
    (sdk) =>
      [sdk.machine, sdk.ip, sdk.sdk].some((text) => text?.toLowerCase().includes(q.toLowerCase())) &&
      (only !== 'behind' || isBehind(sdk)) &&
      (only !== 'errors' || errorsOf(sdk) !== '') &&
      (only !== 'advice' || sdk.advice !== undefined),
  );
  const toggles = [
    { id: 'behind', label: 'Behind', count: sdks.filter(isBehind).length },
    { id: 'errors', label: 'Errors', count: sdks.filter((sdk) => errorsOf(sdk) !== '').length },
    { id: 'advice', label: 'Needs an update', count: sdks.filter(({ advice }) => advice !== undefined).length },
  ];
  return (
    <section className={styles.section} aria-label="Instances">
      <div className={styles.head}>
        <h2 className={styles.title}>Instances</h2>
        <Filters>
          <SearchField
            label="Search machines, IPs and SDKs"
            value={q}
            onSearch={(text) => change({ q: text || undefined })}
          />
          {toggles
            .filter(({ id, count }) => count > 0 || only === id)
            .map(({ id, label, count }) => (
              <FilterToggle key={id} isOn={only === id} onToggle={() => change({ only: only === id ? undefined : id })}>
                {label} {number(count)}
              </FilterToggle>
            ))}
        </Filters>
      </div>
      <StackingTable
        caption="Instances"
        head={
          <tr>
            <th>Machine</th>
            <th>SDK</th>
            <th>Connection</th>
            <th>Holds</th>
            <th>Lag</th>
            <th>Ready in</th>
            <th>Errors reported</th>
            <th>Last seen</th>
          </tr>
        }
      >
        {found.slice(0, limit).map((sdk) => (
          <Row
            key={`${sdk.sdk} ${sdk.machine} ${sdk.firstSeenAt}`}
            sdk={sdk}
            convergence={convergence}
            isBehind={isBehind(sdk)}
          />
        ))}
      </StackingTable>
      <div className={styles.foot}>
        <FilterCount>
          {number(Math.min(found.length, limit))} of {number(Math.max(sdks.length, instances + silent))}. Processes on
          one machine with the same SDK and key are one instance. It is forgotten after an hour without contact.
        </FilterCount>
        {found.length > limit && <Button onClick={() => setLimit(limit + shownAtOnce)}>Show more</Button>}
      </div>
    </section>
  );
}

const errorsOf = ({ reported }: ConnectedSdk): string => (reported ? errorsInWords(reported) : '');

interface RowProps {
  readonly sdk: ConnectedSdk;
  readonly convergence: Convergence;
  readonly isBehind: boolean;
}

function Row({ sdk, convergence: { serverTime }, isBehind }: RowProps) {
  const { machine, ip, changeNumber, lagMilliseconds, readyMilliseconds, lastSeenAt, advice } = sdk;
  const errors = errorsOf(sdk);
  return (
    <tr>
      <th scope="row">
        <RowName below={ip && ip !== machine && <span className="mono">{ip}</span>}>
          {machine ? <span className="mono">{machine}</span> : <Nothing words="No machine name" />}
        </RowName>
      </th>
      <td data-label="SDK">
        <span className="mono">{sdkInWords(sdk)}</span>
        {advice !== undefined && (
          <span className={styles.advice} title={advice}>
            <TriangleAlert size={13} aria-hidden /> Needs an update
          </span>
        )}
      </td>
      <td data-label="Connection">{connectionOf(sdk, serverTime)}</td>
      <td data-label="Holds">
        {changeNumber === undefined ? (
          <Nothing words="No flags" />
        ) : isBehind ? (
          <span className={styles.behind}>
            Behind: <span className="mono num">{changeNumber}</span>
          </span>
        ) : (
          'Last change'
        )}
      </td>
      <td data-label="Lag">
        {isBehind ? (
          <Nothing words="Not yet" />
        ) : lagMilliseconds === undefined ? (
          <Nothing words="–" />
        ) : (
          span(lagMilliseconds)
        )}
      </td>
      <td data-label="Ready in">{readyMilliseconds === undefined ? <Nothing words="–" /> : span(readyMilliseconds)}</td>
      <td data-label="Errors">
        {errors === '' ? <Nothing words="None" /> : <span className={styles.errors}>{errors}</span>}
      </td>
      <td data-label="Last seen">{sdk.streams > 0 ? 'now' : `${span(Math.max(0, serverTime - lastSeenAt))} ago`}</td>
    </tr>
  );
}

function connectionOf(sdk: ConnectedSdk, serverTime: number) {
  if (!isConnected(sdk, serverTime)) return <State state="silent">Silent</State>;
  if (sdk.streams > 0) return <State state="converged">Streaming</State>;
  const every = sdk.pollMilliseconds === undefined ? '' : `, ${span(sdk.pollMilliseconds)}`;
  return <State state="behind">{isPolling(sdk, serverTime) ? `Polling${every}` : 'Connecting'}</State>;
}

const State = ({
  state,
  children,
}: {
  readonly state: 'converged' | 'behind' | 'silent';
  readonly children: string;
}) => (
  <span className={styles.state}>
    <StateMark state={state} /> {children}
  </span>
);
