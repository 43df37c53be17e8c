import { Link } from '@tanstack/react-router';
import { ArrowRight, GitPullRequestArrow } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { createChangeset } from '#contract/changesets.ts';
import { patchDefinition } from '#contract/definitions.ts';
import { applyDifferences } from '#domain/definitions/apply.ts';
import { orderOf, segmentsOf, type Targeting } from '#domain/definitions/definition.ts';
import { type Difference, differencesBetween } from '#domain/definitions/differences.ts';
import { ProdChip, Unsaved } from '../../../kit/StatusChip.tsx';
import { useFlag } from '../../../server/flag.ts';
import { type Environment, useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { useMay } from '../../../server/session.ts';
import { lazyPart } from '../../../state/lazy.ts';
import { DifferenceSide } from '../../../targeting/DifferenceSide.tsx';
import { Button, buttonClass } from '../../../ui/Button.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { PrimaryButtonLink } from '../../../ui/TextLink.tsx';
import { useSaved } from '../editing/definitions.ts';
import { type Editing, useEditing } from '../editing/use-editing.ts';
import styles from './CompareTable.module.css';
import { compareRows } from './compare-rows.ts';
import { SegmentsElsewhere } from './SegmentsElsewhere.tsx';

/** Loaded late: the evaluation is large, and the differences do not need it. */
const CompareVerdicts = lazy(() =>
  import('./CompareVerdicts.tsx').then((module) => ({ default: module.CompareVerdicts })),
);

const PromoteDialog = lazyPart('PromoteDialog', () => import('./PromoteDialog.tsx'));

interface Props {
  readonly left: Environment;
  readonly right: Environment;
  /** Also show steps without differences. */
  readonly isWhole: boolean;
}

/** Compares both sides including drafts. Copying creates a draft on the right. */
export function CompareTable({ left, right, isWhole }: Props) {
  const mine = useEditing(left.id, useSaved(left.id));
  const theirs = useEditing(right.id, useSaved(right.id));
  const { trafficType, owners } = useFlag();
  const refusal = useWhyNot()(patchDefinition, { owners, environment: right.id });
  if (!mine.targeting || !theirs.targeting) {
    return (
      <OneSided
        left={left}
        right={right}
        isLeft={mine.targeting !== undefined}
        isRight={theirs.targeting !== undefined}
      />
    );
  }
  const [from, to] = [mine.targeting, theirs.targeting];
  // What would have to change on the right to match the left.
  const differences = differencesBetween(to, from);
  const look = { order: orderOf(from, to), trafficType: trafficType.name };
  return (
    <>
      <div className={styles.head}>
        <p className={styles.count} role="status">
          {differences.length === 0 && 'No differences.'}
          {differences.length === 1 && '1 difference'}
          {differences.length > 1 && `${differences.length} differences`}
        </p>
        {mine.saved && differences.length > 0 && <Promote from={left} to={right} />}
      </div>
      <SegmentsElsewhere names={segmentsOf(from)} from={left} to={right} trafficType={trafficType.name} />
      <table className={styles.table}>
        <thead className={styles.heads}>
          <tr>
            <td className={styles.name} />
            <Side environment={left} editing={mine} />
            <Side environment={right} editing={theirs} />
            <td className={styles.action} />
          </tr>
        </thead>
        <tbody>
          <Suspense>
            <CompareVerdicts
              left={{ environment: left, editing: mine }}
              right={{ environment: right, editing: theirs }}
              order={look.order}
            />
          </Suspense>
          {compareRows(differences, { left: left.name, right: right.name }).map(({ difference, name, isRemoval }) => (
            <tr key={name} className={styles.row}>
              <th scope="row" className={styles.name}>
                {name}
              </th>
              <td className={styles.side} data-side={left.name}>
                <div className={styles.stack}>
                  <DifferenceSide difference={difference} side="after" {...look} />
                </div>
              </td>
              <td className={styles.side} data-side={right.name}>
                <div className={styles.stack}>
                  <DifferenceSide difference={difference} side="before" {...look} />
                </div>
              </td>
              <td className={styles.action}>
                <Button
                  size="small"
                  look={isRemoval ? 'danger' : 'plain'}
                  aria-label={isRemoval ? `Remove from ${right.name}: ${name}` : `Copy ${name} to ${right.name}`}
                  refusal={refusal}
                  onClick={() => theirs.change((before: Targeting) => applyDifferences(before, [difference]))}
                >
                  {isRemoval ? (
                    'Remove'
                  ) : (
                    <>
                      Copy <ArrowRight size={13} aria-hidden />
                    </>
                  )}
                </Button>
              </td>
            </tr>
          ))}
          {isWhole &&
            partsWithout(differences).map((part) => (
              <tr key={part} className={styles.row}>
                <th scope="row" className={styles.name}>
                  {part}
                </th>
                <td colSpan={2} className={styles.side}>
                  <span className={styles.same}>same</span>
                </td>
                <td className={styles.action} />
              </tr>
            ))}
        </tbody>
      </table>
      {theirs.draft && <Collected environment={right} count={theirs.differences.length} />}
    </>
  );
}

/** Takes what is saved on the left over to the right, as a changeset. */
function Promote({ from, to }: { readonly from: Environment; readonly to: Environment }) {
  const [isOpen, setOpen] = useState(false);
  const isArchived = useFlag().archivedAt !== undefined;
  if (!useMay()(createChangeset)) return null;
  return (
    <>
      <Button
        refusal={isArchived ? 'This flag is archived. Unarchive it to change it.' : undefined}
        onClick={() => setOpen(true)}
      >
        <GitPullRequestArrow size={14} aria-hidden /> Promote to {to.name}…
      </Button>
      <Suspense>{isOpen && <PromoteDialog from={from} to={to} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

function Side({ environment, editing }: { readonly environment: Environment; readonly editing: Editing }) {
  const project = useProject();
  const flag = useFlag();
  return (
    <th scope="col" className={styles.side}>
      <Link
        to="/p/$project/flags/$flag/$environment"
        params={{ project: project.name, flag: flag.name, environment: environment.name }}
        className={styles.environment}
      >
        {environment.name}
      </Link>{' '}
      {environment.production && <ProdChip />} {editing.draft && <Unsaved />}
    </th>
  );
}

function Collected({ environment, count }: { readonly environment: Environment; readonly count: number }) {
  const project = useProject();
  const flag = useFlag();
  return (
    <div className={styles.collected} role="status">
      <p>
        {count === 1 ? '1 unsaved change' : `${count} unsaved changes`} in {environment.name}
      </p>
      <PrimaryButtonLink
        to="/p/$project/flags/$flag/$environment"
        params={{ project: project.name, flag: flag.name, environment: environment.name }}
        search={{ review: '' }}
      >
        Review
      </PrimaryButtonLink>
    </div>
  );
}

interface OneSidedProps {
  readonly left: Environment;
  readonly right: Environment;
  readonly isLeft: boolean;
  readonly isRight: boolean;
}

/** Only one side is defined: offer to copy it. */
function OneSided({ left, right, isLeft, isRight }: OneSidedProps) {
  const project = useProject();
  const flag = useFlag();
  const [from, to] = isLeft ? [left, right] : [right, left];
  const refusal = useWhyNot()(patchDefinition, { owners: flag.owners, environment: to.id });
  if (!isLeft && !isRight) return <EmptyState title="The flag is not defined in either environment" />;
  return (
    <EmptyState
      title={`The flag is not defined in ${to.name}`}
      action={
        <>
          {refusal === undefined ? (
            <Link
              to="/p/$project/flags/$flag/$environment"
              params={{ project: project.name, flag: flag.name, environment: from.name }}
              search={{ copy: to.name }}
              className={buttonClass({})}
            >
              Copy from {from.name}
            </Link>
          ) : (
            <Button refusal={refusal}>Copy from {from.name}</Button>
          )}{' '}
          {flag.definitions.some((one) => one.environment.id === from.id) && <Promote from={from} to={to} />}
        </>
      }
    >
      Everyone there gets <code>control</code>.
    </EmptyState>
  );
}

const parts: readonly [name: string, kinds: readonly Difference['kind'][]][] = [
  ['Individual targets', ['keys', 'segments']],
  ['Traffic allocation', ['trafficAllocation']],
  ['Rules', ['rule']],
  ['Everyone else', ['defaultRule']],
  ['Treatments', ['treatment', 'treatmentOrder']],
  ['Served when killed', ['defaultTreatment']],
  ['Baseline', ['baselineTreatment']],
  ['Impressions', ['impressionsDisabled']],
  ['Flag sets', ['flagSets']],
  ['Killed', ['killed']],
];

/** Parts without differences, for a comparison that shows everything. */
const partsWithout = (differences: readonly Difference[]): string[] =>
  parts.filter(([, kinds]) => !differences.some(({ kind }) => kinds.includes(kind))).map(([name]) => name);
