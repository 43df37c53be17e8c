import type fc from 'fast-check';
import { definitionSteps } from './definitions.ts';
import { flagSteps } from './flags.ts';
import { keySteps } from './keys.ts';
import { groupSteps, userSteps } from './people.ts';
import { projectSteps } from './projects.ts';
import { attributeSteps, flagSetSteps, ruleBasedSegmentSteps, segmentSteps } from './segments.ts';
import type { Step } from './step.ts';

const repeated = <Item>(times: number, items: readonly Item[]): Item[] =>
  Array.from({ length: times }, () => items).flat();
/** The first of each list makes something, without which the others have nothing to do. */
const more = <Item>(times: number, [first, ...others]: readonly Item[]): Item[] => [
  ...(first === undefined ? [] : repeated(times, [first])),
  ...others,
];

/** Every kind of step; flags, definitions and segments, where most can go wrong, come more often. */
export const allSteps: readonly fc.Arbitrary<Step>[] = [
  ...more(2, projectSteps),
  ...repeated(2, more(5, flagSteps)),
  ...repeated(3, more(4, definitionSteps)),
  ...repeated(2, more(4, segmentSteps)),
  ...repeated(2, more(4, ruleBasedSegmentSteps)),
  ...more(2, flagSetSteps),
  ...more(2, attributeSteps),
  ...more(3, groupSteps),
  ...more(4, userSteps),
  ...more(2, keySteps),
];
