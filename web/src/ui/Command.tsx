import styles from './Command.module.css';
import { CopyButton } from './CopyButton.tsx';

/** A shell command on one line. */
export const Command = ({ text }: { readonly text: string }) => (
  <div className={styles.command}>
    <code>{text}</code>
    <CopyButton text={text} what="command" face="icon" />
  </div>
);

/** A shell command on several lines. */
export const LongCommand = ({ text }: { readonly text: string }) => (
  <div className={styles.block}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
    <pre className={styles.code} tabIndex={0}>
      <code>{text}</code>
    </pre>
    <div className={styles.copy}>
      <CopyButton text={text} what="the command" />
    </div>
  </div>
);
