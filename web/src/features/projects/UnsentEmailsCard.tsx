import { useQuery } from '@tanstack/react-query';
import { listOutbox } from '#contract/accounts.ts';
import type { WaitingMail } from '#domain/accounts.ts';
import { Failure } from '../../kit/Failure.tsx';
import { reading } from '../../server/api.ts';
import { Card } from '../../ui/Card.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Expiry } from '../../ui/Time.tsx';
import styles from './UnsentEmailsCard.module.css';

const title = 'Unsent emails';
const kinds: Readonly<Record<WaitingMail['kind'], string>> = {
  invitation: 'Invitation',
  'password-reset': 'New password',
};

/** For administrators: unsent emails with their links, to deliver them another way. */
export function UnsentEmailsCard() {
  const mails = useQuery(reading(listOutbox));
  if (mails.isPending) {
    return (
      <Card title={title}>
        <Loading lines={1} />
      </Card>
    );
  }
  if (mails.isError) {
    return (
      <Card title={title}>
        <Failure problem={mails.error} onRetry={mails.refetch} />
      </Card>
    );
  }
  if (mails.data.length === 0) return <Card title={title} lead="No unsent emails." />;
  return (
    <Card title={title} lead="Not sent yet. Each link works once: give it only to the person it is for.">
      <ul className={styles.list}>
        {mails.data.map((mail) => (
          <MailRow key={mail.id} mail={mail} />
        ))}
      </ul>
    </Card>
  );
}

function MailRow({ mail }: { readonly mail: WaitingMail }) {
  const { words, face } = stateOf(mail);
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <div className={styles.whom}>
          <span className={styles.email}>{mail.email}</span>
          <Chip>{kinds[mail.kind]}</Chip>
        </div>
        <span className={styles.meta}>
          <span className={face}>{words}</span> · <Expiry at={mail.expiresAt} />
        </span>
      </div>
      <CopyButton text={location.origin + mail.path} what={`link for ${mail.email}`} shown="link" />
    </li>
  );
}

/** The same wording as `burgee outbox list`. */
function stateOf({ attempts, lastError, givenUpAt }: WaitingMail) {
  if (givenUpAt !== undefined) return { words: `Given up: ${lastError}`, face: styles.givenUp };
  if (lastError === undefined) return { words: 'Waiting', face: undefined };
  return { words: `Tried ${attempts === 1 ? 'once' : `${attempts} times`}: ${lastError}`, face: styles.failing };
}
