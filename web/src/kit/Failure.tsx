import type { ApiProblem } from '../server/api-problem.ts';
import { Button } from '../ui/Button.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Notice } from '../ui/Notice.tsx';
import { explain, furtherComplaints } from './explain.ts';
import styles from './Failure.module.css';

interface Props {
  readonly problem: ApiProblem;
  readonly onRetry?: () => unknown;
}

/** Replaces a part that failed: what went wrong, a reference for support, and a retry button. */
export function Failure({ problem, onRetry }: Props) {
  const complaints = furtherComplaints(problem);
  return (
    <div className={styles.failure}>
      <Notice kind="danger">
        <p>{explain(problem)}</p>
        {complaints.length > 0 && (
          <ul className={styles.complaints}>
            {complaints.map((complaint) => (
              <li key={complaint}>{complaint}</li>
            ))}
          </ul>
        )}
        {problem.status >= 500 && problem.transactionId !== '' && (
          <p className={styles.reference}>
            Reference <code>{problem.transactionId}</code>
            <CopyButton text={problem.transactionId} what="reference" face="icon" />
          </p>
        )}
      </Notice>
      {onRetry && <Button onClick={() => void onRetry()}>Try again</Button>}
    </div>
  );
}
