/** Every endpoint below the prefix, by resource. */
import * as apiKeys from './api-keys.ts';
import * as changes from './changes.ts';
import * as definitions from './definitions.ts';
import * as environments from './environments.ts';
import * as flags from './flags.ts';
import * as groups from './groups.ts';
import * as projects from './projects.ts';
import * as restrictions from './restrictions.ts';
import * as rolloutStatuses from './rollout-statuses.ts';
import * as trafficTypes from './traffic-types.ts';
import * as users from './users.ts';

export const contract = {
  projects,
  environments,
  trafficTypes,
  rolloutStatuses,
  flags,
  definitions,
  users,
  groups,
  apiKeys,
  restrictions,
  changes,
};
