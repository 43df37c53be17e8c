import { CircleAlert, CircleCheck, CircleDashed, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ChangesetPlan } from '#domain/changeset-plans.ts';
import { sentence } from '../../kit/explain.ts';
import styles from './Checks.module.css';
import { missingApprovals } from './use-acts.ts';

/** What prevents the changeset from being applied to the current state. */
export function Checks({ plan }: { readonly plan: ChangesetPlan }) {
  const conflicts = plan.operations.flatMap((one) => one.conflicts);
  const refusals = [...new Set(plan.operations.flatMap(({ refusal }) => refusal ?? []))];
  const findings = plan.operations
    .flatMap((one) => [one, ...one.laterSteps])
    .reduce((sum, one) => sum + one.findings.length, 0);
  const failing = plan.operations.flatMap((one) => one.laterSteps).find(({ isConflict }) => isConflict);
  const missing = missingApprovals(plan);
  return (
    <section aria-labelledby="checks" className={styles.part}>
      <h2 id="checks">Checks</h2>
      <ul className={styles.list}>
        {conflicts.length === 0 ? (
          <Check kind="ok" title="Fits what is there now">
            No overlap with changes of others
          </Check>
        ) : (
          <Check kind="failed" title={conflicts.length === 1 ? '1 conflict' : `${conflicts.length} conflicts`}>
            It cannot be applied until they are resolved
          </Check>
        )}
        {failing && (
          <Check kind="failed" title={`Step ${failing.step} would fail`}>
            Someone else changed the same part
          </Check>
        )}
        {refusals.length === 0 ? (
          <Check kind="ok" title="You have the rights to apply it" />
        ) : (
          <Check kind="open" title="You cannot apply it">
            {refusals.map(sentence).join(' ')}
          </Check>
        )}
        {findings > 0 && (
          <Check kind="finding" title={findings === 1 ? '1 finding' : `${findings} findings`}>
            They do not block
          </Check>
        )}
        {missing.length > 0 && (
          <Check
            kind="open"
            title={missing.length === 1 ? '1 approval missing' : `${missing.length} approvals missing`}
          >
            {missing.join(', ')}
          </Check>
        )}
      </ul>
    </section>
  );
}

const icons = { ok: CircleCheck, failed: CircleAlert, finding: TriangleAlert, open: CircleDashed };

interface CheckProps {
  readonly kind: keyof typeof icons;
  readonly title: string;
  readonly children?: ReactNode;
}

function Check({ kind, title, children }: CheckProps) {
  const Icon = icons[kind];
  return (
    <li className={styles.check}>
      <Icon size={16} aria-hidden className={styles[kind]} />
      <div>
        <p>{title}</p>
        {children !== undefined && <p className={styles.more}>{children}</p>}
      </div>
    </li>
  );
}
