import { CopyPlus, Trash2 } from 'lucide-react';
import { type Rule, ruleNameLimit } from '#domain/definitions/definition.ts';
import type { Difference } from '#domain/definitions/differences.ts';
import { setRuleBuckets, setRuleName } from '#domain/definitions/edit-rules.ts';
import { ConditionEditor } from '../../../targeting/ConditionEditor.tsx';
import { useDone } from '../../../targeting/use-done.ts';
import { Button } from '../../../ui/Button.tsx';
import fieldStyles from '../../../ui/Field.module.css';
import { ruleStep } from '../editing/complaints.ts';
import { useDefinition } from '../editing/editor.ts';
import { useLit } from './lit.ts';
import { Mixer } from './Mixer.tsx';
import styles from './RuleEditor.module.css';

interface Props {
  readonly rule: Rule;
  readonly index: number;
  readonly lead: string;
  readonly onClose: () => void;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
}

/** Edits a rule: its condition as a sentence, and its shares. */
export function RuleEditor({ rule, index, lead, onClose, onDuplicate, onRemove }: Props) {
  const { targeting, order, change, differences, isAttempted, complaints } = useDefinition();
  const { editor, isTried, done } = useDone(
    complaints.some(({ step, isAtField }) => isAtField && step === ruleStep(index)),
    onClose,
  );
  const lit = useLit();
  return (
    <div className={styles.editor} ref={editor}>
      <input
        className={`${fieldStyles.input} ${styles.name}`}
        aria-label="Rule name, optional"
        placeholder="Rule name, optional"
        autoComplete="off"
        maxLength={ruleNameLimit}
        value={rule.name ?? ''}
        onChange={({ target }) => change((before) => setRuleName(before, index, target.value))}
      />
      <ConditionEditor
        lead={lead}
        rules={targeting.rules}
        index={index}
        isAttempted={isAttempted || isTried}
        change={change}
      />
      <p className={styles.then}>
        <b>Then serve</b>
      </p>
      <Mixer
        buckets={rule.buckets}
        saved={savedBuckets(rule, index, differences)}
        treatments={targeting.treatments.map(({ name }) => name)}
        defaultTreatment={targeting.defaultTreatment}
        order={order}
        probe={lit.step === `rule ${index}` ? lit.pin : undefined}
        onChange={(buckets) => change((before) => setRuleBuckets(before, index, buckets))}
      />
      <div className={styles.done}>
        <Button look="primary" size="small" onClick={done}>
          Done
        </Button>
        <span className={styles.space} />
        <Button look="quiet" size="small" onClick={onDuplicate}>
          <CopyPlus size={14} aria-hidden /> Duplicate
        </Button>
        <Button look="danger" size="small" onClick={onRemove}>
          <Trash2 size={14} aria-hidden /> Remove rule
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
