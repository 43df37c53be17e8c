import type { Changeset } from '#domain/changesets.ts';
import { stateWords } from '../../changesets/changesets-query.ts';
import { hasBegun, phaseOf } from '../../changesets/schedule-words.ts';
import { Chip } from '../../ui/Chip.tsx';

type Shown = Pick<Changeset, 'status' | 'schedule' | 'reason'>;

/** Lists leave the schedule out. */
export function StateChip({ changeset }: { readonly changeset: Shown }) {
  const { label, ...look } = stateWords[changeset.status];
  return <Chip {...look}>{rampWord(changeset) ?? label}</Chip>;
}

function rampWord(changeset: Shown): string | undefined {
  // Only a ramp that was ended on its way has a reason then: how far it came.
  if (changeset.status === 'WITHDRAWN') return changeset.reason;
  const phase = phaseOf(changeset);
  if (phase === 'paused') return 'Paused';
  if (phase === 'held') return 'Holds';
  return phase === 'waiting' && hasBegun(changeset) ? 'Ramping' : undefined;
}
