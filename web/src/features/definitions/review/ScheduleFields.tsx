import { ChevronDown, Plus, X } from 'lucide-react';
import {
  bucketsIn,
  type Complaints,
  hasOthers,
  isPercent,
  mostSteps,
  type Part,
  type Plan,
  type Preset,
  partName,
  partsOf,
  presetsFor,
  presetWords,
  type RampStep,
  startOf,
  stepsOf,
  targetingAt,
  timesOf,
  treatmentIn,
  type Unit,
  unitMs,
} from '../../../changesets/ramp.ts';
import { StartFields } from '../../../changesets/StartFields.tsx';
import { timeWords, waitWords, zoneHere } from '../../../changesets/schedule-words.ts';
import { Bar } from '../../../kit/Bar.tsx';
import type { Draft } from '../../../state/drafts.ts';
import { Button } from '../../../ui/Button.tsx';
import { Radio } from '../../../ui/Checkbox.tsx';
import { useFocusOnOpen } from '../../../ui/focus.ts';
import { Select } from '../../../ui/Select.tsx';
import styles from './ScheduleFields.module.css';

interface Props {
  readonly plan: Plan;
  readonly draft: Draft;
  readonly order: readonly string[];
  readonly needsApproval: boolean;
  readonly errors: Readonly<Partial<Complaints>>;
  readonly onChange: (plan: Plan) => void;
}

/** When the draft is applied: at a time, or step by step. */
export function ScheduleFields({ plan, draft, order, needsApproval, errors, onChange }: Props) {
  const set = (next: Partial<Plan>) => onChange({ ...plan, ...next });
  const first = useFocusOnOpen<HTMLInputElement>();
  return (
    <div className={styles.fields}>
      <fieldset className={styles.how}>
        <legend>Applies</legend>
        <Radio
          ref={first}
          name="how"
          label="All at once"
          checked={!plan.isRamp}
          onChange={() => set({ isRamp: false, start: 'time' })}
        />
        <Radio
          name="how"
          label="Step by step, as a ramp"
          checked={plan.isRamp}
          onChange={() => set({ isRamp: true })}
        />
      </fieldset>
      <StartFields
        start={plan}
        errors={errors}
        without={plan.isRamp ? (needsApproval ? 'As soon as it is approved' : 'At once') : undefined}
        onChange={set}
      />
      {plan.isRamp && <Ramp {...{ plan, draft, order, needsApproval, errors, onChange }} />}
      <p className={styles.summary}>{summaryOf(plan, draft, needsApproval)}</p>
    </div>
  );
}

function Ramp({ plan, draft, order, needsApproval, errors, onChange }: Props) {
  const { part, treatment, steps } = plan;
  const { targeting } = draft;
  const set = (next: Partial<Plan>) => onChange({ ...plan, ...next });
  const choose = (ramped: Pick<Plan, 'part' | 'treatment'>) => {
    const [preset] = presetsFor(draft, ramped);
    set({ ...ramped, ...(preset ? { steps: stepsOf(preset) } : {}) });
  };
  const change = (id: number, next: Partial<RampStep>) =>
    set({ steps: steps.map((step) => (step.id === id ? { ...step, ...next } : step)) });
  const times = timesOf(plan, needsApproval ? undefined : Date.now());
  return (
    <fieldset className={styles.ramp}>
      <legend>Steps</legend>
      <div className={styles.what}>
        <Select
          name="part"
          label="Share of"
          value={part}
          onChange={({ target }) => {
            const chosen = target.value as Part;
            choose({ part: chosen, treatment: treatmentIn(draft, chosen) });
          }}
        >
          {partsOf(targeting).map((one) => (
            <option key={one} value={one}>
              {partName(targeting, one)}
            </option>
          ))}
        </Select>
        {part !== 'allocation' && (
          <Select
            name="treatment"
            label="Treatment"
            value={treatment}
            onChange={({ target }) => choose({ part, treatment: target.value })}
          >
            {targeting.treatments.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </div>
      <Presets presets={presetsFor(draft, plan)} onChoose={(preset) => set({ steps: stepsOf(preset) })} />
      <ol className={styles.steps}>
        {steps.map((step, index) => (
          <Step
            key={step.id}
            number={index + 1}
            step={step}
            name={part === 'allocation' ? 'allocation' : treatment}
            when={whenWords(plan, times, index)}
            errors={errors}
            isLast={steps.length <= 2}
            onChange={(next) => change(step.id, next)}
            onRemove={() => set({ steps: steps.filter(({ id }) => id !== step.id) })}
          >
            {isPercent(step.percent) && part !== 'allocation' && (
              <Bar buckets={bucketsIn(targetingAt(draft, plan, Number(step.percent)), part)} order={order} label="" />
            )}
          </Step>
        ))}
      </ol>
      {steps.length < mostSteps && (
        <div>
          <Button size="small" onClick={() => set({ steps: [...steps, nextOf(steps)] })}>
            <Plus size={14} aria-hidden /> Add step
          </Button>
        </div>
      )}
    </fieldset>
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
  readonly errors: Props['errors'];
  /** It cannot be removed: a ramp has two steps. */
  readonly isLast: boolean;
  readonly onChange: (next: Partial<RampStep>) => void;
  readonly onRemove: () => void;
  readonly children: React.ReactNode;
}

function Step({ number, step, name, when, errors, isLast, onChange, onRemove, children }: StepProps) {
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
        {number > 1 && (
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
        refusal={isLast ? 'A ramp has at least two steps.' : undefined}
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

/** "Fri 20 Nov, 09:00", or what it waits for. */
function whenWords(plan: Plan, times: readonly (number | undefined)[], index: number): string {
  const at = times[index];
  const zone = plan.start === 'time' ? plan.zone : zoneHere();
  if (at !== undefined) return index === 0 && plan.start === 'now' ? 'At once' : timeWords(at, zone);
  if (index === 0) return plan.start === 'now' ? 'As soon as it is approved' : '';
  const step = plan.steps[index];
  if (!step || step.unit === 'hold') return 'When somebody resumes';
  return /^\d+$/.test(step.wait) ? `${waitWords(Number(step.wait) * unitMs[step.unit])} after step ${index}` : '';
}

function summaryOf(plan: Plan, draft: Draft, needsApproval: boolean): string {
  const zone = plan.start === 'time' ? plan.zone : zoneHere();
  const at = startOf(plan, needsApproval ? undefined : Date.now());
  const last = plan.steps.at(-1);
  const end = timesOf(plan, needsApproval ? undefined : Date.now()).at(-1);
  const ramped = hasOthers(draft, plan) ? 'The first step, with all your other changes,' : 'The first step';
  const what = plan.isRamp ? ramped : 'Everything';
  const starts = at === undefined || plan.start === 'now' ? '' : `${what} is applied on ${timeWords(at, zone)}. `;
  const ends =
    plan.isRamp && last && last.percent !== '' && end !== undefined
      ? `It reaches ${last.percent}% on ${timeWords(end, zone)}. `
      : '';
  const rest = 'Each step is checked and merged with what others changed meanwhile. A conflict or a kill stops it.';
  const checked = 'It is checked and merged with what others changed meanwhile. A conflict stops it.';
  const approval =
    needsApproval && plan.start === 'time'
      ? ' If it is not approved when it starts, it fails and nothing changes.'
      : '';
  return `${starts}${ends}${plan.isRamp ? rest : checked}${approval}`;
}
