import type { ChangesetState } from '#domain/changesets.ts';
import { Chip } from '../../ui/Chip.tsx';
import { stateWords } from './changesets-query.ts';

export function StateChip({ state }: { readonly state: ChangesetState }) {
  const { word, ...look } = stateWords[state];
  return <Chip {...look}>{word}</Chip>;
}
