import { CopyDialog } from './CopyDialog.tsx';
import { useDialogs } from './dialogs.ts';
import { useEditor } from './editor.ts';
import { KillDialog } from './KillDialog.tsx';
import { PasteDialog } from './PasteDialog.tsx';
import { RemoveDefinitionDialog } from './RemoveDefinitionDialog.tsx';
import { RestoreDialog } from './RestoreDialog.tsx';
import { ReviewDialog } from './ReviewDialog.tsx';

/** The dialog that the address asks for, where it makes sense. */
export function DefinitionDialogs() {
  const { draft, saved, targeting, mayEdit, complaints } = useEditor();
  const { askedFor, close } = useDialogs();
  if (!mayEdit) return null;
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
