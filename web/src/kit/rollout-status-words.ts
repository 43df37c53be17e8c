/** Our descriptions of the default rollout statuses. The API keeps the vendor's for compatibility, until someone changes them. */
import type { RolloutStatus } from '#domain/rollout-statuses.ts';

const descriptions: Readonly<Record<string, string>> = {
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

/** All of the vendor's descriptions start like this. */
const isVendors = (description: string) => description.startsWith('Splits ');

export const descriptionOf = ({ name, description }: RolloutStatus): string =>
  isVendors(description) ? (descriptions[name] ?? '') : description;
