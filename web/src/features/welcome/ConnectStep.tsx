import { useMutation } from '@tanstack/react-query';
import { ChevronDown, KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { createApiKey } from '#contract/api-keys.ts';
import type { Project } from '#domain/projects.ts';
import { type ConnectedSdk, isConnected, type SdkAnswer } from '#domain/sdks.ts';
import { askSentence, useAdministrators } from '../../kit/Denied.tsx';
import { explain } from '../../kit/explain.ts';
import { answersFor, isOverHttp, isPolling, type LiveSdks, sdkInWords, useSdks } from '../../sdks/connected.ts';
import { SdkChooser } from '../../sdks/SdkChooser.tsx';
import { Snippet } from '../../sdks/Snippet.tsx';
import { sdkIds, sdks } from '../../sdks/snippets.ts';
import { type Answer, call } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import type { Environment } from '../../server/project.ts';
import { useMay } from '../../server/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { ConnectionLine } from './ConnectionLine.tsx';
import styles from './ConnectStep.module.css';
import type { DefinitionAnswer, Start } from './progress.ts';
import { Step } from './Step.tsx';
import { clockTime } from './times.ts';
import { Waiting } from './Waiting.tsx';
import { useWelcomeSearch } from './welcome-search.ts';

type CreatedKey = Answer<typeof createApiKey>;

export interface Connection {
  /** Undefined while loading. */
  readonly live: LiveSdks | undefined;
  /** The SDK that this page waits for: with the key that was created here, or else any. */
  readonly sdk: ConnectedSdk | undefined;
  /** Its answers for the flag, newest first. */
  readonly answers: readonly SdkAnswer[];
  readonly firstAnswer: SdkAnswer | undefined;
  readonly hasAnswered: boolean;
  /** Created on this page, by key type. Only in memory. */
  readonly created: Partial<Record<'server_side' | 'client_side', CreatedKey>>;
  readonly keep: (key: CreatedKey) => void;
}

interface Known extends Pick<Connection, 'created' | 'firstAnswer'> {
  readonly environmentId: string | undefined;
  readonly flag: string | undefined;
}

const nothing: Known = { environmentId: undefined, flag: undefined, created: {}, firstAnswer: undefined };

const everyMs = 1_000;

export function useConnection({ project, environment }: Start, definition: DefinitionAnswer | undefined): Connection {
  const [known, setKnown] = useState<Known>(nothing);
  // Keys belong to one environment, answers also to one flag.
  if (known.environmentId !== environment?.id) {
    setKnown({ ...nothing, environmentId: environment?.id, flag: definition?.id });
  } else if (known.flag !== definition?.id) setKnown({ ...known, flag: definition?.id, firstAnswer: undefined });
  const { created, firstAnswer } = known;
  const place = definition && environment && { project: project.id, environment: environment.id };
  const live = useSdks(place, everyMs);
  const ids = Object.values(created).map(({ id }) => id);
  const answers = definition ? answersFor(live?.answers ?? [], definition) : [];
  const sdk = live?.sdks.find(
    (one) =>
      (ids.length === 0 || (one.key && ids.includes(one.key.id))) &&
      // An evaluation over HTTP is about one flag.
      (!isOverHttp(one) || answers.length > 0),
  );
  // The list is short, so the first one leaves it.
  const oldest = sdk && answers.at(-1);
  useEffect(() => {
    if (oldest) setKnown((before) => ({ ...before, firstAnswer: before.firstAnswer ?? oldest }));
  }, [oldest]);
  return {
    live,
    sdk,
    answers,
    firstAnswer,
    created,
    hasAnswered: sdk !== undefined && firstAnswer !== undefined,
    keep: (key) => setKnown((before) => ({ ...before, created: { ...before.created, [key.apiKeyType]: key } })),
  };
}

interface Props {
  readonly connection: Connection;
  readonly definition: DefinitionAnswer;
  readonly project: Project;
  readonly environment: Environment;
  readonly environments: readonly Environment[];
}

/** Creates a key, shows the code, and waits for the application. */
export function ConnectStep(props: Props) {
  const { sdk, live, firstAnswer } = props.connection;
  const [isOpen, setOpen] = useState(false);
  return (
    <Step
      number={3}
      title="Connect your application"
      about="Choose an SDK, run the snippet, and watch it arrive here."
      done={sdk && live && connectedInWords(sdk, live.serverTime)}
      isLost={sdk && live && !isConnected(sdk, live.serverTime)}
      isCurrent={!sdk}
      action={
        sdk ? (
          <Button look="quiet" size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide the snippet' : 'Show the snippet'}
            <ChevronDown size={14} aria-hidden />
          </Button>
        ) : (
          <Chip kind="accent" mark="ring">
            Waiting
          </Chip>
        )
      }
    >
      {sdk && live && <ConnectionLine sdk={sdk} live={live} firstAnswer={firstAnswer} />}
      {(!sdk || isOpen) && <HowTo {...props} />}
      {!sdk && <Waiting key={props.environment.id} {...props} />}
    </Step>
  );
}

function connectedInWords(sdk: ConnectedSdk, serverTime: number): string {
  if (!isConnected(sdk, serverTime))
    return `Disconnected: ${sdkInWords(sdk)}, last seen at ${clockTime(sdk.lastSeenAt)}`;
  if (isOverHttp(sdk)) return 'Connected: evaluation over HTTP';
  if (isPolling(sdk, serverTime)) return 'Connected, without streaming. Changes arrive within 60 s.';
  const { readyMilliseconds: ready } = sdk;
  return `Connected: ${sdkInWords(sdk)}${ready === undefined ? '' : `, ready in ${ready.toLocaleString('en')} ms`}`;
}

/** The SDK, its key and its code. */
function HowTo({ connection, definition, project, environment, environments }: Props) {
  const { sdk, change } = useWelcomeSearch();
  const { keyType } = sdks[sdk];
  const created = connection.created[keyType];
  const word = keyType === 'server_side' ? 'Server-side' : 'Client-side';
  return (
    <>
      <SdkChooser offered={sdkIds} chosen={sdk} onChoose={(id) => change({ sdk: id })} />
      <div className={styles.part}>
        <div className={styles.head}>
          <h3 className={styles.title}>SDK key</h3>
          <span className={styles.place}>
            {word}, {environment.name} only.{' '}
            {environments.length > 1 && (
              <Menu
                label="Environment"
                trigger={(trigger) => (
                  <Button look="link" size="small" {...trigger}>
                    Use another environment
                  </Button>
                )}
              >
                {environments.map(({ id, name }) => (
                  <MenuItem key={id} checked={id === environment.id} onSelect={() => change({ env: name })}>
                    {name}
                  </MenuItem>
                ))}
              </Menu>
            )}
          </span>
        </div>
        {created ? (
          <div className={styles.key}>
            <KeyRound size={15} strokeWidth={1.75} aria-hidden />
            <code>{created.key}</code>
            <span className={styles.once}>Created just now. Shown once.</span>
            <CopyButton text={created.key} what="key" />
          </div>
        ) : (
          <NewKey {...{ keyType, project, environment }} onCreated={connection.keep} />
        )}
      </div>
      <Snippet sdk={sdk} keyText={created?.key} flag={definition.name} isTrial />
    </>
  );
}

interface NewKeyProps {
  readonly keyType: 'server_side' | 'client_side';
  readonly project: Project;
  readonly environment: Environment;
  readonly onCreated: (key: CreatedKey) => void;
}

function NewKey({ keyType, project, environment, onCreated }: NewKeyProps) {
  const may = useMay();
  const people = useAdministrators();
  const word = keyType === 'server_side' ? 'server-side' : 'client-side';
  const create = useMutation<CreatedKey, ApiProblem>({
    mutationFn: () =>
      call(createApiKey, {
        body: {
          name: `Getting started, ${word}`,
          apiKeyType: keyType,
          workspace: { id: project.id },
          environments: [{ id: environment.id }],
        },
      }),
    onSuccess: onCreated,
  });
  if (!may(createApiKey)) {
    return (
      <p className={styles.note}>
        Put a {word} key of {environment.name} into the code. Only administrators can create keys. {askSentence(people)}
      </p>
    );
  }
  return (
    <div className={styles.create}>
      <Button look="primary" isBusy={create.isPending} onClick={() => create.mutate()}>
        Create a {word} key
      </Button>
      <span className={styles.note}>Or put one that you have into the code.</span>
      {create.error && <Notice kind="danger">{explain(create.error)}</Notice>}
    </div>
  );
}
