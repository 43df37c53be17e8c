import type { DriftKind } from '#domain/drift.ts';

const kindWords: Readonly<Record<DriftKind, string>> = {
  killed: 'killed',
  defined: 'defined in some',
  targeting: 'rules or targets',
  share: 'share',
};

/** What differs in any of several environments: "Killed, share". */
export const kindsInWords = (kinds: readonly DriftKind[]): string =>
  capitalised(kinds.map((kind) => kindWords[kind]).join(', '));

export const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
