import type { ReactNode } from 'react';
import { Command } from '../ui/Command.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import styles from './Snippet.module.css';
import { type SdkId, sdks } from './snippets.ts';

interface Props {
  readonly sdk: SdkId;
  /** Undefined if it cannot be shown: Burgee stores only its hash. */
  readonly keyText: string | undefined;
  readonly flag: string;
  readonly isTrial: boolean;
}

/** Until the reader puts their own key in. */
const placeholder = 'YOUR_SDK_KEY';
const user = 'user-4717';

/** How to install an SDK and check a flag with it. */
export function Snippet({ sdk, keyText = placeholder, flag, isTrial }: Props) {
  const { install, file, run, code } = sdks[sdk];
  const text = code({ url: location.origin, key: keyText, flag, user, isTrial });
  return (
    <>
      {install && (
        <div className={styles.part}>
          <h3 className={styles.title}>1. Install</h3>
          <Command text={install} />
        </div>
      )}
      <div className={styles.part}>
        <h3 className={styles.title}>
          {install ? '2. ' : ''}
          {sdk === 'curl' ? (
            'Run in a terminal'
          ) : (
            <>
              Save as <code>{file}</code>
              {run && (
                <>
                  {' '}
                  and run <code>{run}</code>
                </>
              )}
            </>
          )}
        </h3>
        <div className={styles.box}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
          <pre className={styles.code} tabIndex={0}>
            <code>{coloured(text.trimEnd(), keyText)}</code>
          </pre>
          <div className={styles.copy}>
            <CopyButton text={text} what="code" />
          </div>
        </div>
      </div>
    </>
  );
}

/** The key and comments stand out. */
const coloured = (text: string, keyText: string): ReactNode[] =>
  text.split(/(?<=\n)/).map((line, index) => {
    // Lines have no identity of their own, and never move.
    const id = `${index} ${line}`;
    if (/^\s*(\/\/|#) /.test(line)) {
      return (
        <span key={id} className={styles.comment}>
          {line}
        </span>
      );
    }
    const [before, after] = line.split(keyText);
    if (after === undefined) return line;
    return (
      <span key={id}>
        {before}
        <span className={styles.key}>{keyText}</span>
        {after}
      </span>
    );
  });
