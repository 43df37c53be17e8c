import { StepFrame, type StepProps } from '../../../targeting/Steps.tsx';
import { useDefinition } from '../editing/editor.ts';
import { useLit } from './lit.ts';

/** One step of the ladder, highlighted if it decides for the key being tried. */
export function Step(props: StepProps) {
  const { id } = props;
  const lit = useLit();
  const { complaints, isAttempted, news } = useDefinition();
  const own = complaints.filter(({ step }) => step === id);
  return (
    <StepFrame
      {...props}
      complaints={own.map(({ words }) => words)}
      isAttempted={isAttempted}
      isHit={lit.step === id}
      isNews={news.has(id)}
    />
  );
}
