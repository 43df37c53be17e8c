import { Pencil } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { segmentsOf } from '#domain/definitions/definition.ts';
import { TreatmentName } from '../../../kit/Bar.tsx';
import { useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { lazyPart } from '../../../state/lazy.ts';
import { Token } from '../../../targeting/Condition.tsx';
import { StepMark } from '../../../targeting/Steps.tsx';
import { Button } from '../../../ui/Button.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { useDefinition } from '../editing/editor.ts';
import { Step } from './Step.tsx';
import styles from './TargetsStep.module.css';

const TargetsEditor = lazyPart('TargetsEditor', () => import('./TargetsEditor.tsx'));
const SegmentLink = lazyPart('SegmentLink', () => import('../../../targeting/SegmentLink.tsx'));
const SegmentMarks = lazyPart('SegmentMarks', () => import('../../../targeting/SegmentMarks.tsx'));

/** Keys shown per treatment before "N more". */
const maxShown = 4;

const editId = 'edit-targets';

/** Keys that get a treatment regardless of the rules. */
export function TargetsStep() {
  const { targeting, order, mayEdit, refusal, differences } = useDefinition();
  const [isOpened, setOpen] = useState(false);
  const isOpen = isOpened && mayEdit;
  const targeted = targeting.treatments.filter(({ keys, segments }) => keys?.length || segments?.length);
  const isChanged = differences.some(({ kind }) => kind === 'keys' || kind === 'segments');
  return (
    <Step
      id="targets"
      mark={<StepMark />}
      isChanged={isChanged}
      isWide
      menu={
        !isOpen && (
          <Button
            look="quiet"
            size="tiny"
            id={editId}
            aria-label="Edit individual targets"
            refusal={refusal}
            onClick={() => setOpen(true)}
          >
            <Pencil size={14} aria-hidden />
          </Button>
        )
      }
    >
      <h3 className={styles.title}>Individual targets</h3>
      <Suspense>
        {isOpen && (
          <TargetsEditor
            onClose={() => {
              setOpen(false);
              setTimeout(() => document.getElementById(editId)?.focus());
            }}
          />
        )}
      </Suspense>
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
                segment{' '}
                <Token>
                  <Suspense fallback={segment}>
                    <SegmentLink name={segment} all={segmentsOf(targeting)} />
                  </Suspense>
                </Token>
              </span>
            ))}
          </div>
        ))}
      {!isOpen && (
        <Suspense>
          <SegmentMarks names={targeted.flatMap(({ segments = [] }) => segments)} all={segmentsOf(targeting)} />
        </Suspense>
      )}
    </Step>
  );
}

/** Shows the whole list to those who cannot open the editor. */
function JsonLink({ children }: { readonly children: ReactNode }) {
  const params = { project: useProject().name, flag: useFlag().name, environment: useDefinition().environment.name };
  return (
    <TextLink to="/p/$project/flags/$flag/$environment/json" params={params}>
      {children}
    </TextLink>
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
          <JsonLink>{more} more</JsonLink>
        ))}
    </>
  );
}
