import type { ChangesetState } from '#domain/changesets.ts';
import { stateWords } from '../../changesets/changesets-query.ts';
import { Chip } from '../../ui/Chip.tsx';

export function StateChip({ state }: { readonly state: ChangesetState }) {
  const { word, ...look } = stateWords[state];
  return <Chip {...look}>{word}</Chip>;
}
