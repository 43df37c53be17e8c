import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { usePageActions } from '../state/page-actions.ts';
import { KeyHint } from '../ui/KeyHint.tsx';
import styles from './SearchField.module.css';

const pauseMs = 200;

interface Props {
  readonly label: string;
  /** The current search text, from the address. */
  readonly value: string;
  /** Called after a pause in typing. */
  readonly onSearch: (text: string) => void;
}

/** Filters the list below. The / key focuses it. */
export function SearchField({ label, value, onSearch }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  usePageActions([{ label, keys: '/', isMove: true, run: () => input.current?.focus() }]);
  // The address may change without typing: through a link, the back button or "Clear filters".
  // A change caused by typing is already shown, and typing may have continued.
  const reported = useRef(value);
  useEffect(() => {
    if (value !== reported.current) setText(value);
    reported.current = value;
  }, [value]);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => {
      reported.current = text.trim();
      latest.current(reported.current);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <div className={styles.search}>
      <Search size={14} aria-hidden />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && input.current?.blur()}
      />
      {text === '' && <KeyHint keys="/" />}
    </div>
  );
}
