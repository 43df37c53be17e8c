import { dateValue, startOfDay } from '../../activity/days.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { FilterButton } from '../../ui/FilterButton.tsx';
import { Popover } from '../../ui/Popover.tsx';
import { useActivitySearch } from './activity-search.ts';
import styles from './DatesFilter.module.css';

const spans = [
  { label: 'Today', days: 0 },
  { label: 'Last 7 days', days: 6 },
  { label: 'Last 30 days', days: 29 },
] as const;

/** A range of days, both ends included. */
export function DatesFilter() {
  const { search, change } = useActivitySearch();
  const { from, to } = search;
  return (
    <FilterButton
      what="Dates"
      value={inWords(from, to)}
      onClear={() => change({ from: undefined, to: undefined })}
      picker={(trigger) => (
        <Popover label="Dates" trigger={trigger}>
          {(close) => (
            <div className={styles.panel}>
              <div className={styles.spans}>
                {spans.map(({ label, days }) => (
                  <Button
                    key={label}
                    size="small"
                    onClick={() => {
                      close();
                      change({ from: dateValue(days, Date.now()), to: undefined });
                    }}
                  >
                    {label}
                  </Button>
                ))}
              </div>
              <div className={styles.fields}>
                <Field
                  name="from"
                  label="From"
                  type="date"
                  max={to}
                  value={from ?? ''}
                  onChange={({ target }) => change({ from: target.value || undefined })}
                />
                <Field
                  name="to"
                  label="To"
                  type="date"
                  min={from}
                  value={to ?? ''}
                  onChange={({ target }) => change({ to: target.value || undefined })}
                />
              </div>
            </div>
          )}
        </Popover>
      )}
    />
  );
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

function inWords(from: string | undefined, to: string | undefined): string | undefined {
  const [start, end] = [startOfDay(from), startOfDay(to)];
  if (start !== undefined && start === end) return day.format(start);
  if (start !== undefined && end !== undefined) return `${day.format(start)} to ${day.format(end)}`;
  if (start !== undefined) return `since ${day.format(start)}`;
  return end === undefined ? undefined : `until ${day.format(end)}`;
}
