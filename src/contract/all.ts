/** Every endpoint, by resource. */
import * as accounts from './accounts.ts';
import * as apiKeys from './api-keys.ts';
import * as changes from './changes.ts';
import * as definitions from './definitions.ts';
import * as environments from './environments.ts';
import * as flags from './flags.ts';
import * as groups from './groups.ts';
import * as projects from './projects.ts';
import * as restrictions from './restrictions.ts';
import * as rolloutStatuses from './rollout-statuses.ts';
import * as rollouts from './rollouts.ts';
import * as service from './service.ts';
import * as trafficTypes from './traffic-types.ts';
import * as users from './users.ts';

/** Below the prefix of the Admin API. */
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
  rollouts,
};

/** Below the prefix of accounts. */
export const accountContract = { accounts };

/** Below no prefix. */
export const serviceContract = { service };
