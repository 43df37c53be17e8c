import styles from './CodeBlock.module.css';
import { CopyButton } from './CopyButton.tsx';

interface Props {
  readonly text: string;
  readonly what: string;
}

/** Several lines to paste elsewhere. */
export const CodeBlock = ({ text, what }: Props) => (
  <div className={styles.block}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <pre className={styles.code} tabIndex={0}>
      <code>{text}</code>
    </pre>
    <div className={styles.copy}>
      <CopyButton text={text} what={what} />
    </div>
  </div>
);
