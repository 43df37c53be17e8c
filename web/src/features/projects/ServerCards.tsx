import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { getServer, saveServerSettings, testMail } from '#contract/server.ts';
import { type MailTestResult, maxSessionDays, type ServerSettings, type ServerState } from '#domain/server.ts';
import { Fact, Facts } from '../../administration/Facts.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { Form } from '../../kit/Form.tsx';
import { useForm } from '../../kit/form.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { call, keyOf, reading } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useMe } from '../../server/session.ts';
import { type Edits, editsAfter } from '../../state/edits.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Field } from '../../ui/Field.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PlainButtonLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './ServerCards.module.css';
import { UnsentEmailsCard } from './UnsentEmailsCard.tsx';

/** How people sign in, and how the server is. */
export function ServerCards() {
  const server = useQuery({ ...reading(getServer), refetchInterval: 30_000 });
  return (
    <Loaded query={server}>
      {(state) => (
        <>
          <SignInCard settings={state.settings} />
          <MailCard state={state} />
          <UnsentEmailsCard />
          <BackupCard backups={state.backups} />
          <HealthCard state={state} />
        </>
      )}
    </Loaded>
  );
}

const wholeNumber = (most: number) => ({
  check: (value: string) =>
    /^[1-9]\d*$/.test(value) && Number(value) <= most ? undefined : `Enter a whole number from 1 to ${most}.`,
});

/** Unedited fields follow changes by others. */
function SignInCard({ settings }: { readonly settings: ServerSettings }) {
  const client = useQueryClient();
  const { user } = useMe();
  const [edited, setEdited] = useState<Edits<Record<keyof ServerSettings, string | boolean>>>({});
  const isRequired = Boolean(edited.twoFactorRequired?.to ?? settings.twoFactorRequired);
  const hours = String(edited.sessionIdleHours?.to ?? settings.sessionIdleHours);
  const days = String(edited.sessionDays?.to ?? settings.sessionDays);
  const isChanged =
    isRequired !== settings.twoFactorRequired ||
    hours !== String(settings.sessionIdleHours) ||
    days !== String(settings.sessionDays);
  const { form, errors, problem, isSending } = useForm({
    rules: { sessionIdleHours: wholeNumber(24 * maxSessionDays), sessionDays: wholeNumber(maxSessionDays) },
    send: async (values) => {
      const body = {
        twoFactorRequired: isRequired,
        sessionIdleHours: Number(values.sessionIdleHours),
        sessionDays: Number(values.sessionDays),
      };
      return { saved: await call(saveServerSettings, { body }), sent: edited };
    },
    onDone: async ({ sent }) => {
      await client.invalidateQueries({ queryKey: keyOf(getServer) });
      setEdited((now) => editsAfter(sent, now));
      toast('Saved.');
    },
  });
  const lacksOwn = !user['2fa'] && !settings.twoFactorRequired;
  return (
    <Card title="Signing in" lead="Applies to everyone, at once. API keys are not affected.">
      <Form
        {...form}
        problem={problem}
        actions={
          <>
            <Button type="submit" look="primary" isBusy={isSending} disabled={!isChanged}>
              Save
            </Button>
            {isChanged && (
              <Button look="quiet" onClick={() => setEdited({})}>
                Discard
              </Button>
            )}
          </>
        }
      >
        <Checkbox
          label="Require a second factor"
          hint={
            lacksOwn
              ? 'Set up your own first, on your account page.'
              : 'People without one set it up before they can do anything else.'
          }
          checked={isRequired}
          disabled={lacksOwn}
          onChange={({ target }) =>
            setEdited({ ...edited, twoFactorRequired: { from: isRequired, to: target.checked } })
          }
        />
        {lacksOwn && (
          <div>
            <PlainButtonLink to="/me">Set up your second factor</PlainButtonLink>
          </div>
        )}
        <div className={styles.pair}>
          <Field
            name="sessionIdleHours"
            label="Hours without use until sign-out"
            inputMode="numeric"
            value={hours}
            onChange={({ target }) =>
              setEdited({ ...edited, sessionIdleHours: { from: hours, to: target.value.trim() } })
            }
            error={errors.sessionIdleHours}
            autoComplete="off"
          />
          <Field
            name="sessionDays"
            label="Days until sign-out in any case"
            inputMode="numeric"
            value={days}
            onChange={({ target }) => setEdited({ ...edited, sessionDays: { from: days, to: target.value.trim() } })}
            error={errors.sessionDays}
            autoComplete="off"
          />
        </div>
      </Form>
    </Card>
  );
}

function MailCard({ state: { mail, outbox } }: { readonly state: ServerState }) {
  const test = useMutation<MailTestResult, ApiProblem>({ mutationFn: () => call(testMail, { body: {} }) });
  return (
    <Card
      title="Mail"
      aside={mail ? <Chip kind="ok">Set up</Chip> : <Chip>Not set up</Chip>}
      lead={
        mail ? undefined : 'Set SMTP_URL and MAIL_FROM. Until then, pass on the links under Unsent emails yourself.'
      }
    >
      <Facts>
        {mail && <Fact name="Server">{mail.host}</Fact>}
        {mail && <Fact name="From">{mail.from}</Fact>}
        <Fact name="Unsent">
          <span>
            {outbox.waiting + outbox.givenUp === 0 ? 'None' : waitingWords(outbox)}
            {outbox.waitingSince !== undefined && (
              <>
                , the oldest <Time at={outbox.waitingSince} />
              </>
            )}
          </span>
        </Fact>
      </Facts>
      {mail && (
        <div>
          <Button isBusy={test.isPending} onClick={() => test.mutate()}>
            Send a test mail to me
          </Button>
        </div>
      )}
      {test.error && <Failure problem={test.error} />}
      {test.data && (
        <Notice kind={test.data.accepted ? 'ok' : 'danger'}>
          {test.data.accepted ? `Sent to ${test.data.email}. The mail server said: ` : 'Not sent: '}
          <span className={styles.said}>{test.data.answer}</span>
        </Notice>
      )}
    </Card>
  );
}

const waitingWords = ({ waiting, givenUp }: ServerState['outbox']): string =>
  [waiting > 0 && `${waiting} waiting`, givenUp > 0 && `${givenUp} given up`].filter(Boolean).join(', ');

function BackupCard({ backups }: { readonly backups: ServerState['backups'] }) {
  if (!backups) {
    return (
      <Card
        title="Backups"
        aside={<Chip kind="warn">None</Chip>}
        lead="Set BACKUP_FOLDER, and the server makes one each night."
      />
    );
  }
  const { folder, dueAt, keep, lastAt, failedAt, error } = backups;
  return (
    <Card
      title="Backups"
      aside={failedAt === undefined ? <Chip kind="ok">Nightly</Chip> : <Chip kind="danger">Failed</Chip>}
    >
      {failedAt !== undefined && (
        <Notice kind="danger">
          Failed <Time at={failedAt} />, and is tried again every ten minutes:{' '}
          <span className={styles.said}>{error}</span>
        </Notice>
      )}
      <Facts>
        <Fact name="Last">{lastAt === undefined ? 'None yet' : <Time at={lastAt} />}</Fact>
        <Fact name="Folder">{folder}</Fact>
        <Fact name="When">{`Each day at ${dueAt} UTC; the last ${keep} are kept`}</Fact>
      </Facts>
    </Card>
  );
}

const systems = { sqlite: 'SQLite', postgresql: 'PostgreSQL' } as const;

function HealthCard({ state: { version, database, disks, nodes } }: { readonly state: ServerState }) {
  const versions = new Set(nodes.map((node) => node.version));
  return (
    <Card title="Health" aside={<Chip>{`Burgee ${version}`}</Chip>}>
      <Facts>
        <Fact name="Database">{`${systems[database.system]}, answered in ${database.milliseconds} ms`}</Fact>
        {disks.map((disk) => (
          <Fact key={disk.path} name="Disk">
            {`${sizeOf(disk.freeBytes)} of ${sizeOf(disk.totalBytes)} free at ${disk.path}`}
            {isScarce(disk) && <Scarce />}
          </Fact>
        ))}
        <Fact name={nodes.length === 1 ? 'Node' : 'Nodes'}>
          <ul className={styles.nodes}>
            {nodes.map((node) => (
              <li key={`${node.host} ${node.startedAt}`}>
                {node.host}
                {versions.size > 1 && ` (${node.version})`}, started <Time at={node.startedAt} />
              </li>
            ))}
          </ul>
        </Fact>
      </Facts>
      {versions.size > 1 && <Notice kind="plain">Nodes run different versions: update all of them.</Notice>}
    </Card>
  );
}

/** A full disk stops every change. */
const isScarce = ({ freeBytes, totalBytes }: ServerState['disks'][number]): boolean =>
  freeBytes < 1e9 || freeBytes < totalBytes / 20;

const Scarce = (): ReactNode => (
  <>
    {' '}
    <Chip kind="danger">Nearly full</Chip>
  </>
);

const sizeOf = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
