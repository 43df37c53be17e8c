import type { Targeting } from '#domain/definitions/definition.ts';
import { Bar, Legend } from '../../../kit/Bar.tsx';
import { Condition } from '../../../targeting/Condition.tsx';
import { useEditor } from '../editing/editor.ts';
import styles from './NewDefinition.module.css';

/** Summary of a new definition. */
export function NewDefinition({ targeting }: { readonly targeting: Targeting }) {
  const { order, trafficType } = useEditor();
  const { rules, defaultRule, treatments, trafficAllocation, defaultTreatment } = targeting;
  const keys = treatments.reduce((sum, treatment) => sum + (treatment.keys?.length ?? 0), 0);
  return (
    <section className={styles.box} aria-label="New definition">
      <h3 className={styles.title}>New definition</h3>
      <dl className={styles.steps}>
        {keys > 0 && (
          <>
            <dt>Individual targets</dt>
            <dd>{keys === 1 ? '1 key' : `${keys} keys`}</dd>
          </>
        )}
        {trafficAllocation < 100 && (
          <>
            <dt>Traffic allocation</dt>
            <dd>
              {trafficAllocation}%, the rest get <code>{defaultTreatment}</code>
            </dd>
          </>
        )}
        {rules.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id
          <div key={index} className={styles.step}>
            <dt>Rule {index + 1}</dt>
            <dd>
              <Condition rule={rule} lead={index === 0 ? 'If' : 'Else if'} trafficType={trafficType} />
              <Bar buckets={rule.buckets} order={order} size="medium" label="" />
              <Legend buckets={rule.buckets} order={order} />
            </dd>
          </div>
        ))}
        <dt>Everyone else</dt>
        <dd>
          <Bar buckets={defaultRule} order={order} size="medium" label="" />
          <Legend buckets={defaultRule} order={order} />
        </dd>
      </dl>
    </section>
  );
}
