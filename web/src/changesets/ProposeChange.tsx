import { GitPullRequestArrow } from 'lucide-react';
import { createChangeset } from '#contract/changesets.ts';
import { useFlag } from '../server/flag.ts';
import { useWhyNot } from '../server/rights.ts';
import { useMay } from '../server/session.ts';
import { Button } from '../ui/Button.tsx';
import { focusWhenLost } from '../ui/focus.ts';

/** For those who see a definition and may not save it. Only those who ask for it edit, so that nobody does by mistake. */
export function ProposeChange({ onPropose }: { readonly onPropose: () => void }) {
  const { archivedAt } = useFlag();
  const may = useMay();
  const refusal = useWhyNot()(createChangeset);
  if (archivedAt !== undefined || refusal !== undefined || !may(createChangeset)) return null;
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
