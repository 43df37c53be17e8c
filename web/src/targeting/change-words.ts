/** Audit entries of a flag or definition in words. */
import type { Change } from '#domain/changes.ts';
import { recordedTargeting } from '#domain/definitions/definition.ts';
import { type Difference, differencesBetween } from '#domain/definitions/differences.ts';

const sentences: Readonly<Record<string, string>> = {
  'definition.created': 'Defined the flag',
  'definition.replaced': 'Replaced the definition',
  'definition.patched': 'Changed the definition',
  'definition.killed': 'Killed the flag',
  'definition.restored': 'Restored the flag',
  'definition.deleted': 'Removed the definition',
  'definition.undeleted': 'Restored the deleted definition',
  'flag.created': 'Created the flag',
  'flag.deleted': 'Deleted the flag',
  'flag.archived': 'Archived the flag',
  'flag.unarchived': 'Unarchived the flag',
  'flag.undeleted': 'Restored the deleted flag',
};

export const changeSentence = ({ auditLogType }: Change): string =>
  sentences[auditLogType] ?? (auditLogType.startsWith('flag.') ? 'Changed the flag' : 'Changed the definition');

/** The differences a change made to a definition; empty if it was created, removed or is not a definition. */
export function differencesIn({ object, before, after }: Change): Difference[] {
  if (object.type !== 'definition' || !before || !after) return [];
  return differencesBetween(recordedTargeting(before), recordedTargeting(after));
}
