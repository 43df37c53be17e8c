import { FileText } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import styles from './KeyPanel.module.css';

interface Props {
  /** Of the chosen file. */
  readonly name: string | undefined;
  readonly about: string;
  readonly isBusy: boolean;
  /** Undefined if the choice is taken back. */
  readonly onChoose: (file: File | undefined) => void;
}

/** Takes a file by choosing or dropping it. */
export function FileChoice({ name, about, isBusy, onChoose }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same for the keyboard
    <div
      className={isOver ? `${styles.drop} ${styles.over}` : styles.drop}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!isBusy) onChoose(event.dataTransfer.files[0]);
      }}
    >
      <FileText size={18} strokeWidth={1.5} aria-hidden />
      <div className={styles.file}>
        {name ?? 'Drop a file here'}
        <p className={styles.quiet}>{about}</p>
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.txt,text/csv,text/plain"
        aria-label="File"
        onChange={({ target }) => {
          onChoose(target.files?.[0]);
          target.value = '';
        }}
      />
      {name !== undefined && (
        <Button look="quiet" isBusy={isBusy} onClick={() => onChoose(undefined)}>
          Remove file
        </Button>
      )}
      <Button isBusy={isBusy} onClick={() => input.current?.click()}>
        {name === undefined ? 'Choose file' : 'Choose another'}
      </Button>
    </div>
  );
}
