/** Our descriptions of the default rollout statuses. The API keeps the vendor's for compatibility, until someone changes them. */
import { defaultRolloutStatuses } from '#domain/default-rollout-statuses.ts';
import type { RolloutStatus } from '#domain/rollout-statuses.ts';

const descriptions: Readonly<Record<(typeof defaultRolloutStatuses)[number]['name'], string>> = {
  'Pre-Production': 'The code is not in production yet.',
  '0% in Production': 'The code is in production, turned on for nobody.',
  Killed: 'Everyone gets the default treatment because of a problem.',
  'Internal Testing': 'On for your own team only.',
  'External Beta': 'On for selected customers.',
  Ramping: 'On for a growing share of users.',
  Experimenting: 'Measures the difference between treatments.',
  '100% Released': 'On for everyone.',
  'Removed from Code': 'The code no longer uses the flag.',
  Permanent: 'Kept as a permanent switch.',
};

/** Someone may have changed the name, but not the description. */
export function descriptionOf({ description }: Pick<RolloutStatus, 'description'>): string {
  const vendors = defaultRolloutStatuses.find((status) => status.description === description);
  return vendors ? descriptions[vendors.name] : description;
}
