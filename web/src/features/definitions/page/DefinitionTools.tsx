import { Link, useNavigate } from '@tanstack/react-router';
import { Braces, Copy, GitCompareArrows, Power } from 'lucide-react';
import { killDefinition, patchDefinition } from '#contract/definitions.ts';
import { ProdChip } from '../../../kit/StatusChip.tsx';
import { useFlag } from '../../../server/flag.ts';
import { useEnvironments, useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { usePageActions } from '../../../state/page-actions.ts';
import { Button, buttonClass } from '../../../ui/Button.tsx';
import { useDialogs } from '../editing/dialogs.ts';
import { useEditor } from '../editing/editor.ts';
import styles from './DefinitionTools.module.css';

/** The environment name and the actions for the whole definition. */
export function DefinitionTools() {
  const { environment, saved, targeting, whyNot } = useEditor();
  const project = useProject();
  const flag = useFlag();
  const ask = useWhyNot();
  const dialogs = useDialogs();
  const navigate = useNavigate();
  const others = useEnvironments().filter(({ id }) => id !== environment.id);
  const params = { project: project.name, flag: flag.name };
  const comparison = { a: environment.name, b: others[0]?.name };
  const mayCompare = targeting !== undefined && others.length > 0;
  const hasKill = saved !== undefined && !saved.killed;
  const whyNotKill = whyNot(killDefinition);
  // Copying changes another environment, so it needs the right to edit one of those.
  const refusals = others.map(({ id }) => ask(patchDefinition, { owners: flag.owners, environment: id }));
  const whyNotCopy = refusals.includes(undefined) ? undefined : refusals[0];
  usePageActions([
    ...(mayCompare
      ? [
          {
            label: 'Compare environments',
            keys: 'c',
            icon: GitCompareArrows,
            run: () => void navigate({ to: '/p/$project/flags/$flag/compare', params, search: comparison }),
          },
        ]
      : []),
    ...(mayCompare
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
    {
      label: 'Show flag activity',
      keys: 'a',
      run: () => void navigate({ to: '/p/$project/flags/$flag/activity', params }),
    },
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
      <h2 className={styles.title}>
        {environment.name} {environment.production && <ProdChip />}
      </h2>
      {mayCompare && (
        <Link
          to="/p/$project/flags/$flag/compare"
          params={params}
          search={comparison}
          className={buttonClass({ look: 'quiet', size: 'small' })}
        >
          <GitCompareArrows size={14} aria-hidden /> Compare
        </Link>
      )}
      {mayCompare && (
        <Button look="quiet" size="small" refusal={whyNotCopy} onClick={() => dialogs.open('copy')}>
          <Copy size={14} aria-hidden /> Copy to
        </Button>
      )}
      {targeting && (
        <Link
          to="/p/$project/flags/$flag/$environment/json"
          params={{ ...params, environment: environment.name }}
          className={buttonClass({ look: 'quiet', size: 'small' })}
        >
          <Braces size={14} aria-hidden /> JSON
        </Link>
      )}
      {hasKill && (
        <Button look="danger" size="small" refusal={whyNotKill} onClick={() => dialogs.open('kill')}>
          <Power size={14} aria-hidden /> Kill
        </Button>
      )}
    </div>
  );
}
