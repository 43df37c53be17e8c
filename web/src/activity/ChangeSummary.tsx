import { ArrowRight } from 'lucide-react';
import type { Change } from '#domain/changes.ts';
import { type Definition, orderOf, recordedTargeting } from '#domain/definitions/definition.ts';
import type { Difference } from '#domain/definitions/differences.ts';
import { countOf } from '../administration/count.ts';
import { useOwnerNames } from '../administration/owner-names.ts';
import { Bar } from '../kit/Bar.tsx';
import { sharesInWords } from '../kit/treatments.ts';
import { differencesIn } from '../targeting/change-words.ts';
import { differenceLine } from '../targeting/difference-words.ts';
import styles from './ChangeSummary.module.css';
import { fieldChanges } from './field-changes.ts';

const maxShown = 3;

/** What changed, in a few lines. Empty if the sentence says it all. */
export function ChangeSummary({ change }: { readonly change: Change }) {
  if (change.auditLogType === 'definition.created') return <FirstShares after={change.after as Definition} />;
  return change.object.type === 'definition' ? <DifferenceLines change={change} /> : <FieldLines change={change} />;
}

const FirstShares = ({ after }: { readonly after: Definition }) => (
  <ul className={styles.lines}>
    <li className={styles.line}>
      <span>Everyone else: {sharesInWords(after.defaultRule)}</span>
      <span className={styles.bar}>
        <Bar buckets={after.defaultRule} order={orderOf(recordedTargeting(after))} label="" />
      </span>
    </li>
  </ul>
);

function DifferenceLines({ change }: { readonly change: Change }) {
  const isSaid = change.auditLogType === 'definition.killed' || change.auditLogType === 'definition.restored';
  const differences = differencesIn(change);
  if (isSaid || differences.length === 0) return null;
  const [before, after] = [change.before as Definition, change.after as Definition];
  const order = orderOf(recordedTargeting(before), recordedTargeting(after));
  return (
    <ul className={styles.lines}>
      {differences.slice(0, maxShown).map((difference) => {
        const line = differenceLine(difference, after.trafficType?.name ?? 'user');
        return (
          <li key={line} className={styles.line}>
            <span>{line}</span>
            <Shares difference={difference} order={order} />
          </li>
        );
      })}
      {differences.length > maxShown && <li>and {countOf(differences.length - maxShown, 'more change')}</li>}
    </ul>
  );
}

/** Changed shares as two bars. */
function Shares({ difference, order }: { readonly difference: Difference; readonly order: readonly string[] }) {
  if (difference.kind !== 'defaultRule') return null;
  return (
    <span className={styles.bars} aria-hidden>
      <span className={styles.bar}>
        <Bar buckets={difference.before} order={order} label="" />
      </span>
      <ArrowRight size={12} />
      <span className={styles.bar}>
        <Bar buckets={difference.after} order={order} label="" />
      </span>
    </span>
  );
}

function FieldLines({ change: { before, after } }: { readonly change: Change }) {
  const changes = fieldChanges(before, after, useOwnerNames());
  if (changes.length === 0) return null;
  return (
    <ul className={styles.lines}>
      {changes.map(({ name, before: old, after: now }) => (
        <li key={name}>
          {name}:{' '}
          {old !== undefined && (
            <>
              <span className={styles.old}>{old}</span> →{' '}
            </>
          )}
          {now}
        </li>
      ))}
    </ul>
  );
}
