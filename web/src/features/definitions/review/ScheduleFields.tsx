import { RampSteps } from '../../../changesets/RampSteps.tsx';
import {
  bucketsIn,
  type Complaints,
  hasOthers,
  isPercent,
  type Part,
  type Plan,
  partName,
  partsOf,
  presetsFor,
  startOf,
  stepsOf,
  targetingAt,
  timesOf,
  treatmentIn,
  unitMs,
} from '../../../changesets/ramp.ts';
import { StartFields } from '../../../changesets/StartFields.tsx';
import { timeWords, waitWords, zoneHere } from '../../../changesets/schedule-words.ts';
import { Bar } from '../../../kit/Bar.tsx';
import type { Draft } from '../../../state/drafts.ts';
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
      <RampSteps
        {...{ steps, errors }}
        first={1}
        presets={presetsFor(draft, plan)}
        name={part === 'allocation' ? 'allocation' : treatment}
        whenOf={(index) => whenWords(plan, times, index)}
        onChange={(next) => set({ steps: next })}
      >
        {({ percent }) =>
          isPercent(percent) &&
          part !== 'allocation' && (
            <Bar buckets={bucketsIn(targetingAt(draft, plan, Number(percent)), part)} order={order} label="" />
          )
        }
      </RampSteps>
    </fieldset>
  );
}

/** "Fri 20 Nov, 09:00", or what it waits for. */
function whenWords(plan: Plan, times: readonly (number | undefined)[], index: number): string {
  const at = times[index];
  const zone = plan.start === 'time' ? plan.zone : zoneHere();
  if (at !== undefined) return index === 0 && plan.start === 'now' ? 'At once' : timeWords(at, zone);
  if (index === 0) return plan.start === 'now' ? 'As soon as it is approved' : '';
  const step = plan.steps[index];
  if (!step || step.unit === 'hold') return 'When someone resumes it';
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
