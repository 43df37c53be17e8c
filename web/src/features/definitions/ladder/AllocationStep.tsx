import { useState } from 'react';
import { useDefinition } from '../editing/editor.ts';
import styles from './AllocationStep.module.css';
import { useLit } from './lit.ts';
import { isPercent } from './Mixer.tsx';
import { StreamOf } from './Step.tsx';

/** The percentage of keys not targeted individually that continue to the rules. */
export function AllocationStep() {
  const { targeting, mayEdit, change, differences, savedTargeting } = useDefinition();
  const lit = useLit();
  const { trafficAllocation, defaultTreatment } = targeting;
  const difference = differences.find(({ kind }) => kind === 'trafficAllocation');
  const classes = [styles.gate, difference && styles.changed, lit.step === 'allocation' && styles.hit];
  return (
    <li className={classes.filter(Boolean).join(' ')} data-step="allocation">
      <StreamOf id="allocation" />
      <p className={styles.words}>
        Traffic allocation{' '}
        {mayEdit ? (
          <Percent
            value={trafficAllocation}
            onChange={(share) => change((before) => ({ ...before, trafficAllocation: share }))}
          />
        ) : (
          <b className="num">{trafficAllocation}%</b>
        )}{' '}
        <span className={styles.rest}>
          {trafficAllocation === 100 ? (
            'of the other keys continue to the rules'
          ) : (
            <>
              of the other keys continue, the rest get <code>{defaultTreatment}</code>
            </>
          )}
        </span>
        {difference && savedTargeting && (
          <span className={`${styles.rest} num`}> was {savedTargeting.trafficAllocation}</span>
        )}
      </p>
    </li>
  );
}

interface PercentProps {
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** An inline number from 0 to 100. May be empty while typing. */
function Percent({ value, onChange }: PercentProps) {
  const [text, setText] = useState<string>();
  const isWrong = text !== undefined && text !== '' && !isPercent(text);
  return (
    <span className={styles.percent}>
      <input
        className={`${styles.input} num`}
        style={{ width: `${String(text ?? value).length}ch` }}
        inputMode="numeric"
        aria-label="Traffic allocation in percent"
        value={text ?? value}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => {
          setText(target.value);
          if (isPercent(target.value)) onChange(Number(target.value));
        }}
        aria-invalid={isWrong || undefined}
        onBlur={() => setText(undefined)}
      />
      <span aria-hidden>%</span>
      {isWrong && (
        <span className={styles.wrong} role="alert">
          0 to 100, whole
        </span>
      )}
    </span>
  );
}
