/** The results of the checks that server and browser share, for a body and a patch of it. Runs in both. */

import { checkTargeting, type Definition, type Targeting } from '#domain/definitions/definition.ts';
import { parseTargeting, patchTargeting } from '#domain/definitions/parse.ts';
import type { Operation } from '#domain/json-patch.ts';
import { Problem } from '#domain/problems.ts';

export interface Case {
  readonly body: unknown;
  readonly operations: readonly Operation[];
}

export const verdictOn = ({ body, operations }: Case) => {
  const parsed = attempt(() => parseTargeting(body));
  return { parsed, patched: 'killed' in parsed ? attempt(() => patchTargeting(asDefinition(parsed), operations)) : {} };
};

function attempt(make: () => Targeting) {
  try {
    const targeting = make();
    const surroundings = { flag: 'gull', existingFlags: new Set<string>(), dependentFlags: new Set<string>() };
    return { ...targeting, complaints: checkTargeting(targeting, surroundings) };
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, message: error.message, details: error.details };
    throw error;
  }
}

const asDefinition = (targeting: Targeting): Definition => ({
  id: 'id',
  name: 'gull',
  environment: { id: 'id', name: 'staging' },
  trafficType: { id: 'id', name: 'user' },
  ...targeting,
  creationTime: 1,
  lastUpdateTime: 1,
  revision: 1,
});
