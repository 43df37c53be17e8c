import { Suspense } from 'react';
import { lazyPart } from '../state/lazy.ts';
import { Radio } from '../ui/Checkbox.tsx';
import { Field } from '../ui/Field.tsx';
import { FieldFrame } from '../ui/FieldFrame.tsx';
import { SuggestInput } from '../ui/SuggestInput.tsx';
import { type Complaints, type Start, startOf } from './ramp.ts';
import styles from './StartFields.module.css';
import { timeWords, zoneHere } from './schedule-words.ts';

const DateField = lazyPart('DateField', () => import('../targeting/DateField.tsx'));

interface Props {
  readonly start: Start;
  /** By the name of the field. */
  readonly errors: Readonly<Partial<Complaints>>;
  /** What starting without a time means: "At once". Undefined: a time is needed. */
  readonly without: string | undefined;
  readonly onChange: (start: Start) => void;
}

/** A day, a time and a time zone, or no time at all. */
export function StartFields({ start, errors, without, onChange }: Props) {
  const isTimed = start.start === 'time';
  const set = (next: Partial<Start>) => onChange({ ...start, ...next });
  return (
    <fieldset className={styles.fields}>
      <legend>Starts</legend>
      {without !== undefined && (
        <div className={styles.choices}>
          <Radio name="start" label="At a time" checked={isTimed} onChange={() => set({ start: 'time' })} />
          <Radio name="start" label={without} checked={!isTimed} onChange={() => set({ start: 'now' })} />
        </div>
      )}
      {isTimed && (
        <>
          <div className={styles.row}>
            <FieldFrame label="Day" error={errors.day}>
              {({ id, ...wrong }) => (
                <Suspense fallback={<span className={styles.waiting} />}>
                  <DateField
                    isDay
                    {...{ id, label: 'Day', name: 'day', unit: '' }}
                    wrong={wrongOf(wrong)}
                    value={start.day}
                    onChange={(day) => set({ day })}
                  />
                </Suspense>
              )}
            </FieldFrame>
            <div className={styles.time}>
              <Field
                name="time"
                label="Time"
                placeholder="hh:mm"
                autoComplete="off"
                maxLength={5}
                value={start.time}
                error={errors.time}
                onChange={({ target }) => set({ time: target.value })}
              />
            </div>
            <div className={styles.zone}>
              <FieldFrame label="Time zone" error={errors.zone}>
                {(control) => (
                  <SuggestInput
                    {...control}
                    name="zone"
                    className={styles.input}
                    value={start.zone}
                    onText={(zone) => set({ zone: zone.trim() })}
                    suggestions={zones()}
                  />
                )}
              </FieldFrame>
            </div>
          </div>
          <p className={styles.hint}>{startWords(start)}</p>
        </>
      )}
    </fieldset>
  );
}

const wrongOf = (control: {
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}) =>
  control['aria-invalid'] && control['aria-describedby'] !== undefined
    ? { 'aria-invalid': true as const, 'aria-describedby': control['aria-describedby'] }
    : {};

const zones = () => ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ id: zone, label: zone }));

/** What that is here, and what becomes of a time that clocks skip. */
function startWords(start: Start): string {
  const at = startOf(start, undefined);
  if (at === undefined) return '';
  const there = timeWords(at, start.zone);
  const isSkipped = !there.endsWith(start.time.trim().padStart(5, '0'));
  const skipped = isSkipped ? `Clocks go forward then, so it starts ${there}. ` : '';
  return start.zone === zoneHere() ? skipped : `${skipped}In your time zone: ${timeWords(at, zoneHere())}.`;
}
