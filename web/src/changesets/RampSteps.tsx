import { ChevronDown, Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import styles from './RampSteps.module.css';
import {
  type Complaints,
  maxRampSteps,
  type Preset,
  presetWords,
  type RampStep,
  stepsOf,
  type Unit,
  unitMs,
} from './ramp.ts';

interface StepsProps {
  readonly steps: readonly RampStep[];
  /** The number of the first one: others may have been applied before. */
  readonly first: number;
  readonly presets: readonly Preset[];
  /** Of what the share is. */
  readonly name: string;
  readonly errors: Readonly<Partial<Complaints>>;
  readonly whenOf: (index: number) => string;
  readonly onChange: (steps: readonly RampStep[]) => void;
  /** Below the share of a step. */
  readonly children: (step: RampStep) => ReactNode;
}

/** The steps of a ramp: how long each waits, and its share. */
export function RampSteps({ steps, first, presets, name, errors, whenOf, onChange, children }: StepsProps) {
  const fewest = first === 1 ? 2 : 1;
  const kept =
    steps.length > fewest ? undefined : `A ramp has at least ${fewest === 2 ? 'two steps' : 'one more step'}.`;
  return (
    <>
      <Presets presets={presets} onChoose={(preset) => onChange(stepsOf(preset))} />
      <ol className={styles.steps}>
        {steps.map((step, index) => (
          <Step
            key={step.id}
            number={first + index}
            step={step}
            name={name}
            when={whenOf(index)}
            errors={errors}
            isWaiting={first + index > 1}
            kept={kept}
            onChange={(next) => onChange(steps.map((one) => (one.id === step.id ? { ...one, ...next } : one)))}
            onRemove={() => onChange(steps.filter(({ id }) => id !== step.id))}
          >
            {children(step)}
          </Step>
        ))}
      </ol>
      {first + steps.length <= maxRampSteps && (
        <div>
          <Button size="small" onClick={() => onChange([...steps, nextOf(steps)])}>
            <Plus size={14} aria-hidden /> Add step
          </Button>
        </div>
      )}
    </>
  );
}

const nextOf = (steps: readonly RampStep[]): RampStep => ({
  id: Math.max(-1, ...steps.map(({ id }) => id)) + 1,
  percent: '',
  wait: steps.at(-1)?.wait ?? '1',
  unit: steps.at(-1)?.unit ?? 'days',
});

interface PresetsProps {
  readonly presets: readonly Preset[];
  readonly onChoose: (preset: Preset) => void;
}

const Presets = ({ presets, onChoose }: PresetsProps) => (
  <div className={styles.presets}>
    {presets.map((preset) => (
      <Button key={presetWords(preset)} size="small" onClick={() => onChoose(preset)}>
        {presetWords(preset)}
      </Button>
    ))}
  </div>
);

interface StepProps {
  readonly number: number;
  readonly step: RampStep;
  /** Of what the share is. */
  readonly name: string;
  readonly when: string;
  readonly errors: StepsProps['errors'];
  /** The first step of all does not. */
  readonly isWaiting: boolean;
  /** Why it cannot be removed. */
  readonly kept: string | undefined;
  readonly onChange: (next: Partial<RampStep>) => void;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

function Step({ number, step, name, when, errors, isWaiting, kept, onChange, onRemove, children }: StepProps) {
  const [percentName, waitName] = [`percent ${number}`, `wait ${number}`];
  const error = errors[percentName] ?? errors[waitName];
  const errorId = `schedule-step-${number}`;
  const wrong = (field: string) =>
    errors[field] === undefined ? {} : { 'aria-invalid': true as const, 'aria-describedby': errorId };
  return (
    <li className={styles.step}>
      <span className={styles.number} aria-hidden>
        {number}
      </span>
      <div className={styles.controls}>
        {isWaiting && (
          <span className={styles.wait}>
            {step.unit !== 'hold' && (
              <input
                name={waitName}
                className={`${styles.input} num`}
                inputMode="numeric"
                aria-label={`Step ${number}: how long it waits`}
                value={step.wait}
                {...wrong(waitName)}
                onChange={({ target }) => onChange({ wait: target.value })}
              />
            )}
            <span className={styles.unit}>
              <select
                name={`unit ${number}`}
                className={styles.input}
                aria-label={`Step ${number}: waits`}
                value={step.unit}
                onChange={({ target }) => onChange({ unit: target.value as RampStep['unit'] })}
              >
                {(Object.keys(unitMs) as Unit[]).map((unit) => (
                  <option key={unit} value={unit}>
                    {step.wait.trim() === '1' ? unit.slice(0, -1) : unit} later
                  </option>
                ))}
                <option value="hold">hold</option>
              </select>
              <ChevronDown size={13} aria-hidden />
            </span>
          </span>
        )}
        <label className={styles.share}>
          <code>{name}</code>
          <span className={styles.percent}>
            <input
              name={percentName}
              className="num"
              inputMode="numeric"
              aria-label={`Step ${number}: percent ${name}`}
              value={step.percent}
              {...wrong(percentName)}
              onChange={({ target }) => onChange({ percent: target.value })}
            />
            <span aria-hidden>%</span>
          </span>
        </label>
        <div className={styles.bar}>{children}</div>
        <p className={styles.when}>{when}</p>
        {error !== undefined && (
          <p id={errorId} className={styles.error} role="alert">
            {error}
          </p>
        )}
      </div>
      <Button
        look="quiet"
        size="tiny"
        aria-label={`Remove step ${number}`}
        refusal={kept}
        onClick={({ currentTarget }) => {
          const item = currentTarget.closest('li');
          const neighbour = item?.nextElementSibling ?? item?.previousElementSibling;
          neighbour?.querySelector<HTMLElement>('input[name^="percent"]')?.focus();
          onRemove();
        }}
      >
        <X size={14} aria-hidden />
      </Button>
    </li>
  );
}
