/** Starting points for a definition. */
import type { Bucket, Targeting } from '#domain/definitions/definition.ts';

export interface Template {
  readonly name: string;
  readonly about: string;
  readonly targeting: Targeting;
}

const onAndOff = (on: number): Targeting => ({
  killed: false,
  treatments: [{ name: 'on' }, { name: 'off' }],
  defaultTreatment: 'off',
  baselineTreatment: 'off',
  trafficAllocation: 100,
  rules: [],
  defaultRule: [share('on', on), share('off', 100 - on)],
  impressionsDisabled: false,
});

const share = (treatment: string, size: number): Bucket => ({ treatment, size });

/** Both treatments are buckets from the start, so that raising `on` takes from `off`. */
export const everyoneOff: Template = {
  name: 'Start with everyone off',
  about: 'Treatments on and off; nobody gets on',
  targeting: onAndOff(0),
};

export const halfAndHalf: Template = {
  name: 'Start at 50/50',
  about: 'Treatments on and off; half of all keys get on',
  targeting: onAndOff(50),
};
