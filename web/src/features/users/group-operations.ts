import type { Operation } from '#domain/json-patch.ts';

/** Only what differs, so that what somebody else does to the other groups meanwhile is kept. */
export function groupOperations(before: readonly string[], after: readonly string[]): Operation[] {
  return [
    ...after
      .filter((id) => !before.includes(id))
      .map((id): Operation => ({ op: 'add', path: '/groups/-', value: { id, type: 'group' } })),
    ...before.filter((id) => !after.includes(id)).map((id): Operation => ({ op: 'remove', path: `/groups/${id}` })),
  ];
}
