import { lazyPart } from '../../../state/lazy.ts';
import { useDialogs } from '../editing/dialogs.ts';
import { useEditor } from '../editing/editor.ts';
import { KillDialog, RemoveDefinitionDialog, RestoreDialog } from '../review/ImmediateDialogs.tsx';

const CopyDialog = lazyPart('CopyDialog', () => import('../compare/CopyDialog.tsx'));
const PasteDialog = lazyPart('PasteDialog', () => import('../json/PasteDialog.tsx'));
const ReviewDialog = lazyPart('ReviewDialog', () => import('../review/ReviewDialog.tsx'));

/** Opens the dialog named in the address, if it applies. */
export function DefinitionDialogs() {
  const { draft, saved, targeting, complaints } = useEditor();
  const { askedFor, close } = useDialogs();
  const mayReview = draft && draft.conflicts.length === 0 && complaints.length === 0;
  return (
    <>
      {askedFor('review') !== undefined && mayReview && <ReviewDialog draft={draft} onClose={close} />}
      {askedFor('kill') !== undefined && saved && !saved.killed && <KillDialog saved={saved} onClose={close} />}
      {askedFor('restore') !== undefined && saved?.killed && <RestoreDialog saved={saved} onClose={close} />}
      {askedFor('remove') !== undefined && saved && <RemoveDefinitionDialog saved={saved} onClose={close} />}
      {askedFor('copy') !== undefined && targeting && <CopyDialog from={targeting} onClose={close} />}
      {askedFor('paste') !== undefined && !targeting && <PasteDialog onClose={close} />}
    </>
  );
}
