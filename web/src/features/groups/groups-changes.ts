/** Changes to groups and their members, and which queries they invalidate. */
import { useQueryClient } from '@tanstack/react-query';
import { listChanges } from '#contract/changes.ts';
import { getGroup, listGroups } from '#contract/groups.ts';
import { getProjectAccess } from '#contract/restrictions.ts';
import { explainAccess, listGrantedRights } from '#contract/rights.ts';
import { getUser, listUsers, patchUser } from '#contract/users.ts';
import { administrators } from '#domain/groups.ts';
import type { GroupAnswer, UserAnswer } from '../../administration/whole-lists.ts';
import { sentence } from '../../kit/explain.ts';
import type { FieldRule } from '../../kit/form.ts';
import { call, keyOf } from '../../server/api.ts';
import { updateSession } from '../../server/session.ts';

/** Everything that shows groups or members, and the session, because the user's own groups may have changed. */
export function useRefreshGroups(): () => Promise<unknown> {
  const client = useQueryClient();
  const stale = [
    listGroups,
    getGroup,
    listUsers,
    getUser,
    listChanges,
    getProjectAccess,
    explainAccess,
    listGrantedRights,
  ];
  return () =>
    Promise.all([...stale.map((one) => client.invalidateQueries({ queryKey: keyOf(one) })), updateSession(client)]);
}

/** The group that cannot be renamed or deleted. */
export const isProtected = ({ name }: GroupAnswer): boolean => name === administrators.name;

export const isMember = ({ groups }: UserAnswer, groupId: string): boolean =>
  groups?.some(({ id }) => id === groupId) ?? false;

export const addMember = (groupId: string, user: string) =>
  call(patchUser, {
    params: { user },
    body: [{ op: 'add', path: '/groups/-', value: { id: groupId, type: 'group' } }],
  });

export const removeMember = (groupId: string, user: string) =>
  call(patchUser, { params: { user }, body: [{ op: 'remove', path: `/groups/${groupId}` }] });

export const groupNameRule: FieldRule = {
  check: (value) => (value.trim() === '' ? 'Enter a name.' : undefined),
  claim: (complaint, { status }) => {
    if (status === 409) return 'A group with this name already exists.';
    return complaint.startsWith('name ') ? sentence(complaint) : undefined;
  },
};
