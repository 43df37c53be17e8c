import type { Changeset } from '#domain/changesets.ts';
import { stateWords } from '../../changesets/changesets-query.ts';
import { hasBegun, phaseOf } from '../../changesets/schedule-words.ts';
import { Chip } from '../../ui/Chip.tsx';

/** Lists leave the schedule out. */
export function StateChip({ changeset }: { readonly changeset: Pick<Changeset, 'status' | 'schedule'> }) {
  const { word, ...look } = stateWords[changeset.status];
  return <Chip {...look}>{rampWord(changeset) ?? word}</Chip>;
}

function rampWord(changeset: Pick<Changeset, 'status' | 'schedule'>): string | undefined {
  const phase = phaseOf(changeset);
  if (phase === 'paused') return 'Paused';
  if (phase === 'held') return 'Holds';
  return phase === 'waiting' && hasBegun(changeset) ? 'Ramping' : undefined;
}
