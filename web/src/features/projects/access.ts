/** Who may see a project, and how an edit of it keeps what others do meanwhile: it is saved as a whole. */
import type { Restriction } from '#domain/restrictions.ts';
import type { Edits } from '../../state/edits.ts';

export interface Access {
  readonly isRestricted: boolean;
  /** Ids of groups, people and API keys, without the administrators, who are always there. */
  readonly viewers: readonly string[];
}

export const accessOf = (restriction: Restriction, administratorsId: string): Access => ({
  isRestricted: restriction.operations.view,
  viewers: restriction.resourcePermissions.view.map(({ id }) => id).filter((id) => id !== administratorsId),
});

/** What was added and removed, added to and removed from what is saved now. */
export function accessWith(saved: Access, { isRestricted, viewers }: Edits<Access>): Access {
  const { from, to } = viewers ?? { from: [], to: [] };
  const kept = saved.viewers.filter((id) => to.includes(id) || !from.includes(id));
  return {
    isRestricted: isRestricted?.to ?? saved.isRestricted,
    viewers: [...kept, ...to.filter((id) => !from.includes(id) && !kept.includes(id))],
  };
}
