import styles from './KeyHint.module.css';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const faces: Readonly<Record<string, string>> = {
  mod: isApple ? '⌘' : 'Ctrl',
  enter: 'Enter',
  escape: 'Esc',
  arrowup: '↑',
  arrowdown: '↓',
};

/** The keys of a shortcut: `mod+k` is Ctrl K, or ⌘ K on Apple devices. */
export const KeyHint = ({ keys }: { readonly keys: string }) => (
  <kbd className={styles.keys}>
    {keys
      .split('+')
      .map((key) => faces[key] ?? key.toUpperCase())
      .join(' ')}
  </kbd>
);
