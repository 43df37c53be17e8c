import { FileText } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Button } from '../../ui/Button.tsx';
import styles from './KeyPanel.module.css';

interface Props {
  readonly file: File | undefined;
  /** Under the name of the file. */
  readonly about: ReactNode;
  readonly isBusy: boolean;
  /** A file is over the page: dropping it chooses it. */
  readonly isOver: boolean;
  readonly onChoose: (file: File) => void;
  readonly children?: ReactNode;
}

/** The chosen file, and a button to choose one. */
export function FileChoice({ file, about, isBusy, isOver, onChoose, children }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className={isOver ? `${styles.drop} ${styles.over}` : styles.drop}>
      <FileText size={18} strokeWidth={1.5} aria-hidden />
      <div className={styles.file}>
        <span className={file && styles.fileName}>{file?.name ?? 'Drop a file anywhere on this page'}</span>
        <p className={styles.quiet}>{about}</p>
      </div>
      {children}
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.txt,text/csv,text/plain"
        aria-label="File"
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          if (chosen) onChoose(chosen);
          target.value = '';
        }}
      />
      <Button isBusy={isBusy} onClick={() => input.current?.click()}>
        {file === undefined ? 'Choose file' : 'Choose another'}
      </Button>
    </div>
  );
}

export function sizeInWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
