import styles from './Command.module.css';
import { CopyButton } from './CopyButton.tsx';

/** A shell command. */
export const Command = ({ text }: { readonly text: string }) => (
  <div className={styles.command}>
    <code>{text}</code>
    <CopyButton text={text} what="command" face="icon" />
  </div>
);
