/** Project access. It is saved as a whole, so edits are merged with what others saved meanwhile. */
import type { Restriction } from '#domain/restrictions.ts';
import type { Edits } from '../../state/edits.ts';

export interface Access {
  readonly isRestricted: boolean;
  /** Group, user and API key ids, without the administrators, who always have access. */
  readonly viewers: readonly string[];
}

export const accessOf = (restriction: Restriction, administratorsId: string): Access => ({
  isRestricted: restriction.operations.view,
  viewers: restriction.resourcePermissions.view.map(({ id }) => id).filter((id) => id !== administratorsId),
});

/** Applies the user's additions and removals to the current list. */
export function accessWith(saved: Access, { isRestricted, viewers }: Edits<Access>): Access {
  const { from, to } = viewers ?? { from: [], to: [] };
  const kept = saved.viewers.filter((id) => to.includes(id) || !from.includes(id));
  return {
    isRestricted: isRestricted?.to ?? saved.isRestricted,
    viewers: [...kept, ...to.filter((id) => !from.includes(id) && !kept.includes(id))],
  };
}
