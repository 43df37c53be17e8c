import { X } from 'lucide-react';
import { type ClipboardEvent, Fragment, type KeyboardEvent, useState } from 'react';
import { SuggestInput } from '../ui/SuggestInput.tsx';
import type { WrongProps } from './MatcherEditor.tsx';
import styles from './TokensInput.module.css';
import { asOptions } from './use-attributes.ts';

interface Props {
  readonly label: string;
  readonly placeholder: string;
  /** Between values. */
  readonly joint: 'or' | 'and';
  readonly tokens: readonly string[];
  readonly wrong: WrongProps;
  readonly onChange: (tokens: string[]) => void;
  /** Suggestions. */
  readonly suggestions?: readonly string[];
}

/** Above this, values are edited as lines of text instead of tokens. */
const maxTokens = 60;

/** Chosen once, because switching the field while typing would lose the focus. */
export function TokensInput(props: Props) {
  const [isLong] = useState(props.tokens.length > maxTokens);
  return isLong ? <LinesInput {...props} /> : <FramesInput {...props} />;
}

/** One value per line. */
function LinesInput({ label, tokens, wrong, onChange }: Props) {
  const [text, setText] = useState<string>();
  const lines = (written: string) => [...new Set(written.split('\n').filter((line) => line.trim() !== ''))];
  const shown = text !== undefined && lines(text).join('\n') === tokens.join('\n') ? text : tokens.join('\n');
  return (
    <div className={styles.lines}>
      <textarea
        className={styles.area}
        aria-label={label}
        {...wrong}
        rows={8}
        spellCheck={false}
        autoCapitalize="off"
        value={shown}
        onChange={({ target }) => {
          setText(target.value);
          onChange(lines(target.value));
        }}
      />
      <span className={styles.count}>{tokens.length} values, one per line</span>
    </div>
  );
}

/** Several values. Enter or a comma adds one, Backspace removes the last, and each pasted line becomes one. */
function FramesInput({ label, placeholder, joint, tokens, wrong, onChange, suggestions = [] }: Props) {
  const [text, setText] = useState('');
  const add = (found: readonly string[]) => {
    const fresh = found.map((one) => one.trim()).filter((one) => one !== '');
    if (fresh.length > 0) onChange([...new Set([...tokens, ...fresh])]);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if ((event.key === 'Enter' && !event.ctrlKey && !event.metaKey) || event.key === ',') {
      event.preventDefault();
      add([text]);
    } else if (event.key === 'Backspace' && text === '' && tokens.length > 0) {
      onChange(tokens.slice(0, -1));
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const lines = event.clipboardData.getData('text').split(/\r?\n/);
    if (lines.length < 2) return;
    event.preventDefault();
    add([text + (lines[0] ?? ''), ...lines.slice(1)]);
  };
  return (
    <div className={wrong['aria-invalid'] ? `${styles.box} ${styles.wrong}` : styles.box}>
      {tokens.map((token, index) => (
        <Fragment key={token}>
          {index > 0 && <span className={styles.joint}>{joint}</span>}
          <span className={styles.token}>
            {token === '' ? '(empty)' : token}
            <button
              type="button"
              className={styles.remove}
              aria-label={`Remove ${token}`}
              onClick={() => onChange(tokens.filter((other) => other !== token))}
            >
              <X size={11} aria-hidden />
            </button>
          </span>
        </Fragment>
      ))}
      <SuggestInput
        className={styles.input}
        aria-label={label}
        placeholder={placeholder}
        {...wrong}
        suggestions={asOptions(suggestions.filter((one) => !tokens.includes(one)))}
        value={text}
        onText={setText}
        onChoose={({ label: chosen }) => add([chosen])}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={() => add([text])}
      />
    </div>
  );
}
