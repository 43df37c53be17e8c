/** The step of the ladder that decides about the key that is being tried: it is lit. */
import { createContext, useContext } from 'react';
import type { Pin } from './Mixer.tsx';

export interface Lit {
  /** `targets`, `allocation`, `rule 0`, `defaultRule`; undefined while no key is tried. */
  readonly step: string | undefined;
  /** The key and its bucket, where a bucket decides. */
  readonly pin: Pin | undefined;
  /** An expression that takes too long for the key. */
  readonly slowPattern: string | undefined;
}

export const nothingLit: Lit = { step: undefined, pin: undefined, slowPattern: undefined };

export const LitContext = createContext<Lit>(nothingLit);

export const useLit = (): Lit => useContext(LitContext);
