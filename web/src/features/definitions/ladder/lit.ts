/** The step that decides for the key being tried, which is highlighted. */
import { createContext, useContext } from 'react';
import type { Pin } from './Mixer.tsx';

export interface Lit {
  /** `targets`, `allocation`, `rule 0`, `defaultRule`; undefined while no key is tried. */
  readonly step: string | undefined;
  /** The key and its bucket, if a bucket decides. */
  readonly pin: Pin | undefined;
  /** A regular expression that timed out for the key. */
  readonly slowPattern: string | undefined;
}

export const nothingLit: Lit = { step: undefined, pin: undefined, slowPattern: undefined };

export const LitContext = createContext<Lit>(nothingLit);

export const useLit = (): Lit => useContext(LitContext);
