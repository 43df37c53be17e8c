import type { ApiProblem } from '../api.ts';
import { Button } from './Button.tsx';
import { explain } from './explain.ts';
import styles from './Failure.module.css';
import { Notice } from './Notice.tsx';

interface Props {
  readonly problem: ApiProblem;
  readonly onRetry?: () => unknown;
}

/** In place of the part that failed: what went wrong, what to name when asking for help, and another try. */
export function Failure({ problem, onRetry }: Props) {
  return (
    <div className={styles.failure}>
      <Notice kind="danger">
        <p>{explain(problem)}</p>
        {problem.status >= 500 && problem.transactionId !== '' && (
          <p className={styles.reference}>
            Reference <code>{problem.transactionId}</code>
          </p>
        )}
      </Notice>
      {onRetry && <Button onClick={() => void onRetry()}>Try again</Button>}
    </div>
  );
}
