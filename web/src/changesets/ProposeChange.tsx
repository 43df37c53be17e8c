import { GitPullRequestArrow } from 'lucide-react';
import { useContext } from 'react';
import { FlagContext } from '../server/flag.ts';
import { Button } from '../ui/Button.tsx';
import { focusWhenLost } from '../ui/focus.ts';
import { useMayPropose } from './propose.ts';

/**
 * For those who see a definition, or rules of a segment, and may not save them. Only those who ask for it edit, so that
 * nobody does by mistake.
 */
export function ProposeChange({ onPropose }: { readonly onPropose: () => void }) {
  const isArchived = useContext(FlagContext)?.archivedAt !== undefined;
  const mayPropose = useMayPropose();
  if (isArchived || !mayPropose) return null;
  return (
    <div>
      <Button
        onClick={() => {
          onPropose();
          focusWhenLost();
        }}
      >
        <GitPullRequestArrow size={14} aria-hidden /> Propose a change
      </Button>
    </div>
  );
}
