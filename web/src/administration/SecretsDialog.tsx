import { type ReactNode, useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Modal, ModalBody, ModalFoot } from '../ui/Modal.tsx';
import { Notice } from '../ui/Notice.tsx';
import styles from './SecretsDialog.module.css';

export interface Secret {
  readonly name: string;
  readonly text: string;
}

interface Props {
  readonly title: string;
  readonly about: ReactNode;
  readonly secrets: readonly Secret[];
  /** Next steps, below the secrets. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows secrets that cannot be shown again. Asks for confirmation if you close it before copying all of them. */
export function SecretsDialog({ title, about, secrets, children, onClose }: Props) {
  const [copied, setCopied] = useState<ReadonlySet<string>>(new Set());
  const [isAsking, setAsking] = useState(false);
  const isSafe = secrets.every(({ name }) => copied.has(name));
  const close = () => (isSafe ? onClose() : setAsking(true));
  return (
    <Modal title={title} about={about} kind="alert" onClose={close}>
      <ModalBody>
        <ul className={styles.list}>
          {secrets.map(({ name, text }) => (
            <li key={name} className={styles.secret}>
              <span className={styles.name}>{name}</span>
              <span className={styles.box}>
                <code className={styles.text}>{text}</code>
                <CopyButton
                  text={text}
                  what={name}
                  onCopied={() => {
                    setCopied((before) => new Set(before).add(name));
                    setAsking(false);
                  }}
                />
              </span>
            </li>
          ))}
        </ul>
        {children}
        {isAsking && <Notice kind="danger">You have not copied everything. It cannot be shown again.</Notice>}
      </ModalBody>
      <ModalFoot aside={isSafe ? undefined : 'Shown only once: Burgee stores a hash.'}>
        {isAsking ? (
          <>
            <Button onClick={() => setAsking(false)}>Go back</Button>
            <Button look="danger-fill" onClick={onClose}>
              Close without copying
            </Button>
          </>
        ) : (
          <Button look="primary" onClick={close}>
            Done
          </Button>
        )}
      </ModalFoot>
    </Modal>
  );
}
