import { useState } from 'react';
import { SdkChooser } from './SdkChooser.tsx';
import { Snippet } from './Snippet.tsx';
import { sdksFor } from './snippets.ts';

interface Props {
  readonly keyType: 'server_side' | 'client_side';
  /** Undefined if it cannot be shown: Burgee stores only its hash. */
  readonly keyText?: string | undefined;
}

/** The code for a key, in a dialog: for production, unlike that of Getting started. */
export function SdkCode({ keyType, keyText }: Props) {
  const offered = sdksFor(keyType);
  const [sdk, setSdk] = useState(offered[0] ?? 'node');
  return (
    <>
      <SdkChooser offered={offered} chosen={sdk} onChoose={setSdk} />
      <Snippet sdk={sdk} keyText={keyText} flag="your_flag" isTrial={false} />
    </>
  );
}
