import { ArrowLeftRight, X } from 'lucide-react';
import { useState } from 'react';
import type { Change } from '#domain/changes.ts';
import { orderOf, recordedTargeting } from '#domain/definitions/definition.ts';
import { differencesBetween } from '#domain/definitions/differences.ts';
import { rolloutOf } from '#domain/rollouts.ts';
import { Bar } from '../../kit/Bar.tsx';
import { useFlag } from '../../server/flag.ts';
import { changeSentence } from '../../targeting/change-words.ts';
import { DifferenceSide } from '../../targeting/DifferenceSide.tsx';
import { differenceTitle } from '../../targeting/difference-words.ts';
import { WholeDefinition } from '../../targeting/WholeDefinition.tsx';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { percent } from '../../ui/percent.ts';
import { Select } from '../../ui/Select.tsx';
import styles from './VersionCompare.module.css';

interface Props {
  /** All that can be chosen, newest first. */
  readonly versions: readonly Change[];
  readonly left: Change;
  readonly right: Change;
  readonly onChoose: (sides: { a?: string | undefined; b?: string | undefined }) => void;
}

const exact = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** Two versions of a definition, step by step. */
export function VersionCompare({ versions, left, right, onChoose }: Props) {
  const { trafficType } = useFlag();
  const [isWhole, setWhole] = useState(false);
  const [before, after] = [recordedTargeting(left.after), recordedTargeting(right.after)];
  const order = orderOf(before, after);
  const look = { order, trafficType: trafficType.name };
  const differences = differencesBetween(before, after);
  return (
    <section className={styles.compare} aria-label="Compare versions">
      <header className={styles.head}>
        <Version label="Version A" versions={versions} chosen={left} onChoose={(a) => onChoose({ a, b: right.id })} />
        <Button size="icon" aria-label="Swap versions" onClick={() => onChoose({ a: right.id, b: left.id })}>
          <ArrowLeftRight size={15} aria-hidden />
        </Button>
        <Version label="Version B" versions={versions} chosen={right} onChoose={(b) => onChoose({ a: left.id, b })} />
        <Checkbox label="Only differences" checked={!isWhole} onChange={() => setWhole(!isWhole)} />
        <Button look="quiet" size="icon" aria-label="Close the comparison" onClick={() => onChoose({})}>
          <X size={15} aria-hidden />
        </Button>
      </header>
      <table className={styles.table}>
        <thead>
          <tr>
            <td />
            <th scope="col">A: {exact.format(left.createdAt)}</th>
            <th scope="col">B: {exact.format(right.createdAt)}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Keys that match no rule</th>
            {[before, after].map((targeting, side) => (
              <td key={side === 0 ? 'a' : 'b'} data-side={side === 0 ? 'A' : 'B'}>
                <Bar buckets={rolloutOf(targeting)} order={order} size="medium" label="" />
                {rolloutOf(targeting)
                  .map(({ treatment, size }) => `${treatment} ${percent(size)}`)
                  .join(', ')}
              </td>
            ))}
          </tr>
          {differences.map((difference) => (
            <tr key={differenceTitle(difference)}>
              <th scope="row">{differenceTitle(difference)}</th>
              <td data-side="A">
                <DifferenceSide difference={difference} side="before" {...look} />
              </td>
              <td data-side="B">
                <DifferenceSide difference={difference} side="after" {...look} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={styles.same} role="status">
        {differences.length === 0 && 'Both versions are the same.'}
        {differences.length === 1 && '1 difference. Everything else is the same in both.'}
        {differences.length > 1 && `${differences.length} differences. Everything else is the same in both.`}
      </p>
      {isWhole && (
        <div className={styles.whole}>
          <h3>All of version B</h3>
          <WholeDefinition targeting={after} {...look} />
        </div>
      )}
    </section>
  );
}

interface VersionProps {
  readonly label: string;
  readonly versions: readonly Change[];
  readonly chosen: Change;
  readonly onChoose: (id: string) => void;
}

const Version = ({ label, versions, chosen, onChoose }: VersionProps) => (
  <Select name={label} label={label} value={chosen.id} onChange={({ target }) => onChoose(target.value)}>
    {versions.map((change, index) => (
      <option key={change.id} value={change.id}>
        {exact.format(change.createdAt)}, {change.title ?? changeSentence(change)}
        {index === 0 ? ' (newest)' : ''}
      </option>
    ))}
  </Select>
);
