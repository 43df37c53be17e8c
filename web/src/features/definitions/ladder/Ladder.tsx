import { Plus } from 'lucide-react';
import { useState } from 'react';
import { addRule } from '#domain/definitions/edit-rules.ts';
import { usePageActions } from '../../../state/page-actions.ts';
import { AddRule, Steps } from '../../../targeting/Steps.tsx';
import { readOnly, useDefinition } from '../editing/editor.ts';
import { AllocationStep } from './AllocationStep.tsx';
import { EveryoneElseStep } from './EveryoneElseStep.tsx';
import { RuleSteps } from './RuleSteps.tsx';
import { TargetsStep } from './TargetsStep.tsx';

/** The definition in evaluation order, top to bottom: the first match wins. */
export function Ladder() {
  const { targeting, saved, mayEdit, refusal, change } = useDefinition();
  const [open, setOpen] = useState<number>();
  const [said, setSaid] = useState('');
  const add = () => {
    setOpen(targeting.rules.length);
    change(addRule);
  };
  usePageActions([{ label: 'Add a rule', keys: 'r', icon: Plus, run: add, refusal }]);
  return (
    <>
      <Steps label="Evaluated in this order" isMuted={saved?.killed ?? false}>
        <TargetsStep />
        <AllocationStep />
        <RuleSteps open={open} onOpen={setOpen} onSay={setSaid} />
        <AddRule {...(mayEdit ? { onClick: add } : readOnly)} />
        <EveryoneElseStep />
      </Steps>
      <p className="sr" role="status">
        {said}
      </p>
    </>
  );
}
