import type { Operation } from '#domain/json-patch.ts';

/** Only the differences, so that concurrent changes to other groups are kept. */
export function groupOperations(before: readonly string[], after: readonly string[]): Operation[] {
  return [
    ...after
      .filter((id) => !before.includes(id))
      .map((id): Operation => ({ op: 'add', path: '/groups/-', value: { id, type: 'group' } })),
    ...before.filter((id) => !after.includes(id)).map((id): Operation => ({ op: 'remove', path: `/groups/${id}` })),
  ];
}
