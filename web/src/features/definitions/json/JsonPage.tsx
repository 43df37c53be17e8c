import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { patchDefinition } from '#contract/definitions.ts';
import { useProposing } from '../../../changesets/use-proposing.ts';
import { useFlag } from '../../../server/flag.ts';
import { type Environment, needsApproval, useEnvironments, useProject } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { isKept } from '../../../state/drafts.ts';
import { lazyPart } from '../../../state/lazy.ts';
import { useLeaveWarning } from '../../../state/use-leave-warning.ts';
import { Button } from '../../../ui/Button.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { Loading } from '../../../ui/Loading.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Tabs } from '../../../ui/Tabs.tsx';
import { PlainButtonLink, PrimaryButtonLink } from '../../../ui/TextLink.tsx';
import { useSaved } from '../editing/definitions.ts';
import { useCarryOver } from '../editing/use-carry-over.ts';
import { useEditing } from '../editing/use-editing.ts';
import { NoSuchEnvironment } from '../page/NoSuchEnvironment.tsx';
import { JsonCopies } from './JsonCopies.tsx';
import type { Typed } from './JsonEditor.tsx';
import styles from './JsonPage.module.css';
import { inOneOrder } from './member-order.ts';

/** Loaded late: the parser is large, and not everyone edits. */
const JsonEditor = lazy(() => import('./JsonEditor.tsx').then((module) => ({ default: module.JsonEditor })));
const CodeEditor = lazy(() => import('./CodeEditor.tsx').then((module) => ({ default: module.CodeEditor })));
const JsonDiff = lazy(() => import('../../../ui/JsonDiff.tsx').then((module) => ({ default: module.JsonDiff })));

const ProposeChange = lazyPart('ProposeChange', () => import('../../../changesets/ProposeChange.tsx'));

type View = 'draft' | 'saved' | 'difference';

/** The definition as JSON. Edits go to the same draft as in the ladder. */
export function JsonPage() {
  const { environment: nameOrId = '' } = useParams({ strict: false });
  const environment = useEnvironments().find(({ name, id }) => name === nameOrId || id === nameOrId);
  return environment ? (
    <JsonView key={environment.id} environment={environment} />
  ) : (
    <NoSuchEnvironment nameOrId={nameOrId} />
  );
}

function JsonView({ environment }: { readonly environment: Environment }) {
  const project = useProject();
  const flag = useFlag();
  const cannotSave = useWhyNot()(patchDefinition, { owners: flag.owners, environment: environment.id });
  const editing = useEditing(environment.id, useSaved(environment.id));
  const { isProposing, refusal, propose } = useProposing(editing, cannotSave);
  const { targeting, savedTargeting, draft } = editing;
  const { view = 'draft' }: { view?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  useCarryOver(editing, environment);
  const [typed, setTyped] = useState<Typed>();
  useLeaveWarning((draft !== undefined && !isKept(editing.place)) || (typed !== undefined && !typed.targeting));
  const params = { project: project.name, flag: flag.name, environment: environment.name };
  return (
    <>
      <h2 className="sr">JSON in {environment.name}</h2>
      {cannotSave !== undefined && (
        <Notice kind="plain">
          {cannotSave}
          {isProposing && ' What you change here is proposed to them.'}
        </Notice>
      )}
      <Suspense>{refusal !== undefined && targeting && <ProposeChange onPropose={propose} />}</Suspense>
      {targeting ? (
        <>
          <div className={styles.bar}>
            <Tabs<View>
              label="View"
              tabs={[
                { id: 'draft', label: draft ? 'Draft' : 'Definition' },
                { id: 'saved', label: 'Saved' },
                { id: 'difference', label: 'Difference' },
              ]}
              selected={view as View}
              onSelect={(id) => void navigate({ to: '.', search: { view: id }, replace: true })}
              controls="json"
            />
            <JsonCopies editing={editing} environment={environment} />
            {draft && (
              <PrimaryButtonLink to="/p/$project/flags/$flag/$environment" params={params} search={{ review: '' }}>
                {isProposing || needsApproval(environment) ? 'Review and propose' : 'Review and save'}
              </PrimaryButtonLink>
            )}
          </div>
          <div id="json" role="tabpanel" aria-label="JSON">
            <Suspense fallback={<Loading lines={8} />}>
              {view === 'draft' && (
                <JsonEditor {...{ editing, environment, typed, setTyped }} isReadOnly={refusal !== undefined} />
              )}
              {view === 'saved' && <Saved value={inOneOrder(savedTargeting)} environment={environment} />}
              {view === 'difference' && (
                <JsonDiff before={inOneOrder(savedTargeting)} after={inOneOrder(targeting)} label="Saved and draft" />
              )}
            </Suspense>
          </div>
        </>
      ) : (
        <EmptyState
          title={`Not defined in ${environment.name}`}
          action={
            refusal === undefined ? (
              <PlainButtonLink to="/p/$project/flags/$flag/$environment" params={params} search={{ paste: '' }}>
                Paste JSON
              </PlainButtonLink>
            ) : (
              <Button refusal={refusal}>Paste JSON</Button>
            )
          }
        >
          Everyone gets <code>control</code> until the flag is defined.
        </EmptyState>
      )}
    </>
  );
}

const Saved = ({ value, environment }: { readonly value: unknown; readonly environment: Environment }) =>
  value === undefined ? (
    <EmptyState title="Nothing saved yet" />
  ) : (
    <CodeEditor
      label={`Saved definition in ${environment.name} as JSON`}
      text={JSON.stringify(value, null, 2)}
      isReadOnly={true}
    />
  );
