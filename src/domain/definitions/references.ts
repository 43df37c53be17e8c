/** What a targeting refers to. Stored beside it, so that uses of an object are found without reading definitions. */
import { dependenciesOf, maxDependencies, segmentsOf, type Targeting } from './definition.ts';

/** A segment of any kind: a name exists once over all of them. */
export type ReferenceKind = 'flag' | 'segment' | 'flag_set';

export interface ObjectReference {
  readonly kind: ReferenceKind;
  /** Of a flag set, the id: that is what a targeting has. */
  readonly name: string;
}

/** Segments need not exist, so only this limits how many rows a definition adds. */
export const maxSegments = 1_000;

export const referencesOf = (targeting: Targeting): ObjectReference[] => [
  ...dependenciesOf(targeting).slice(0, maxDependencies).map(referenceTo('flag')),
  ...segmentsOf(targeting).slice(0, maxSegments).map(referenceTo('segment')),
  ...(targeting.flagSets ?? []).map(({ id }) => id).map(referenceTo('flag_set')),
];

const referenceTo =
  (kind: ReferenceKind) =>
  (name: string): ObjectReference => ({ kind, name });
