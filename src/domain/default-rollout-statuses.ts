/** The statuses of every new project, in order: the vendor's, with its descriptions. New flags get the first. */
export const defaultRolloutStatuses = [
  { name: 'Pre-Production', description: 'Splits where code for the feature haven’t been pushed to prod yet' },
  {
    name: '0% in Production',
    description: 'Splits where code for the feature is pushed to prod but not turned on for anyone',
  },
  { name: 'Killed', description: 'Splits that are moved to the default treatment due to an issue or bug' },
  {
    name: 'Internal Testing',
    description: 'Splits that have only been turned on for users that are employees or contractors',
  },
  {
    name: 'External Beta',
    description:
      'Splits that have been turned on for a few external beta customers that have been pre-selected or chosen for early access to a feature',
  },
  {
    name: 'Ramping',
    description:
      'Splits that are turned on for a small percentage of users to make sure no performance issues or larger issues come up',
  },
  {
    name: 'Experimenting',
    description: 'Splits that have are ramped for max power in an experiment to get results as quickly as possible',
  },
  { name: '100% Released', description: 'Splits that have been moved to be fully on for all customers' },
  { name: 'Removed from Code', description: 'Splits that have been removed from the codebase' },
  { name: 'Permanent', description: 'Splits that are set to be permanent circuit breakers in the application' },
] as const;

/** Of the statuses that projects start with. */
export const isPermanentAtFirst = (name: string): boolean => name === 'Permanent';
