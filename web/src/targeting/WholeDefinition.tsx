import type { Targeting } from '#domain/definitions/definition.ts';
import { type Difference, differencesBetween } from '#domain/definitions/differences.ts';
import { DifferenceSide } from './DifferenceSide.tsx';
import { differenceTitle } from './difference-words.ts';
import styles from './WholeDefinition.module.css';

interface Props {
  readonly targeting: Targeting;
  readonly order: readonly string[];
  readonly trafficType: string;
}

/** Everything that a definition says, step by step. */
export const WholeDefinition = ({ targeting, order, trafficType }: Props) => (
  <dl className={styles.steps}>
    {partsOf(targeting).map(([title, difference]) => (
      <div key={title} className={styles.step}>
        <dt>{title}</dt>
        <dd>
          <DifferenceSide difference={difference} side="after" order={order} trafficType={trafficType} />
        </dd>
      </div>
    ))}
  </dl>
);

/** As the differences from a definition that says nothing. */
function partsOf(targeting: Targeting): [title: string, difference: Difference][] {
  const names = targeting.treatments.map(({ keys: _, segments: __, ...treatment }) => treatment);
  const nothing: Targeting = {
    ...targeting,
    treatments: names as Targeting['treatments'],
    killed: false,
    trafficAllocation: -1,
    rules: [],
    defaultRule: [],
    defaultTreatment: '',
    baselineTreatment: '',
  };
  return differencesBetween(nothing, targeting)
    .filter(({ kind }) => kind !== 'baselineTreatment' || targeting.baselineTreatment !== targeting.defaultTreatment)
    .map((difference) => [differenceTitle(difference).replace(/,? added$/, ''), difference]);
}
