import { type ReactNode, Suspense } from 'react';
import { SaveBar as SaveBarFrame } from '../../../kit/SaveBar.tsx';
import { needsApproval } from '../../../server/project.ts';
import { lazyPart } from '../../../state/lazy.ts';
import { usePageActions } from '../../../state/page-actions.ts';
import { Button } from '../../../ui/Button.tsx';
import { focusWhenLost } from '../../../ui/focus.ts';
import { useDialogs } from '../editing/dialogs.ts';
import { type Editor, useDefinition } from '../editing/editor.ts';

const EffectLine = lazyPart('EffectLine', () => import('../review/EffectLine.tsx'));

/** Floats at the bottom of the page while there is a draft. */
export function SaveBar() {
  const editor = useDefinition();
  const { complaints, draft, discard, setAttempted, setOpenRule, refusal, environment, isProposing } = editor;
  const label = isProposing || needsApproval(environment) ? 'Review and propose' : 'Review and save';
  const dialogs = useDialogs();
  const review = () => {
    const blocked = complaints[0]?.step ?? (draft?.conflicts.length ? 'conflicts' : undefined);
    if (blocked === undefined) return dialogs.open('review');
    setAttempted(true);
    const [, rule] = /^rule (\d+)$/.exec(blocked) ?? [];
    if (rule !== undefined) setOpenRule(Number(rule));
    showStep(blocked);
  };
  usePageActions([
    { label, keys: 'mod+s', run: review, refusal },
    { label: 'Discard the draft', run: discard },
  ]);
  return (
    <SaveBarFrame title={countOf(editor)} line={<Suspense>{lineOf(editor)}</Suspense>}>
      <Button
        look="quiet"
        onClick={() => {
          setAttempted(false);
          discard();
          focusWhenLost();
        }}
      >
        Discard
      </Button>
      <Button look="primary" refusal={refusal} onClick={review}>
        {label}
      </Button>
    </SaveBarFrame>
  );
}

function countOf({ saved, differences, environment: { name } }: Editor): string {
  if (!saved) return `New definition in ${name}`;
  return differences.length === 1 ? `1 unsaved change in ${name}` : `${differences.length} unsaved changes in ${name}`;
}

/** What prevents saving, or else the effect of the draft. */
function lineOf({ complaints, draft, saved, savedTargeting, isAttempted, refusal, isProposing }: Editor): ReactNode {
  if (refusal !== undefined) return refusal;
  if (draft?.conflicts.length) return 'Resolve the conflict first.';
  if (complaints[0] && isAttempted) return `${stepName(complaints[0].step)}${complaints[0].words}`;
  if (!saved) return `Everyone gets control until ${isProposing ? 'it is applied' : 'you save it'}.`;
  if (complaints.length > 0) return 'The draft is incomplete.';
  return savedTargeting && <EffectLine before={savedTargeting} />;
}

function stepName(step: string): string {
  const [, rule] = /^rule (\d+)$/.exec(step) ?? [];
  if (rule !== undefined) return `Rule ${Number(rule) + 1}: `;
  return step === 'targets' ? 'Individual targets: ' : '';
}

const maxFrames = 60;

/** Leads to the field that is wrong, once its rule is open; otherwise to the first one. */
function showStep(step: string, frames = 0): void {
  const place = document.querySelector<HTMLElement>(`[data-step="${step}"]`);
  const wrong = place?.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong]');
  if (!wrong && step.startsWith('rule ') && frames < maxFrames) {
    requestAnimationFrame(() => showStep(step, frames + 1));
    return;
  }
  place?.scrollIntoView({ block: 'center' });
  (wrong ?? place?.querySelector<HTMLElement>('input:not([type=checkbox]), textarea, select, button'))?.focus();
}
