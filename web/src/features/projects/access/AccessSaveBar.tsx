import { useEffect } from 'react';
import { explain } from '../../../kit/explain.ts';
import { SaveBar } from '../../../kit/SaveBar.tsx';
import { usePageActions } from '../../../state/page-actions.ts';
import { Button } from '../../../ui/Button.tsx';
import { focusWhenLost } from '../../../ui/focus.ts';
import { useEditing } from './access-editing.ts';
import { effectOf, type RightsRow } from './effective-rights.ts';

/** Shown while there are unsaved changes; says what saving them does. */
export function AccessSaveBar({ rows }: { readonly rows: readonly RightsRow[] | undefined }) {
  const { base, access, changes, discard, isBehind, catchUp, save, isSaving, problem } = useEditing();
  const goOn = isBehind ? catchUp : save;
  // The focus is on one of its buttons when the bar disappears.
  useEffect(() => focusWhenLost, []);
  usePageActions([
    { label: isBehind ? 'Load their changes' : 'Save access', keys: 'mod+s', run: goOn },
    { label: 'Discard changes to access', run: discard },
  ]);
  return (
    <SaveBar
      title={changes === 1 ? '1 unsaved change to access' : `${changes} unsaved changes to access`}
      isProblem={isBehind || problem !== null}
      line={
        isBehind
          ? 'Someone else changed access meanwhile. Load their changes before you save: yours are kept.'
          : problem
            ? [explain(problem), problem.details].filter(Boolean).join(' ')
            : rows && effectOf(rows, base, access)
      }
    >
      <Button look="quiet" onClick={discard}>
        Discard
      </Button>
      <Button look="primary" isBusy={isSaving} onClick={goOn}>
        {isBehind ? 'Load their changes' : 'Save access'}
      </Button>
    </SaveBar>
  );
}
