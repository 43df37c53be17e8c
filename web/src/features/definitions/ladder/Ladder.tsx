import { FoldVertical, Plus, UnfoldVertical } from 'lucide-react';
import { useState } from 'react';
import { addRule } from '#domain/definitions/edit-rules.ts';
import { usePageActions } from '../../../state/page-actions.ts';
import { AddRule, Steps } from '../../../targeting/Steps.tsx';
import { Button } from '../../../ui/Button.tsx';
import { readOnly, useDefinition } from '../editing/editor.ts';
import { AllocationStep } from './AllocationStep.tsx';
import { EveryoneElseStep } from './EveryoneElseStep.tsx';
import styles from './Ladder.module.css';
import { RuleSteps } from './RuleSteps.tsx';
import { StreamOf } from './Step.tsx';
import { TargetsStep } from './TargetsStep.tsx';

/** From here on, rules can be collapsed to a line each; with many, they are at first. */
const fewRules = 3;
const manyRules = 10;

/** The definition in evaluation order, top to bottom: the first match wins. */
export function Ladder() {
  const { targeting, saved, mayEdit, refusal, change, openRule: open, setOpenRule: setOpen } = useDefinition();
  const [isCompact, setCompact] = useState(targeting.rules.length > manyRules);
  const [said, setSaid] = useState('');
  const add = () => {
    setOpen(targeting.rules.length);
    change(addRule);
  };
  usePageActions([{ label: 'Add a rule', keys: 'r', icon: Plus, opensField: true, run: add, refusal }]);
  return (
    <>
      {targeting.rules.length > fewRules && (
        <div className={styles.tools}>
          <Button look="quiet" size="small" aria-pressed={isCompact} onClick={() => setCompact(!isCompact)}>
            {isCompact ? <UnfoldVertical size={14} aria-hidden /> : <FoldVertical size={14} aria-hidden />}
            {isCompact ? 'Expand rules' : 'Collapse rules'}
          </Button>
        </div>
      )}
      <Steps
        label="Evaluated in this order"
        isMuted={saved?.killed ?? false}
        hasFunnel={!targeting.killed}
        isCompact={isCompact || open !== undefined}
      >
        <TargetsStep />
        <AllocationStep />
        <RuleSteps open={open} onOpen={setOpen} onSay={setSaid} />
        <AddRule stream={<StreamOf id="add" />} {...(mayEdit ? { onClick: add } : readOnly)} />
        <EveryoneElseStep />
      </Steps>
      {!targeting.killed && (
        <p className={styles.about}>
          On the left: the share of all keys that each step takes, by the definition. ≤ is the most it can be, ? depends
          on the keys.
        </p>
      )}
      <p className="sr" role="status">
        {said}
      </p>
    </>
  );
}
