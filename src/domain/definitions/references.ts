/** What a targeting names outside of itself. Stored beside it, to find what uses a thing without reading definitions. */
import { dependenciesOf, maxDependencies, segmentsOf, type Targeting } from './definition.ts';

/** More kinds of segments and flag sets are stored in the same way once they exist. */
export type ReferenceKind = 'flag' | 'segment';

export interface DefinitionReference {
  readonly kind: ReferenceKind;
  readonly name: string;
}

/** Segments are accepted without existing, so nothing else limits how many rows a definition would take. */
const maxSegments = 1_000;

export const referencesOf = (targeting: Targeting): DefinitionReference[] => [
  ...dependenciesOf(targeting).slice(0, maxDependencies).map(referenceTo('flag')),
  ...segmentsOf(targeting).slice(0, maxSegments).map(referenceTo('segment')),
];

const referenceTo =
  (kind: ReferenceKind) =>
  (name: string): DefinitionReference => ({ kind, name });
