import { Suspense, useEffect, useState } from 'react';
import { patchDefinition } from '#contract/definitions.ts';
import { orderOf } from '#domain/definitions/definition.ts';
import { askSentence, useAdministrators } from '../../../kit/Denied.tsx';
import { useFlag } from '../../../server/flag.ts';
import type { Environment } from '../../../server/project.ts';
import { useMay } from '../../../server/session.ts';
import { useLeaveWarning } from '../../../state/use-leave-warning.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { useSaved } from '../editing/definitions.ts';
import { useDialogs } from '../editing/dialogs.ts';
import { EditorContext } from '../editing/editor.ts';
import { lazyPart, loadWaiting } from '../editing/lazy.ts';
import { useCarryOver } from '../editing/use-carry-over.ts';
import { useEditing } from '../editing/use-editing.ts';
import { Ladder } from '../ladder/Ladder.tsx';
import { type Lit, LitContext, nothingLit } from '../ladder/lit.ts';
import { DefinitionTools } from './DefinitionTools.tsx';
import styles from './DefinitionView.module.css';
import { KilledBand } from './KilledBand.tsx';
import { SaveBar } from './SaveBar.tsx';

const ConflictPanel = lazyPart('ConflictPanel', () => import('../review/ConflictPanel.tsx'));
const DefinitionDialogs = lazyPart('DefinitionDialogs', () => import('./DefinitionDialogs.tsx'));
const NotDefined = lazyPart('NotDefined', () => import('./NotDefined.tsx'));
const Rail = lazyPart('Rail', () => import('./Rail.tsx'));
const TreatmentsCard = lazyPart('TreatmentsCard', () => import('../treatments/TreatmentsCard.tsx'));

/** The definition of one environment, edited in place. */
export function DefinitionView({ environment }: { readonly environment: Environment }) {
  const flag = useFlag();
  const may = useMay();
  const saved = useSaved(environment.id);
  const editing = useEditing(environment.id, saved);
  const { targeting, savedTargeting, draft } = editing;
  const mayEdit = may(patchDefinition);
  const [isAttempted, setAttempted] = useState(false);
  const [lit, setLit] = useState<Lit>(nothingLit);
  const news = useCarryOver(editing, environment);
  useLeaveWarning(draft !== undefined);
  useEffect(loadWaiting, []);
  const { isAnyAsked } = useDialogs();
  const editor = {
    ...editing,
    environment,
    trafficType: flag.trafficType.name,
    order: orderOf(savedTargeting, targeting),
    news,
    mayEdit,
    isAttempted,
    setAttempted,
  };
  return (
    <EditorContext value={editor}>
      <div className={styles.columns}>
        <LitContext value={lit}>
          <div className={styles.main}>
            <DefinitionTools />
            {!mayEdit && <ViewOnly environment={environment} />}
            {saved?.killed && <KilledBand />}
            <Suspense>{draft && draft.conflicts.length > 0 && <ConflictPanel />}</Suspense>
            {targeting ? (
              <>
                <Ladder />
                <Suspense>
                  <TreatmentsCard />
                </Suspense>
              </>
            ) : (
              <Suspense>
                <NotDefined />
              </Suspense>
            )}
          </div>
        </LitContext>
        <aside className={styles.rail} aria-label={`About ${environment.name}`}>
          <Suspense>
            <Rail onLit={setLit} />
          </Suspense>
        </aside>
      </div>
      {draft && mayEdit && <SaveBar />}
      <Suspense>{isAnyAsked && <DefinitionDialogs />}</Suspense>
    </EditorContext>
  );
}

const ViewOnly = ({ environment }: { readonly environment: Environment }) => (
  <Notice kind="plain">
    You can view this flag in {environment.name}, but not edit it. {askSentence(useAdministrators())}
  </Notice>
);
