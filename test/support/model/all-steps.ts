import type fc from 'fast-check';
import { definitionSteps } from './definitions.ts';
import { flagSteps } from './flags.ts';
import { keySteps } from './keys.ts';
import { peopleSteps } from './people.ts';
import { projectSteps } from './projects.ts';
import type { Step } from './step.ts';

/** Every kind of step; definitions, where most can go wrong, come more often. */
export const allSteps: readonly fc.Arbitrary<Step>[] = [
  ...projectSteps,
  ...flagSteps,
  ...flagSteps,
  ...definitionSteps,
  ...definitionSteps,
  ...definitionSteps,
  ...peopleSteps,
  ...keySteps,
];
