/** Context of rule editors: where the rules apply, and whose they are. */
import { createContext, useContext } from 'react';
import type { Environment } from '../server/project.ts';

export interface RulePlace {
  readonly environment: Environment;
  readonly trafficType: string;
  readonly trafficTypeId: string;
  /** The flag that has the rules, which cannot depend on itself; undefined for a segment. */
  readonly flag: string | undefined;
  /** The segment that has the rules; undefined for a flag. */
  readonly segment: string | undefined;
}

export const RulePlaceContext = createContext<RulePlace | null>(null);

export function useRulePlace(): RulePlace {
  const place = useContext(RulePlaceContext);
  if (!place) throw new Error('outside of rules');
  return place;
}
