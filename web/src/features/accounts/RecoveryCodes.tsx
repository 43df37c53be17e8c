import { Download } from 'lucide-react';
import { saveFile } from '../../kit/save-file.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { useFocusOnOpen } from '../../ui/focus.ts';
import styles from './TwoFactor.module.css';

interface Props {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

/** Shown once, right after the second factor is turned on. */
export function RecoveryCodes({ codes, onDone }: Props) {
  const start = useFocusOnOpen<HTMLHeadingElement>();
  const text = `${codes.join('\n')}\n`;

  return (
    <div className={styles.recovery}>
      <div className={styles.step}>
        <h3 ref={start} tabIndex={-1} className={styles.heading}>
          Save your recovery codes
        </h3>
        <p>Each signs you in once when you do not have your phone. They are shown only once.</p>
      </div>
      <ol className={styles.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className={styles.actions}>
        <CopyButton text={text} what="recovery codes" />
        <Button
          size="small"
          aria-label="Download recovery codes"
          onClick={() =>
            saveFile('burgee-recovery-codes.txt', `Recovery codes for Burgee at ${location.host}\n\n${text}`)
          }
        >
          <Download size={14} strokeWidth={1.75} aria-hidden /> Download
        </Button>
        <Button size="small" look="primary" onClick={onDone}>
          I have saved them
        </Button>
      </div>
    </div>
  );
}
