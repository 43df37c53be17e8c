import { useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { Clock, GitCompareArrows } from 'lucide-react';
import { Suspense } from 'react';
import { likelyEnvironment, useFlag } from '../../../server/flag.ts';
import { type Environment, useEnvironments, useProject } from '../../../server/project.ts';
import { lazyPart } from '../../../state/lazy.ts';
import { usePageActions } from '../../../state/page-actions.ts';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { TabCount, TabLink, TabLinks } from '../../../ui/Tabs.tsx';
import { Time } from '../../../ui/Time.tsx';
import { useDialogs } from '../editing/dialogs.ts';
import { DefinitionTools } from './DefinitionTools.tsx';
import { EnvironmentStrip } from './EnvironmentStrip.tsx';
import styles from './FlagFrame.module.css';
import { FlagHead } from './FlagHead.tsx';

const FlagDialogs = lazyPart('FlagDialogs', () => import('./FlagDialogs.tsx'));

/** What stays while the view below changes: the flag, its environments, and the tabs. */
export function FlagFrame() {
  const view = useView();
  const { isAnyAsked } = useDialogs();
  const { environment: nameOrId }: { environment?: string } = {
    ...useSearch({ strict: false }),
    ...useParams({ strict: false }),
  };
  const environment = useEnvironments().find(({ name, id }) => name === nameOrId || id === nameOrId);
  return (
    <>
      <FlagHead
        within={[view === 'Targeting' ? '' : view, environment?.name ?? nameOrId].filter(Boolean).join(' · ')}
        environment={environment}
      />
      <Archived />
      <EnvironmentStrip current={environment?.id} view={view} />
      <div className={styles.bar}>
        <FlagTabs environment={environment} />
        {view === 'Targeting' && environment && <DefinitionTools environment={environment} />}
      </div>
      <Suspense>{isAnyAsked && <FlagDialogs />}</Suspense>
    </>
  );
}

function Archived() {
  const { archivedAt } = useFlag();
  const dialogs = useDialogs();
  if (archivedAt === undefined) return null;
  return (
    <Notice kind="plain">
      <div className={styles.archived}>
        <p>
          <b>
            Archived <Time at={archivedAt} />.
          </b>{' '}
          Everyone gets <code>control</code>. Its name stays reserved and its definitions are kept.
        </p>
        <Button size="small" onClick={() => dialogs.open('unarchive')}>
          Unarchive
        </Button>
      </div>
    </Notice>
  );
}

const views = { json: 'JSON', compare: 'Compare', activity: 'History', details: 'Details' } as const;
export type View = 'Targeting' | (typeof views)[keyof typeof views];

/** The view of the address. */
const useView = (): View =>
  useRouterState({
    select: ({ matches }) => views[matches.at(-1)?.routeId.split('/').at(-1) as keyof typeof views] ?? 'Targeting',
  });

/** Views without an environment lead back to the last one. */
function FlagTabs({ environment }: { readonly environment: Environment | undefined }) {
  const project = useProject();
  const environments = useEnvironments();
  const { name: flag, changeCount } = useFlag();
  const navigate = useNavigate();
  const target = environment ?? likelyEnvironment(project.id, environments);
  const params = { project: project.name, flag, environment: target?.name ?? '' };
  const active = { activeOptions: { exact: true, includeSearch: false } };
  usePageActions([
    {
      label: 'Compare environments',
      keys: 'c',
      icon: GitCompareArrows,
      run: () => void navigate({ to: '/p/$project/flags/$flag/compare', params }),
    },
    {
      label: 'Show flag history',
      keys: 'a',
      icon: Clock,
      run: () => void navigate({ to: '/p/$project/flags/$flag/activity', params }),
    },
  ]);
  return (
    <TabLinks label="Flag views">
      <TabLink
        to={target ? '/p/$project/flags/$flag/$environment' : '/p/$project/flags/$flag'}
        params={params}
        {...active}
      >
        Targeting
      </TabLink>
      <TabLink to="/p/$project/flags/$flag/compare" params={params} {...active}>
        Compare
      </TabLink>
      {target && (
        <TabLink to="/p/$project/flags/$flag/$environment/json" params={params} {...active}>
          JSON
        </TabLink>
      )}
      <TabLink to="/p/$project/flags/$flag/activity" params={params} {...active}>
        History {changeCount !== undefined && <TabCount count={changeCount} most={1_000} />}
      </TabLink>
      <TabLink to="/p/$project/flags/$flag/details" params={params} {...active}>
        Details
      </TabLink>
    </TabLinks>
  );
}
