import { useEffect } from 'react';
import type { Step } from '#domain/evaluate.ts';
import { ActivityRail } from './ActivityRail.tsx';
import { ruleStep } from './complaints.ts';
import { useEditor } from './editor.ts';
import type { Lit } from './lit.ts';
import { nothingLit } from './lit.ts';
import { useProbe } from './probe.ts';
import { RolloutPanel } from './RolloutPanel.tsx';
import { UsedBy } from './UsedBy.tsx';
import { WhoSeesWhat } from './WhoSeesWhat.tsx';

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
