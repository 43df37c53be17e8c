/** What a targeting refers to. Stored beside it, so that uses of an object are found without reading definitions. */
import { dependenciesOf, maxDependencies, segmentsOf, type Targeting } from './definition.ts';

/** Other kinds of segments and flag sets will be stored the same way. */
export type ReferenceKind = 'flag' | 'segment';

export interface DefinitionReference {
  readonly kind: ReferenceKind;
  readonly name: string;
}

/** Segments need not exist, so only this limits how many rows a definition adds. */
const maxSegments = 1_000;

export const referencesOf = (targeting: Targeting): DefinitionReference[] => [
  ...dependenciesOf(targeting).slice(0, maxDependencies).map(referenceTo('flag')),
  ...segmentsOf(targeting).slice(0, maxSegments).map(referenceTo('segment')),
];

const referenceTo =
  (kind: ReferenceKind) =>
  (name: string): DefinitionReference => ({ kind, name });
