import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Step } from '#domain/evaluation/evaluate.ts';
import styles from '../../../activity/ActivityRail.module.css';
import { DependentList, dependentsReading } from '../../../kit/Dependents.tsx';
import { useFlag } from '../../../server/flag.ts';
import { useProject } from '../../../server/project.ts';
import { TextLink } from '../../../ui/TextLink.tsx';
import { ruleStep } from '../editing/complaints.ts';
import { useEditor } from '../editing/editor.ts';
import type { Lit } from '../ladder/lit.ts';
import { nothingLit } from '../ladder/lit.ts';
import { useProbe } from '../try-it/probe.ts';
import { WhoSeesWhat } from '../try-it/WhoSeesWhat.tsx';
import { ActivityRail } from './ActivityRail.tsx';

interface Props {
  readonly onLit: (lit: Lit) => void;
}

/** The side column: try a key, dependent flags and activity. */
export const Rail = ({ onLit }: Props) => (
  <>
    {useEditor().targeting && <Tried onLit={onLit} />}
    <UsedBy />
    <ActivityRail />
  </>
);

/** Highlights the deciding step. */
function Tried({ onLit }: Props) {
  const { saved } = useEditor();
  const probe = useProbe();
  const { key, after, undecided } = probe;
  const slowPattern = undecided?.slowPattern;
  const step = after && stepIdOf(after.decidedBy);
  const bucket = saved && after && 'bucket' in after.decidedBy ? after.decidedBy.bucket : undefined;
  useEffect(() => {
    onLit({ step, pin: key !== undefined && bucket !== undefined ? { key, bucket } : undefined, slowPattern });
    return () => onLit(nothingLit);
  }, [onLit, step, key, bucket, slowPattern]);
  return <WhoSeesWhat probe={probe} />;
}

const stepIdOf = (step: Step): string => (step.kind === 'rule' ? ruleStep(step.index) : step.kind);

/** Flags whose rules depend on this one, in any environment. */
function UsedBy() {
  const project = useProject();
  const { name } = useFlag();
  const { data } = useQuery(dependentsReading(project.id, name));
  if (!data || data.objects.length === 0) return null;
  return (
    <section aria-labelledby="used-by">
      <div className={styles.head}>
        <h2 id="used-by">Used by</h2>
        <TextLink to="/p/$project/flags/$flag/details" params={{ project: project.name, flag: name }}>
          View graph
        </TextLink>
      </div>
      <DependentList dependents={data.objects} />
    </section>
  );
}
