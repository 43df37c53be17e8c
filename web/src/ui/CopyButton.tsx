import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import { copyText } from './copy-text.ts';

interface Props {
  readonly text: string;
  /** What is copied, for screen readers. */
  readonly what: string;
  /** Shown on the button: the start of `what`. */
  readonly shown?: string;
  readonly face?: 'word' | 'icon';
  readonly onCopied?: () => void;
}

export function CopyButton({ text, what, shown, face = 'word', onCopied }: Props) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const Icon = isCopied ? Check : Copy;
  const word = isCopied ? 'Copied' : 'Copy';
  return (
    <>
      <Button
        look={face === 'icon' ? 'quiet' : 'plain'}
        size={face === 'icon' ? 'icon' : 'small'}
        aria-label={`${word} ${what}`}
        onClick={() =>
          void copyText(text).then(() => {
            setCopied(true);
            onCopied?.();
          })
        }
      >
        <Icon size={14} strokeWidth={1.75} aria-hidden />
        {face === 'word' && (isCopied || shown === undefined ? word : `${word} ${shown}`)}
      </Button>
      <span className="sr" role="status">
        {isCopied && 'Copied'}
      </span>
    </>
  );
}
