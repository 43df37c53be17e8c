import { useQuery } from '@tanstack/react-query';
import { listOutbox } from '#contract/accounts.ts';
import type { WaitingMail } from '#domain/accounts.ts';
import { emailKey } from '#domain/users.ts';
import { reading } from '../../server/api.ts';
import { useMe } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Modal, ModalBody, ModalFoot } from '../../ui/Modal.tsx';
import styles from './Invited.module.css';

const askAgainMs = 2_000;

/** What became of one line. */
export interface InvitationResult {
  readonly email: string;
  /** Why the person was not invited. */
  readonly refusal?: { readonly state: string; readonly words: string };
}

interface Props {
  readonly results: readonly InvitationResult[];
  readonly onClose: () => void;
  /** Back to the form, with the addresses that were refused. */
  readonly onCorrect: () => void;
}

/** Line by line, what became of each address. If an email was not sent, it offers the link. */
export function Invited({ results, onClose, onCorrect }: Props) {
  const { data } = useQuery({ ...reading(listOutbox), refetchInterval: askAgainMs });
  const mailFor = (email: string) =>
    data?.find((mail) => mail.kind === 'invitation' && emailKey(mail.email) === emailKey(email));
  const invited = results.filter(({ refusal }) => !refusal);
  const refused = results.length - invited.length;
  return (
    <Modal title={titleOf(invited.length, refused)} about={aboutOf(invited, mailFor)} size="narrow" onClose={onClose}>
      <ModalBody>
        <ul className={styles.list}>
          {results.map(({ email, refusal }) => (
            <Line key={email} email={email} refusal={refusal} mail={mailFor(email)} isKnown={data !== undefined} />
          ))}
        </ul>
      </ModalBody>
      <ModalFoot>
        {refused > 0 && (
          <Button onClick={onCorrect}>{refused === 1 ? 'Correct this one' : `Correct these ${refused}`}</Button>
        )}
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </ModalFoot>
    </Modal>
  );
}

function titleOf(invited: number, refused: number): string {
  if (invited === 0) return 'Nobody was invited';
  if (refused > 0) return `Invited ${invited} of ${invited + refused} people`;
  return invited === 1 ? 'Invited' : `Invited ${invited} people`;
}

function aboutOf(invited: readonly InvitationResult[], mailFor: (email: string) => unknown): string | undefined {
  if (invited.length === 0) return undefined;
  return invited.some(({ email }) => mailFor(email) !== undefined)
    ? 'If an invitation was not emailed, copy its link and give it only to that person. It works once.'
    : 'They are pending until they open the link and choose a password.';
}

interface LineProps {
  readonly email: string;
  readonly refusal: InvitationResult['refusal'];
  readonly mail: WaitingMail | undefined;
  /** Whether the unsent mails are known. */
  readonly isKnown: boolean;
}

function Line({ email, refusal, mail, isKnown }: LineProps) {
  const { sendsMail } = useMe();
  return (
    <li className={styles.row}>
      <span className={styles.who}>
        <span>{email}</span>
        <span className={styles.state}>{refusal ? refusal.words : isKnown && mailWords(mail, sendsMail)}</span>
      </span>
      {refusal ? (
        <Chip kind="danger">{refusal.state}</Chip>
      ) : mail ? (
        <CopyButton text={location.origin + mail.path} what={`link for ${email}`} shown="link" />
      ) : (
        <Chip kind="ok">Invited</Chip>
      )}
    </li>
  );
}

function mailWords(mail: WaitingMail | undefined, sendsMail: boolean): string {
  if (!mail) return 'Emailed';
  if (!sendsMail) return 'Give them the link';
  return mail.lastError === undefined ? 'Not emailed yet' : `Invited, but the email failed: ${mail.lastError}`;
}
