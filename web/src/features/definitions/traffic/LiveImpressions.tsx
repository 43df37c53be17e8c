import { useQuery } from '@tanstack/react-query';
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { getImpressions } from '#contract/traffic.ts';
import type { RecentImpression } from '#domain/traffic.ts';
import { TreatmentName } from '../../../kit/Bar.tsx';
import { Loaded } from '../../../kit/Loaded.tsx';
import { sdkInWords } from '../../../sdks/connected.ts';
import { type Answer, reading } from '../../../server/api.ts';
import { useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { Button } from '../../../ui/Button.tsx';
import { Field } from '../../../ui/Field.tsx';
import { Select } from '../../../ui/Select.tsx';
import { useEditor } from '../editing/editor.ts';
import styles from './LiveImpressions.module.css';
import { labelInWords } from './shares.ts';
import { useNamedRules } from './use-named-rules.ts';

interface Props {
  /** When the flag was last evaluated, by any node. */
  readonly lastAt: number | undefined;
}

const askAgainMs = 2_000;
const anything = { key: '', treatment: '', label: '' };
type Filter = typeof anything;

/** The last impressions that the servers have in memory, newest first. */
export function LiveImpressions({ lastAt }: Props) {
  const { environment } = useEditor();
  const params = { project: useProject().id, flag: useFlag().name, environment: environment.id };
  const [isPaused, setPaused] = useState(false);
  const [filter, setFilter] = useState(anything);
  const query = useQuery({
    ...reading(getImpressions, { params }),
    refetchInterval: isPaused ? false : askAgainMs,
    refetchOnWindowFocus: !isPaused,
    staleTime: isPaused ? Number.POSITIVE_INFINITY : 0,
  });
  return (
    <section className={styles.live} aria-label="Recent impressions">
      <Loaded query={query}>
        {(answer) =>
          answer.impressions.length === 0 ? (
            <p className={styles.words}>{emptyInWords(answer, lastAt)}</p>
          ) : (
            <>
              <div className={styles.tools}>
                <Filters filter={filter} onChange={setFilter} impressions={answer.impressions} />
                <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
                  {isPaused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
                  {isPaused ? 'Resume' : 'Pause'}
                </Button>
              </div>
              <Impressions all={answer.impressions} filter={filter} />
              <p className={styles.words}>
                The last {answer.impressions.length === 200 ? '200' : 'impressions'} that SDKs reported
                {answer.nodes > 1 && `, to ${answer.nodes} servers: of the others, only the newest`}. They are kept in
                memory, and are gone after a restart.
              </p>
            </>
          )
        }
      </Loaded>
    </section>
  );
}

const recentMs = 15 * 60_000;

/** Counts come from the database, impressions from memory: one can be there without the other. */
function emptyInWords({ nodes }: Answer<typeof getImpressions>, lastAt: number | undefined): string {
  const waiting = 'New ones appear here when an SDK reports them: every five minutes, in mode DEBUG every minute.';
  if (lastAt === undefined) return `No impressions yet. ${waiting}`;
  if (Date.now() - lastAt > recentMs) return `No impressions in memory: none was reported recently. ${waiting}`;
  return nodes > 1
    ? `The flag was evaluated, but its impressions are in the memory of another server. ${waiting}`
    : `The flag was evaluated, but no impressions are in memory: SDKs reported only numbers, or the server restarted. ${waiting}`;
}

const matches = (one: RecentImpression, { key, treatment, label }: Filter): boolean =>
  one.key.includes(key) && (!treatment || one.treatment === treatment) && (!label || one.label === label);

interface FiltersProps {
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
  readonly impressions: readonly RecentImpression[];
}

function Filters({ filter, onChange, impressions }: FiltersProps) {
  const named = useNamedRules();
  const valuesOf = (name: 'treatment' | 'label') => [
    ...new Set([...impressions.map((one) => one[name] ?? ''), filter[name]].filter(Boolean)),
  ];
  return (
    <>
      <Field
        label="Key"
        name="key"
        value={filter.key}
        autoComplete="off"
        onChange={({ target }) => onChange({ ...filter, key: target.value })}
      />
      <Select
        label="Treatment"
        name="treatment"
        value={filter.treatment}
        onChange={({ target }) => onChange({ ...filter, treatment: target.value })}
      >
        <option value="">All treatments</option>
        {valuesOf('treatment').map((treatment) => (
          <option key={treatment}>{treatment}</option>
        ))}
      </Select>
      <Select
        label="Rule"
        name="rule"
        value={filter.label}
        onChange={({ target }) => onChange({ ...filter, label: target.value })}
      >
        <option value="">All rules</option>
        {valuesOf('label').map((label) => (
          <option key={label} value={label}>
            {labelInWords(label, named)}
          </option>
        ))}
      </Select>
    </>
  );
}

const time = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

function Impressions({ all, filter }: { readonly all: readonly RecentImpression[]; readonly filter: Filter }) {
  const { order } = useEditor();
  const named = useNamedRules();
  const shown = all.filter((one) => matches(one, filter));
  return (
    <>
      <p className="sr" role="status">
        {shown.length} of {all.length} impressions
      </p>
      {shown.length === 0 ? (
        <p className={styles.words}>None of {all.length} impressions matches.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
        <section className={styles.frame} tabIndex={0} aria-label="Impressions">
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Key</th>
                <th scope="col">Treatment</th>
                <th scope="col">Rule</th>
                <th scope="col">SDK</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((one, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: impressions have no ids, and two can be equal
                <tr key={index}>
                  <td className="num">{time.format(one.at)}</td>
                  <td className="mono">{one.key}</td>
                  <td>
                    <TreatmentName treatment={one.treatment} order={order} />
                  </td>
                  <td>{labelInWords(one.label ?? '', named)}</td>
                  <td>
                    {one.sdk !== undefined && sdkInWords({ sdk: one.sdk })}
                    {one.machine !== undefined && ` on ${one.machine}`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}
