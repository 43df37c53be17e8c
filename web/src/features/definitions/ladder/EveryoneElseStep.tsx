import { Pencil } from 'lucide-react';
import { useRef, useState } from 'react';
import { whyNeverReached } from '#domain/evaluation/reachability.ts';
import { Bar, Legend } from '../../../kit/Bar.tsx';
import { usePageActions } from '../../../state/page-actions.ts';
import { StepMark } from '../../../targeting/Steps.tsx';
import { Button } from '../../../ui/Button.tsx';
import { useDefinition } from '../editing/editor.ts';
import { useLit } from './lit.ts';
import { Mixer } from './Mixer.tsx';
import { NeverReached } from './NeverReached.tsx';
import { Step } from './Step.tsx';
import styles from './TargetsStep.module.css';

/** Keys that no rule matched. The most used control, so it starts open unless the flag is killed. */
export function EveryoneElseStep() {
  const { targeting, savedTargeting, order, mayEdit, refusal, saved, change, differences } = useDefinition();
  const place = useRef<HTMLDivElement>(null);
  const [isOpened, setOpened] = useState(false);
  const lit = useLit();
  const isChanged = differences.some(({ kind }) => kind === 'defaultRule');
  const isKilled = saved?.killed ?? false;
  const isOpen = mayEdit && (!isKilled || isOpened || isChanged);
  usePageActions(
    isOpen
      ? [
          {
            label: 'Change everyone else',
            keys: 'e',
            run: () => place.current?.querySelector<HTMLElement>('[role="slider"], input')?.focus(),
          },
        ]
      : [],
  );
  return (
    <Step
      id="defaultRule"
      mark={<StepMark />}
      isChanged={isChanged}
      isWide
      menu={
        !isOpen && (
          <Button
            look="quiet"
            size="tiny"
            aria-label="Edit everyone else"
            refusal={refusal}
            onClick={() => setOpened(true)}
          >
            <Pencil size={14} aria-hidden />
          </Button>
        )
      }
    >
      <h3 className={styles.title}>Everyone else</h3>
      <NeverReached reason={whyNeverReached(targeting).at(-1)} />
      <div ref={place}>
        {isOpen ? (
          <Mixer
            buckets={targeting.defaultRule}
            saved={savedTargeting?.defaultRule}
            treatments={targeting.treatments.map(({ name }) => name)}
            defaultTreatment={targeting.defaultTreatment}
            order={order}
            probe={lit.step === 'defaultRule' ? lit.pin : undefined}
            onChange={(defaultRule) => change((before) => ({ ...before, defaultRule }))}
          />
        ) : (
          <div className={styles.shares}>
            <Bar buckets={targeting.defaultRule} order={order} label="" isFaded={isKilled} />
            <Legend buckets={targeting.defaultRule} order={order} />
          </div>
        )}
      </div>
    </Step>
  );
}
