import { Copy, Power } from 'lucide-react';
import { killDefinition, patchDefinition } from '#contract/definitions.ts';
import { useFlag } from '../../../server/flag.ts';
import { type Environment, useEnvironments } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { useMe } from '../../../server/session.ts';
import { useDraftOf } from '../../../state/drafts.ts';
import { usePageActions } from '../../../state/page-actions.ts';
import { Button } from '../../../ui/Button.tsx';
import { useSaved } from '../editing/definitions.ts';
import { useDialogs } from '../editing/dialogs.ts';
import styles from './DefinitionTools.module.css';

/** The actions for the whole definition. DefinitionView shows their dialogs. */
export function DefinitionTools({ environment }: { readonly environment: Environment }) {
  const flag = useFlag();
  const me = useMe();
  const ask = useWhyNot();
  const dialogs = useDialogs();
  const saved = useSaved(environment.id);
  const draft = useDraftOf({ person: me.user.id, object: flag.id, environment: environment.id });
  const others = useEnvironments().filter(({ id }) => id !== environment.id);
  const hasCopy = (saved ?? draft) !== undefined && others.length > 0;
  const hasKill = saved !== undefined && !saved.killed;
  const whyNotKill = ask(killDefinition, { owners: flag.owners, environment: environment.id });
  // Copying changes another environment, so it needs the right to edit one of those.
  const refusals = others.map(({ id }) => ask(patchDefinition, { owners: flag.owners, environment: id }));
  const whyNotCopy = refusals.includes(undefined) ? undefined : refusals[0];
  usePageActions([
    ...(hasCopy
      ? [
          {
            label: 'Copy to another environment',
            keys: 'y',
            icon: Copy,
            run: () => dialogs.open('copy'),
            refusal: whyNotCopy,
          },
        ]
      : []),
    ...(hasKill
      ? [
          {
            label: `Kill in ${environment.name}`,
            icon: Power,
            run: () => dialogs.open('kill'),
            refusal: whyNotKill,
          },
        ]
      : []),
  ]);
  return (
    <div className={styles.tools}>
      {hasCopy && (
        <Button size="small" refusal={whyNotCopy} onClick={() => dialogs.open('copy')}>
          <Copy size={14} aria-hidden /> Copy to
        </Button>
      )}
      {hasKill && (
        <Button look="danger" size="small" refusal={whyNotKill} onClick={() => dialogs.open('kill')}>
          <Power size={14} aria-hidden /> Kill in {environment.name}
        </Button>
      )}
    </div>
  );
}
