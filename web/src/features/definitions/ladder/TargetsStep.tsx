import { Pencil } from 'lucide-react';
import { Suspense, useState } from 'react';
import { TreatmentName } from '../../../kit/Bar.tsx';
import { Token } from '../../../targeting/Condition.tsx';
import { Button } from '../../../ui/Button.tsx';
import { useDefinition } from '../editing/editor.ts';
import { lazyPart } from '../editing/lazy.ts';
import { Step, StepNumber } from './Step.tsx';
import styles from './TargetsStep.module.css';

const TargetsEditor = lazyPart('TargetsEditor', () => import('./TargetsEditor.tsx'));

/** Keys shown per treatment before "N more". */
const maxShown = 4;

/** Keys that get a treatment regardless of the rules. */
export function TargetsStep() {
  const { targeting, order, mayEdit, differences } = useDefinition();
  const [isOpen, setOpen] = useState(false);
  const targeted = targeting.treatments.filter(({ keys, segments }) => keys?.length || segments?.length);
  const isChanged = differences.some(({ kind }) => kind === 'keys' || kind === 'segments');
  return (
    <Step
      id="targets"
      mark={<StepNumber>{1}</StepNumber>}
      isChanged={isChanged}
      isWide
      menu={
        mayEdit &&
        !isOpen && (
          <Button look="quiet" size="tiny" aria-label="Edit individual targets" onClick={() => setOpen(true)}>
            <Pencil size={14} aria-hidden />
          </Button>
        )
      }
    >
      <h3 className={styles.title}>Individual targets</h3>
      <Suspense>{isOpen && <TargetsEditor onClose={() => setOpen(false)} />}</Suspense>
      {!isOpen && targeted.length === 0 && <p className={styles.note}>No keys are targeted individually.</p>}
      {!isOpen &&
        targeted.map(({ name, keys = [], segments = [] }) => (
          <div key={name} className={styles.row}>
            <span className={styles.treatment}>
              <TreatmentName treatment={name} order={order} />
            </span>
            <Keys keys={keys} onMore={mayEdit ? () => setOpen(true) : undefined} />
            {segments.map((segment) => (
              <span key={segment} className={styles.note}>
                segment <Token>{segment}</Token>
              </span>
            ))}
          </div>
        ))}
    </Step>
  );
}

interface KeysProps {
  readonly keys: readonly string[];
  readonly onMore: (() => void) | undefined;
}

function Keys({ keys, onMore }: KeysProps) {
  const more = keys.length - maxShown;
  return (
    <>
      {keys.slice(0, maxShown).map((key) => (
        <Token key={key}>{key}</Token>
      ))}
      {more > 0 &&
        (onMore ? (
          <button type="button" className={styles.more} onClick={onMore}>
            {more} more
          </button>
        ) : (
          <span className={styles.note}>{more} more</span>
        ))}
    </>
  );
}
