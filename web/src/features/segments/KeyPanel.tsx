import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { listKeys, removeKeys, uploadKeyFile, uploadKeys } from '#contract/segments.ts';
import { maxKeys, maxKeysPerCall } from '#domain/segments.ts';
import { countOf } from '../../administration/count.ts';
import { proposedWords, usePropose } from '../../changesets/propose.ts';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/Failure.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useProject } from '../../server/project.ts';
import { toast, toastFailure } from '../../state/toasts.ts';
import { useLeaveWarning } from '../../state/use-leave-warning.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { type Place, presentKeysReading } from './all-keys.ts';
import { KeyInput, SourceTabs } from './KeyInput.tsx';
import styles from './KeyPanel.module.css';
import { KeyPreview } from './KeyPreview.tsx';
import { inCalls, toCsv } from './key-text.ts';
import type { KeysProps } from './StandardKeys.tsx';
import { useRefreshSegments } from './segments-query.ts';
import { useKeySource } from './use-key-source.ts';

interface Props extends KeysProps {
  readonly action: 'add' | 'remove';
  /** To others, instead of changing keys. */
  readonly isProposed: boolean;
  /** Dropped on the page: the latest one counts. */
  readonly dropped: File | undefined;
  readonly isOver: boolean;
  readonly onClose: () => void;
}

type Note = ReturnType<typeof noteOf>;

/**
 * Adds or removes keys that are typed, pasted, in a file or in another environment, or proposes to. Many keys take
 * several calls; a changeset takes the keys of one call.
 */
export function KeyPanel(props: Props) {
  const { segment, environment, usages, keyCount, action, isProposed, dropped, isOver, onClose } = props;
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  const project = useProject();
  const isRequired = project.requiresTitleAndComments;
  const refresh = useRefreshSegments();
  const { propose, open } = usePropose();
  const source = useKeySource(segment, dropped ? 'file' : 'paste');
  const { read, sourceName } = source;
  const params = { environment: environment.id, segment };
  const plan = usePlan(params, { keys: read.keys, action, isEmpty: keyCount === 0 });
  /** What is being sent; it stays the same while the segment changes. */
  const [sending, setSending] = useState<Sending>();
  const isStopped = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each dropped file
  useEffect(() => {
    if (!dropped) return;
    setSending(undefined);
    void source.choose(dropped);
    panel.current?.scrollIntoView({ block: 'nearest' });
  }, [dropped]);
  const changing = plan.changing ?? read.keys;
  const isTooLong = isProposed && changing.length > maxKeysPerCall;
  const wouldHave = keyCount + (isProposed ? Math.min(changing.length, maxKeysPerCall) : changing.length);
  const tooMany = action === 'add' && wouldHave > maxKeys;

  const proposeKeys = async ({ title, ...note }: Note) => {
    const keys = (await plan.decide()).slice(0, maxKeysPerCall);
    if (keys.length === 0) return undefined;
    const [kind, verb, to] =
      action === 'add' ? (['addKeys', 'Add', 'to'] as const) : (['removeKeys', 'Remove', 'from'] as const);
    const words = `${verb} ${countOf(keys.length, 'key')} ${to} ${segment}`;
    const operation = { segment, environment: environment.id, edit: { kind, keys } };
    return propose([operation], { ...note, title: title ?? words });
  };
  const sendPart = (part: readonly string[], note: Note): Promise<unknown> => {
    if (action === 'remove') return call(removeKeys, { params, query: note, body: { keys: [...part] } });
    // A file has one key per line, whatever is in quotes.
    const isFile = sourceName !== undefined && !part.some((key) => /[\r\n]/.test(key));
    if (!isFile) return call(uploadKeys, { params, query: note, body: { keys: [...part] } });
    const form = new FormData();
    form.append('file', new File([toCsv(part)], sourceName, { type: 'text/csv' }));
    return call(uploadKeyFile, { params, query: note, body: form });
  };
  const sendKeys = async (note: Note) => {
    isStopped.current = false;
    // After a failure or a stop, only the rest.
    let now: Sending = sending ?? { keys: await plan.decide(), done: 0, startedAt: performance.now() };
    setSending(now);
    for (const part of inCalls(now.keys.slice(now.done))) {
      if (isStopped.current) break;
      await sendPart(part, note);
      now = { ...now, done: now.done + part.length };
      setSending(now);
    }
    const { totalCount } = await call(listKeys, { params, query: { limit: 1 } });
    return { ...now, totalCount, note };
  };
  const check = (): string | undefined => {
    if (read.keys.length === 0)
      return {
        paste: 'Enter at least one key.',
        file: 'Choose a file with keys.',
        copy: 'Choose an environment with keys.',
      }[source.kind];
    return undefined;
  };
  const { form, errors, problem, isSending } = useForm({
    rules: { keys: { check }, ...noteRules(isRequired) },
    send: async (values) =>
      isProposed ? { proposed: await proposeKeys(noteOf(values)) } : { sent: await sendKeys(noteOf(values)) },
    onDone: async ({ proposed, sent }) => {
      if (proposed) return open(proposed, proposedWords(proposed));
      if (!sent || sent.keys.length === 0) {
        setSending(undefined);
        toast(action === 'add' ? 'All of these keys are already there.' : 'None of these keys is in the segment.');
        return;
      }
      const { keys, done, totalCount, note } = sent;
      const verb = action === 'add' ? 'added to' : 'removed from';
      const words = `${countOf(done, 'key')} ${verb} ${environment.name}, which has ${countOf(totalCount, 'key')} now.`;
      if (done === keys.length) onClose();
      const undo = { label: 'Undo', run: () => void undoKeys(keys.slice(0, done), note) };
      toast(done === keys.length ? words : `Stopped: ${words}`, undo);
      await refresh();
    },
    onProblem: () => {
      void refresh();
      return false;
    },
  });
  useLeaveWarning(isSending);

  const undoKeys = async (keys: readonly string[], note: Note): Promise<void> => {
    const title = note.title === undefined ? undefined : `Undo: ${note.title}`.slice(0, 200);
    const send = (part: string[]) =>
      call(action === 'add' ? removeKeys : uploadKeys, { params, query: { ...note, title }, body: { keys: part } });
    try {
      for (const part of inCalls(keys)) await send(part);
      toast(`Undone: ${countOf(keys.length, 'key')} in ${environment.name}.`);
    } catch (error) {
      toastFailure(`Not all keys could be changed back. ${explain(error as ApiProblem)}`);
    }
    await refresh();
  };
  /** Another source is another plan. */
  const restart = () => setSending(undefined);
  const title = `${titles[isProposed ? 'propose' : 'do'][action]} ${environment.name}`;
  const isPartly = sending !== undefined && !isSending && sending.done > 0;
  return (
    <section ref={panel} className={styles.panel} aria-labelledby={id}>
      <header className={styles.head}>
        <h3 id={id}>{title}</h3>
        <Button look="quiet" size="icon" aria-label="Close" isBusy={isSending} onClick={onClose}>
          <X size={16} aria-hidden />
        </Button>
      </header>
      <form {...form}>
        <div className={styles.body}>
          <SourceTabs
            source={source}
            hasCopy={action === 'add'}
            isBusy={isSending}
            onSelect={(kind) => {
              restart();
              source.setKind(kind);
            }}
          />
          <KeyInput
            source={source}
            environment={environment}
            usages={usages}
            isBusy={isSending}
            isOver={isOver}
            error={errors.keys}
            onChange={restart}
          />
          {(read.keys.length > 0 || read.invalid.length > 0) && (
            <KeyPreview
              action={action}
              counts={
                sending
                  ? { changing: sending.keys.length, same: read.keys.length - sending.keys.length }
                  : plan.changing && { changing: plan.changing.length, same: read.keys.length - plan.changing.length }
              }
              total={read.keys.length}
              repeated={read.repeated}
              invalid={read.invalid}
            />
          )}
          {plan.error && !sending && (
            <Notice kind="plain">
              Could not check which keys are there already. {explain(plan.error)}{' '}
              {!isTooLong && 'All of them will be sent.'}
            </Notice>
          )}
          {isTooLong && (
            <Notice kind="plain">
              A changeset takes at most {countOf(maxKeysPerCall, 'key')}, so this proposes the first of them. When it is
              applied, choose the same keys again: those that are left are proposed next.
            </Notice>
          )}
          {tooMany && !sending && (
            <Notice kind="danger">
              {environment.name} would have {countOf(wouldHave, 'key')}; the limit of a standard segment is{' '}
              {maxKeys.toLocaleString('en')}.{' '}
              <TextLink to="/p/$project/segments" params={{ project: project.name }} search={{ new: '' }}>
                Create a large segment
              </TextLink>{' '}
              for more.
            </Notice>
          )}
          <div className={styles.notes}>
            <NoteFields isRequired={isRequired} errors={errors} />
          </div>
          {problem && (
            <>
              {sending && sending.done > 0 && (
                <Notice kind="plain">
                  {sending.done.toLocaleString('en')} of {countOf(sending.keys.length, 'key')}{' '}
                  {action === 'add' ? 'were added' : 'were removed'}. Try again sends the rest.
                </Notice>
              )}
              <Failure problem={problem} />
            </>
          )}
        </div>
        <footer className={`${styles.foot} ${environment.production ? styles.production : ''}`}>
          {sending && (isSending || sending.done > 0) && (
            <Progress sending={sending} isSending={isSending} action={action} />
          )}
          {isSending && !isProposed && (
            <Button
              onClick={() => {
                isStopped.current = true;
              }}
            >
              Stop
            </Button>
          )}
          <Button type="submit" look={action === 'add' || isProposed ? 'primary' : 'danger-fill'} isBusy={isSending}>
            {isPartly ? (problem ? 'Try again' : `${action === 'add' ? 'Add' : 'Remove'} the rest`) : title}
          </Button>
        </footer>
      </form>
    </section>
  );
}

const titles = {
  do: { add: 'Add keys to', remove: 'Remove keys from' },
  propose: { add: 'Propose keys for', remove: 'Propose to remove keys from' },
} as const;

interface Sending {
  readonly keys: readonly string[];
  readonly done: number;
  readonly startedAt: number;
}

interface ProgressProps {
  readonly sending: Sending;
  readonly isSending: boolean;
  readonly action: 'add' | 'remove';
}

function Progress({ sending: { keys, done, startedAt }, isSending, action }: ProgressProps) {
  const perKey = done === 0 ? undefined : (performance.now() - startedAt) / done;
  const seconds = perKey === undefined ? undefined : Math.ceil((perKey * (keys.length - done)) / 1_000);
  return (
    <div className={styles.progress}>
      <div className={styles.progressWords}>
        <span className="num" role="status">
          <b>
            {done.toLocaleString('en')} of {keys.length.toLocaleString('en')}
          </b>{' '}
          {keys.length === 1 ? 'key' : 'keys'} {action === 'add' ? 'added' : 'removed'}
        </span>
        {isSending && seconds !== undefined && seconds > 0 && (
          <span className={styles.quiet}>about {countOf(seconds, 'second')} left</span>
        )}
      </div>
      <progress value={done} max={keys.length} aria-label={action === 'add' ? 'Keys added' : 'Keys removed'} />
    </div>
  );
}

interface Asked {
  readonly keys: readonly string[];
  readonly action: 'add' | 'remove';
  /** The segment has no keys, so there is nothing to compare with. */
  readonly isEmpty: boolean;
}

/** The keys that would change something: new ones when adding, existing ones when removing. */
function usePlan(place: Place, { keys, action, isEmpty }: Asked) {
  const client = useQueryClient();
  const reading = presentKeysReading(client, place, keys);
  const { data, error } = useQuery({ ...reading, enabled: keys.length > 0 && !isEmpty });
  const isAdding = action === 'add';
  const changingOf = (present: readonly string[]) => {
    const there = new Set(present);
    return keys.filter((key) => there.has(key) !== isAdding);
  };
  const present = isEmpty ? nothing : data;
  // biome-ignore lint/correctness/useExhaustiveDependencies: changingOf depends only on these
  const changing = useMemo(() => present && changingOf(present), [keys, isAdding, present]);
  return {
    /** Undefined while that is not known. */
    changing,
    error,
    /** Waits for the answer. If it cannot be had, all keys are sent. */
    decide: async () => changing ?? (await client.ensureQueryData(reading).then(changingOf, () => keys)),
  };
}

const nothing: readonly string[] = [];
