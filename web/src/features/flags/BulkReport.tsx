import { Button } from '../../ui/Button.tsx';
import { Modal, ModalBody, ModalFoot } from '../../ui/Modal.tsx';
import styles from './BulkReport.module.css';
import { type FailedFlag, forgetFailedFlags, useProgress } from './each-flag.ts';

/** While a change to several flags runs. */
export function BulkProgress() {
  const progress = useProgress();
  return (
    <p role="status" className={styles.progress}>
      {progress && `${progress.done} of ${progress.total} done`}
    </p>
  );
}

/** Which flags a change to several left as they were, and why. */
export const BulkFailures = ({ failed }: { readonly failed: readonly FailedFlag[] }) => (
  <Modal
    title={failed.length === 1 ? '1 flag was not changed' : `${failed.length} flags were not changed`}
    about="The others were."
    onClose={forgetFailedFlags}
  >
    <ModalBody>
      <ul className={styles.failed}>
        {failed.map(({ name, why }) => (
          <li key={name}>
            <span className="mono">{name}</span>
            <span>{why}</span>
          </li>
        ))}
      </ul>
    </ModalBody>
    <ModalFoot>
      <Button onClick={forgetFailedFlags}>Close</Button>
    </ModalFoot>
  </Modal>
);
