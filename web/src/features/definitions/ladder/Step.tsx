import { Suspense } from 'react';
import { lazyPart } from '../../../state/lazy.ts';
import { StepFrame, type StepProps } from '../../../targeting/Steps.tsx';
import { useDefinition } from '../editing/editor.ts';
import { useLit } from './lit.ts';

const Stream = lazyPart('Stream', () => import('./Stream.tsx'));

/** The share of keys that a step takes. */
export const StreamOf = ({ id }: { readonly id: string }) => (
  <Suspense>
    <Stream id={id} />
  </Suspense>
);

/** One step of the ladder, highlighted if it decides for the key being tried. */
export function Step(props: StepProps) {
  const { id, isEditing = false } = props;
  const lit = useLit();
  const { complaints, isAttempted, news } = useDefinition();
  const own = complaints.filter(({ step, isAtField = false }) => step === id && !(isEditing && isAtField));
  return (
    <StepFrame
      {...props}
      stream={<StreamOf id={id} />}
      complaints={own.map(({ words }) => words)}
      isAttempted={isAttempted}
      isHit={lit.step === id}
      isNews={news.has(id)}
    />
  );
}
