import type { Rule } from '#domain/definitions/definition.ts';
import type { Difference } from '#domain/definitions/differences.ts';
import { setRuleBuckets } from '#domain/definitions/edit-rules.ts';
import { ConditionEditor } from '../../../targeting/ConditionEditor.tsx';
import { Button } from '../../../ui/Button.tsx';
import { useDefinition } from '../editing/editor.ts';
import { useLit } from './lit.ts';
import { Mixer } from './Mixer.tsx';
import styles from './RuleEditor.module.css';

interface Props {
  readonly rule: Rule;
  readonly index: number;
  readonly lead: string;
  readonly onClose: () => void;
}

/** Edits a rule: its condition as a sentence, and its shares. */
export function RuleEditor({ rule, index, lead, onClose }: Props) {
  const { targeting, order, change, differences } = useDefinition();
  const lit = useLit();
  return (
    <div className={styles.editor}>
      <ConditionEditor lead={lead} rules={targeting.rules} index={index} change={change} />
      <p className={styles.then}>
        <b>then</b>
      </p>
      <Mixer
        buckets={rule.buckets}
        saved={savedBuckets(rule, index, differences)}
        treatments={targeting.treatments.map(({ name }) => name)}
        order={order}
        probe={lit.step === `rule ${index}` ? lit.pin : undefined}
        onChange={(buckets) => change((before) => setRuleBuckets(before, index, buckets))}
      />
      <div className={styles.done}>
        <Button size="small" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}

/** The saved rule, whatever its position; undefined for a new one. */
function savedBuckets(rule: Rule, index: number, differences: readonly Difference[]) {
  const difference = differences.find((one) => one.kind === 'rule' && one.after?.at === index);
  return difference?.kind === 'rule' ? difference.before?.rule.buckets : rule.buckets;
}
