import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getChangesCalendar } from '#contract/changes.ts';
import type { CalendarDay } from '#domain/changes.ts';
import { dateValue, startOfDay } from '../../activity/days.ts';
import { countOf } from '../../administration/count.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { reading } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { TextLink } from '../../ui/TextLink.tsx';
import { sumInWords, sumOf } from './calendar-words.ts';
import styles from './ProjectHomePage.module.css';

const days = 30;
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** A bar for each day: changes in production below, all others above, and a mark for kills. */
export function ChangesPerDay() {
  const { id, name } = useProject();
  // Fixed while the page is open, so that the query key stays the same.
  const [now] = useState(() => Date.now());
  const names = Array.from({ length: days }, (_, index) => dateValue(days - 1 - index, now));
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const from = startOfDay(names[0]) ?? now;
  const calendar = useQuery(reading(getChangesCalendar, { query: { workspaceId: id, from, to: now, timeZone } }));
  return (
    <section className={styles.card} aria-labelledby="per-day">
      <Loaded query={calendar}>
        {({ days: found }) => {
          const byName = new Map(found.map((one) => [one.day, one]));
          const sum = sumOf(found);
          const words = sumInWords(sum, `in ${days} days`);
          return (
            <>
              <div className={styles.head}>
                <h2 id="per-day">{words}</h2>
                <TextLink to="/p/$project/activity" params={{ project: name }}>
                  Open activity
                </TextLink>
              </div>
              <div
                className={styles.bars}
                role="img"
                aria-label={`Changes per day: ${words}, ${countOf(sum.kills, 'kill')}`}
              >
                {names.map((day) => (
                  <Bar
                    key={day}
                    day={day}
                    found={byName.get(day)}
                    most={Math.max(1, ...found.map((one) => one.count))}
                  />
                ))}
              </div>
              <p className={styles.axis} aria-hidden>
                <span>{date.format(from)}</span>
                <span>
                  <i data-kind="production" /> Production <i data-kind="other" /> Other <i data-kind="kill" /> Kill
                </span>
                <span>Today</span>
              </p>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function Bar({
  day,
  found,
  most,
}: {
  readonly day: string;
  readonly found: CalendarDay | undefined;
  readonly most: number;
}) {
  const sum = sumOf(found ? [found] : []);
  const { count, production, kills } = sum;
  const share = (part: number) => `${(100 * part) / most}%`;
  const words = `${date.format(startOfDay(day))}: ${sumInWords(sum)}${kills > 0 ? `, ${countOf(kills, 'kill')}` : ''}`;
  return (
    <span className={styles.bar} title={words}>
      {kills > 0 && <i data-kind="kill" />}
      {count > production && <i data-kind="other" style={{ height: share(count - production) }} />}
      {production > 0 && <i data-kind="production" style={{ height: share(production) }} />}
    </span>
  );
}
