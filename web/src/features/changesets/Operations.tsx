import type { UseQueryResult } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { listChanges } from '#contract/changes.ts';
import type { ChangesetPlan } from '#domain/changeset-plans.ts';
import { type ChangesetAnswer, isOpen, isScheduled, type PlannedOperation } from '../../changesets/changesets-query.ts';
import { hasBegun } from '../../changesets/schedule-words.ts';
import { sentence } from '../../kit/explain.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useMay } from '../../server/session.ts';
import { DifferenceBox } from '../../targeting/DifferenceBox.tsx';
import { ExampleWords } from '../../targeting/ExampleWords.tsx';
import { rangeWords } from '../../targeting/effect-words.ts';
import { WholeDefinition } from '../../targeting/WholeDefinition.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { percent } from '../../ui/percent.ts';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Edited, keyOf, OperationFrame } from './OperationFrame.tsx';
import styles from './Operations.module.css';
import { PastOperations } from './PastOperations.tsx';

interface Props {
  readonly changeset: ChangesetAnswer;
  readonly plan: UseQueryResult<ChangesetPlan, ApiProblem>;
}

/**
 * What the changeset does: based on the current state before it is applied, from the audit log afterwards. A ramp
 * that runs has both.
 */
export function Operations({ changeset, plan }: Props) {
  const may = useMay();
  const isBegun = hasBegun(changeset);
  const hasPast = (changeset.status === 'PUBLISHED' || isBegun) && may(listChanges);
  const hasFuture = !hasPast || isOpen(changeset) || isScheduled(changeset);
  return (
    <section aria-labelledby="operations" className={styles.part}>
      <div className={styles.head}>
        <h2 id="operations">Operations</h2>
        <span className={styles.quiet}>
          {changeset.operations.length > 1 &&
            (changeset.status === 'PUBLISHED' ? 'Applied together' : 'Applied together or not at all')}
        </span>
      </div>
      {hasFuture && (
        <>
          {isBegun && <h3 className={styles.when}>Still to come</h3>}
          <Loaded query={plan} skeleton={<SkeletonRows rows={4} />}>
            {({ operations, step }) => (
              <ol className={styles.list}>
                {operations.map((operation, index) => (
                  <OperationFrame
                    key={keyOf(operation)}
                    operation={operation}
                    number={index + 1}
                    line={<Effect {...operation} />}
                  >
                    <Planned operation={operation} step={step} />
                  </OperationFrame>
                ))}
              </ol>
            )}
          </Loaded>
        </>
      )}
      {hasPast && (
        <>
          {hasFuture && <h3 className={styles.when}>Applied so far</h3>}
          <PastOperations changeset={changeset} />
        </>
      )}
    </section>
  );
}

/** "on 10% → 50%. 40% of all user keys move from off to on." */
function Effect({ shares, moves, unknown, trafficType = '' }: PlannedOperation) {
  const changed = shares.filter(({ before, after }) => rangeWords(before) !== rangeWords(after));
  if (changed.length + moves.length === 0) return null;
  return (
    <p className={styles.effect}>
      {changed.map(({ treatment, before, after }, index) => (
        <span key={treatment}>
          {index > 0 && ', '}
          <code>{treatment}</code> <span className="num">{`${rangeWords(before)} → ${rangeWords(after)}`}</span>
        </span>
      ))}
      {changed.length > 0 && ' of all keys. '}
      {moves.map(({ from, to, share }) => (
        <span key={`${from} ${to}`}>
          <span className="num">{percent(share)}</span> of {trafficType} keys move from <code>{from}</code> to{' '}
          <code>{to}</code>.{' '}
        </span>
      ))}
      {unknown.length > 0 && `Cannot tell exactly: depends on ${unknown.join(' and ')}.`}
    </p>
  );
}

/** Based on the current state. */
function Planned({ operation, step }: { readonly operation: PlannedOperation; readonly step: number | undefined }) {
  const {
    differences,
    created,
    treatments,
    trafficType = '',
    findings,
    laterSteps,
    conflicts,
    refusal,
    edit,
    environment,
  } = operation;
  return (
    <>
      {conflicts.length > 0 && (
        <Notice kind="danger">
          {conflicts.map((conflict) => (
            <p key={conflict}>{sentence(capital(conflict))}</p>
          ))}
        </Notice>
      )}
      {step !== undefined && <p className={styles.quiet}>Step {step}</p>}
      {created && (
        <div className={styles.whole}>
          <p className={styles.quiet}>Not defined in {environment?.name} yet. SDKs answer control.</p>
          <WholeDefinition targeting={created} order={treatments} trafficType={trafficType} />
        </div>
      )}
      {edit.kind === 'delete' && (
        <p className={styles.effect}>
          Removes the definition. Everyone in {environment?.name} gets <code>control</code>.
        </p>
      )}
      <Differences operation={operation} differences={differences} when="now" />
      {!created && differences.length === 0 && conflicts.length === 0 && <Edited operation={operation} />}
      <Findings findings={findings} />
      {laterSteps
        .filter((one) => one.isConflict || one.differences.length + one.findings.length > 0)
        .map((one) => (
          <section key={one.step} className={styles.step} aria-label={`Step ${one.step}`}>
            <p className={styles.quiet}>Step {one.step}</p>
            {one.isConflict && (
              <Notice kind="danger">Someone else changed the same part, so this step would fail.</Notice>
            )}
            <Differences operation={operation} differences={one.differences} when="later" />
            <Findings findings={one.findings} />
          </section>
        ))}
      {refusal !== undefined && <p className={styles.refusal}>{sentence(refusal)}</p>}
    </>
  );
}

interface DifferencesProps extends Pick<PlannedOperation, 'differences'> {
  readonly operation: PlannedOperation;
  readonly when: 'now' | 'later';
}

function Differences({ operation: { treatments, trafficType = '' }, differences, when }: DifferencesProps) {
  const look = { order: treatments, trafficType, when };
  return differences.map((difference, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list is rebuilt each time
    <DifferenceBox key={index} difference={difference} {...look} />
  ));
}

const Findings = ({ findings }: Pick<PlannedOperation, 'findings'>) =>
  findings.map(({ title, text, example }) => (
    <p key={`${title} ${text}`} className={styles.finding}>
      <TriangleAlert size={15} aria-hidden />{' '}
      <span>
        <b>{title}.</b> {text} {example && <ExampleWords example={example} />}
      </span>
    </p>
  ));

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
