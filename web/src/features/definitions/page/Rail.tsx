import { useEffect } from 'react';
import type { Step } from '#domain/evaluation/evaluate.ts';
import { ruleStep } from '../editing/complaints.ts';
import { useEditor } from '../editing/editor.ts';
import type { Lit } from '../ladder/lit.ts';
import { nothingLit } from '../ladder/lit.ts';
import { useProbe } from '../try-it/probe.ts';
import { WhoSeesWhat } from '../try-it/WhoSeesWhat.tsx';
import { ActivityRail } from './ActivityRail.tsx';
import { RolloutPanel } from './RolloutPanel.tsx';
import { UsedBy } from './UsedBy.tsx';

interface Props {
  readonly onLit: (lit: Lit) => void;
}

/** Beside the ladder: who sees what, how it was rolled out, which flags need it, what was done. */
export const Rail = ({ onLit }: Props) => (
  <>
    {useEditor().targeting && (
      <>
        <Tried onLit={onLit} />
        <RolloutPanel />
      </>
    )}
    <UsedBy />
    <ActivityRail />
  </>
);

/** Lights the step that decides. */
function Tried({ onLit }: Props) {
  const { saved } = useEditor();
  const probe = useProbe();
  const { key, after, slowPattern } = probe;
  const step = after && stepIdOf(after.decidedBy);
  const bucket = saved && after && 'bucket' in after.decidedBy ? after.decidedBy.bucket : undefined;
  useEffect(() => {
    onLit({ step, pin: key !== undefined && bucket !== undefined ? { key, bucket } : undefined, slowPattern });
    return () => onLit(nothingLit);
  }, [onLit, step, key, bucket, slowPattern]);
  return <WhoSeesWhat probe={probe} />;
}

const stepIdOf = (step: Step): string => (step.kind === 'rule' ? ruleStep(step.index) : step.kind);
