import { Plus } from 'lucide-react';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Checkbox, Choices, Radio } from '../../ui/Checkbox.tsx';
import { Field } from '../../ui/Field.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import styles from './ImportPage.module.css';
import type { Source } from './source.ts';

const kinds = {
  split: { label: 'Split or Harness FME', hint: 'With an Admin API key, or a Harness token.' },
  burgee: { label: 'Another Burgee', hint: 'It exports its seeds, so no SDK keys are needed.' },
  file: { label: 'A file', hint: 'An export of Split, LaunchDarkly or Unleash, up to 4 MB of JSON.' },
} as const;
type Kind = keyof typeof kinds;

const vendor = 'https://api.split.io';
const maxFileBytes = 4_000_000;

interface Props {
  readonly before: Source | undefined;
  readonly isBusy: boolean;
  readonly problem: ReactNode;
  readonly onConnect: (source: Source) => void;
}

/** Asks where to read from. */
export function ConnectForm({ before, isBusy, problem, onConnect }: Props) {
  const [kind, setKind] = useState<Kind>(before?.kind ?? 'split');
  const [error, setError] = useState<string>();
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    if (kind === 'file') {
      const file = data.get('file') as File;
      if (file.size === 0) return setError('Choose a file.');
      if (file.size > maxFileBytes) return setError('The file has more than 4 MB. Use burgee import file.');
      if (text('project') === '') return setError('Enter the project to import into.');
      const source = { name: file.name, text: await file.text(), environment: text('environment') };
      return onConnect({ kind, ...source, project: text('project') });
    }
    if (text('adminKey') === '') return setError('Enter the Admin API key.');
    const names = data.getAll('environment').map((name) => String(name).trim());
    const keys = data.getAll('sdkKey').map((key) => String(key).trim());
    onConnect({
      kind,
      url: text('url'),
      adminKey: text('adminKey'),
      sdkKeys: Object.fromEntries(
        names.map((name, index) => [name, keys[index] ?? '']).filter(([name, key]) => name && key),
      ),
      project: text('from'),
      into: text('into'),
      invite: data.get('invite') === 'on',
    });
  };
  return (
    <Card
      title="Where from?"
      lead="Burgee reads the account and says what it would do. Nothing is written there, and nothing here before step 3."
    >
      <form className={styles.form} onSubmit={submit} onInput={() => setError(undefined)} noValidate>
        <Choices label="Source">
          {(Object.keys(kinds) as Kind[]).map((one) => (
            <Radio key={one} name="kind" {...kinds[one]} checked={kind === one} onChange={() => setKind(one)} />
          ))}
        </Choices>
        {kind === 'file' ? <FileFields before={before} /> : <AccountFields key={kind} kind={kind} before={before} />}
        {error !== undefined && (
          <p className={styles.error} role="alert">
            {error}
          </p>
        )}
        {problem}
        <div className={styles.actions}>
          <Button type="submit" look="primary" isBusy={isBusy}>
            Read and plan
          </Button>
          <span className={styles.quiet}>Keys stay in memory. They are not stored, and not logged.</span>
        </div>
      </form>
    </Card>
  );
}

function AccountFields({ kind, before }: { readonly kind: 'split' | 'burgee'; readonly before: Source | undefined }) {
  const known = before?.kind === kind ? before : undefined;
  const [rows, setRows] = useState(() => {
    const given = Object.entries(known?.sdkKeys ?? {});
    return given.length > 0 ? given : [['', ''] as [string, string]];
  });
  return (
    <>
      <Field
        name="url"
        label="Address"
        defaultValue={known?.url ?? (kind === 'split' ? vendor : '')}
        placeholder="https://flags.example.com"
        autoComplete="off"
      />
      <PasswordField
        name="adminKey"
        label="Admin API key"
        defaultValue={known?.adminKey}
        hint={
          kind === 'split' ? 'In Split: Admin settings, API keys. Type admin.' : 'An admin key with all permissions.'
        }
        autoComplete="off"
      />
      {kind === 'split' && (
        <fieldset className={styles.keys}>
          <legend>SDK keys, server-side</legend>
          <p className={styles.quiet}>
            One of each environment. They give access to the seeds, so that every user keeps their treatment. You can
            add missing ones in step 2.
          </p>
          {rows.map(([environment, key], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added at the end
            <div key={index} className={styles.pair}>
              <Field
                name="environment"
                label="Environment"
                defaultValue={environment}
                placeholder="Production"
                autoComplete="off"
              />
              <PasswordField name="sdkKey" label="SDK key" defaultValue={key} autoComplete="off" />
            </div>
          ))}
          <Button size="small" onClick={() => setRows([...rows, ['', '']])}>
            <Plus size={14} aria-hidden />
            Add an environment
          </Button>
        </fieldset>
      )}
      <div className={styles.pair}>
        <Field
          name="from"
          label="Only project"
          defaultValue={known?.project}
          placeholder="All projects"
          autoComplete="off"
        />
        <Field
          name="into"
          label="Into project"
          defaultValue={known?.into}
          placeholder="The same name"
          hint="A project that exists is merged into."
          autoComplete="off"
        />
      </div>
      <Checkbox
        name="invite"
        label="Send invitations to the people who are imported"
        hint="Otherwise they are pending, and nobody gets a mail."
        defaultChecked={known?.invite}
      />
    </>
  );
}

function FileFields({ before }: { readonly before: Source | undefined }) {
  const known = before?.kind === 'file' ? before : undefined;
  return (
    <>
      <Field name="file" type="file" label="File" accept=".json,application/json" />
      <div className={styles.pair}>
        <Field
          name="project"
          label="Into project"
          defaultValue={known?.project}
          placeholder="Checkout"
          autoComplete="off"
        />
        <Field
          name="environment"
          label="Environment"
          defaultValue={known?.environment}
          placeholder="Production"
          hint="Only for flags that do not say theirs: those of an SDK endpoint."
          autoComplete="off"
        />
      </div>
    </>
  );
}
