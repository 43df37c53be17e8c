import { X } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { listKeys, removeKeys, uploadKeyFile, uploadKeys } from '#contract/segments.ts';
import { maxKeys } from '#domain/segments.ts';
import { countOf } from '../../administration/count.ts';
import { Failure } from '../../kit/Failure.tsx';
import { useForm } from '../../kit/form.ts';
import { NoteFields, noteOf, noteRules } from '../../kit/NoteFields.tsx';
import { call } from '../../server/api.ts';
import { useProject } from '../../server/project.ts';
import { toast } from '../../state/toasts.ts';
import { useLeaveWarning } from '../../state/use-leave-warning.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { FileChoice } from './FileChoice.tsx';
import styles from './KeyPanel.module.css';
import { inCalls, type ReadKeys, readKeys, toCsv } from './key-text.ts';
import type { KeysProps } from './StandardKeys.tsx';
import { useRefreshSegments } from './segments-query.ts';

interface Props extends KeysProps {
  readonly action: 'add' | 'remove';
  readonly onClose: () => void;
}

/** More would be far beyond the limit of a standard segment. */
const maxFileBytes = 30_000_000;

/** Adds or removes keys that are typed, pasted or in a file. Many keys take several calls. */
export function KeyPanel({ segment, environment, keyCount, action, onClose }: Props) {
  const id = useId();
  const { requiresTitleAndComments: isRequired } = useProject();
  const refresh = useRefreshSegments();
  const [text, setText] = useState('');
  const [file, setFile] = useState<{ readonly name: string; readonly text: string }>();
  const [refusal, setRefusal] = useState<string>();
  const [sent, setSent] = useState(0);
  const isStopped = useRef(false);
  const read = file ? readKeys(file.text, 'file') : readKeys(text, 'paste');
  const { keys } = read;
  const params = { environment: environment.id, segment };
  const tooMany =
    action === 'add' && keys.length > maxKeys
      ? `A standard segment has at most ${maxKeys.toLocaleString('en')} keys in an environment. Use a large segment for more.`
      : undefined;

  const sendPart = (part: string[], note: ReturnType<typeof noteOf>): Promise<unknown> => {
    if (action === 'remove') return call(removeKeys, { params, query: note, body: { keys: part } });
    if (!file) return call(uploadKeys, { params, query: note, body: { keys: part } });
    const form = new FormData();
    form.append('file', new File([toCsv(part)], file.name, { type: 'text/csv' }));
    return call(uploadKeyFile, { params, query: note, body: form });
  };
  const { form, errors, problem, isSending } = useForm({
    rules: {
      keys: { check: () => (keys.length === 0 ? 'Enter at least one key, or choose a file.' : tooMany) },
      ...noteRules(isRequired),
    },
    send: async (values) => {
      isStopped.current = false;
      // After a failure, only the rest.
      let done = sent;
      for (const part of inCalls(keys.slice(sent))) {
        if (isStopped.current) break;
        await sendPart(part, noteOf(values));
        done += part.length;
        setSent(done);
      }
      const { totalCount } = await call(listKeys, { params, query: { limit: 1 } });
      return { done, totalCount };
    },
    onDone: async ({ done, totalCount }) => {
      const now = `${environment.name} has ${countOf(totalCount, 'key')} now.`;
      if (done === keys.length) onClose();
      toast(done === keys.length ? now : `Stopped after ${countOf(done, 'key')}. ${now}`);
      await refresh();
    },
  });
  useLeaveWarning(isSending);
  const change = (value: string) => {
    setText(value);
    setSent(0);
  };
  const choose = async (chosen: File | undefined) => {
    setSent(0);
    setRefusal(undefined);
    if (chosen && chosen.size > maxFileBytes) return setRefusal('The file is larger than 30 MB. Use a large segment.');
    setFile(chosen && { name: chosen.name, text: await chosen.text() });
  };
  const title = `${action === 'add' ? 'Add keys to' : 'Remove keys from'} ${environment.name}`;
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <header className={styles.head}>
        <h3 id={id}>{title}</h3>
        <Button look="quiet" size="icon" aria-label="Close" isBusy={isSending} onClick={onClose}>
          <X size={16} aria-hidden />
        </Button>
      </header>
      <form {...form}>
        <div className={styles.body}>
          {!file && (
            <TextArea
              name="keys"
              label="Keys"
              face="name"
              rows={5}
              value={text}
              onChange={({ target }) => change(target.value)}
              hint="One per line, or separated by commas."
              error={errors.keys}
              readOnly={isSending}
              autoCapitalize="none"
              spellCheck={false}
              autoFocus
            />
          )}
          <FileChoice
            name={file?.name}
            about="A CSV file without a header. The first column of each line is a key."
            isBusy={isSending}
            onChoose={(chosen) => void choose(chosen)}
          />
          {refusal !== undefined && <Notice kind="danger">{refusal}</Notice>}
          {file && errors.keys !== undefined && <Notice kind="danger">{errors.keys}</Notice>}
          {(keys.length > 0 || read.invalid.length > 0) && <Preview read={read} isFile={file !== undefined} />}
          {action === 'add' && keys.length + keyCount > maxKeys && keys.length <= maxKeys && (
            <Notice kind="plain">
              {environment.name} has {countOf(keyCount, 'key')}; the limit is {maxKeys.toLocaleString('en')}. If too
              many of these are new, the call is refused.
            </Notice>
          )}
          <NoteFields isRequired={isRequired} errors={errors} />
          {problem && <Failure problem={problem} />}
        </div>
        <footer className={`${styles.foot} ${environment.production ? styles.production : ''}`}>
          {(isSending || sent > 0) && (
            <div className={styles.progress}>
              <span className="num" role="status">
                {sent.toLocaleString('en')} of {countOf(keys.length, 'key')} sent
              </span>
              <progress value={sent} max={keys.length} aria-label="Keys sent" />
            </div>
          )}
          {isSending && keys.length > 10_000 && (
            <Button
              onClick={() => {
                isStopped.current = true;
              }}
            >
              Stop
            </Button>
          )}
          <Button type="submit" look={action === 'add' ? 'primary' : 'danger-fill'} isBusy={isSending}>
            {sent > 0 && !isSending ? 'Send the rest' : title}
          </Button>
        </footer>
      </form>
    </section>
  );
}

const shownInvalid = 5;

function Preview({ read: { keys, repeated, invalid }, isFile }: { readonly read: ReadKeys; readonly isFile: boolean }) {
  return (
    <>
      <div className={styles.counts} role="status">
        <p className={styles.count}>
          <b>{keys.length.toLocaleString('en')}</b> {keys.length === 1 ? 'key' : 'keys'}
        </p>
        <p className={styles.count}>
          <b>{repeated.toLocaleString('en')}</b> repeated
        </p>
        <p className={styles.count}>
          <b>{invalid.length.toLocaleString('en')}</b> invalid, skipped
        </p>
      </div>
      {isFile && keys.length > 0 && (
        <p className={styles.quiet}>
          Begins with <code>{keys.slice(0, 3).join(', ')}</code>
        </p>
      )}
      {invalid.length > 0 && (
        <ul className={styles.invalid} aria-label="Invalid lines">
          {invalid.slice(0, shownInvalid).map(({ line, text, why }) => (
            <li key={`${line} ${text}`}>
              <span className={styles.quiet}>Line {line.toLocaleString('en')}</span>
              <span className={styles.text}>{text}</span>
              <span className={styles.why}>{why}</span>
            </li>
          ))}
          {invalid.length > shownInvalid && <li className={styles.quiet}>and {invalid.length - shownInvalid} more</li>}
        </ul>
      )}
    </>
  );
}
