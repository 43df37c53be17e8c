import { useQuery } from '@tanstack/react-query';
import { listOutbox } from '#contract/accounts.ts';
import { emailKey } from '#domain/users.ts';
import { reading } from '../../server/api.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Modal, ModalBody, ModalFoot } from '../../ui/Modal.tsx';
import styles from './Invited.module.css';

const askAgainMs = 2_000;

interface Props {
  readonly emails: readonly string[];
  readonly onClose: () => void;
}

/** The people just invited. If the email was not sent, it offers the link. */
export function Invited({ emails, onClose }: Props) {
  const { data } = useQuery({ ...reading(listOutbox), refetchInterval: askAgainMs });
  const waiting = (email: string) =>
    data?.find((mail) => mail.kind === 'invitation' && emailKey(mail.email) === emailKey(email));
  const isAnyWaiting = emails.some((email) => waiting(email) !== undefined);
  return (
    <Modal
      title={emails.length === 1 ? 'Invited' : `Invited ${emails.length} people`}
      about={
        isAnyWaiting
          ? 'If an invitation was not emailed, copy its link and give it only to that person. It works once.'
          : 'They are pending until they open the link and choose a password.'
      }
      size="narrow"
      onClose={onClose}
    >
      <ModalBody>
        <ul className={styles.list}>
          {emails.map((email) => {
            const mail = waiting(email);
            return (
              <li key={email} className={styles.row}>
                <span className={styles.who}>
                  <span>{email}</span>
                  {data && <span className={styles.state}>{mail ? 'Not emailed yet' : 'Emailed'}</span>}
                </span>
                {mail && <CopyButton text={location.origin + mail.path} what={`link for ${email}`} shown="link" />}
              </li>
            );
          })}
        </ul>
      </ModalBody>
      <ModalFoot>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </ModalFoot>
    </Modal>
  );
}
