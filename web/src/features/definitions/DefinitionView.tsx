import { Suspense, useEffect, useState } from 'react';
import { patchDefinition } from '#contract/definitions.ts';
import { useFlag } from '../../flag.ts';
import type { Environment } from '../../project.ts';
import { useMay } from '../../session.ts';
import { orderOf } from '../../targeting/targeting-of.ts';
import { DefinitionTools } from './DefinitionTools.tsx';
import styles from './DefinitionView.module.css';
import { useSaved } from './definitions.ts';
import { useDialogs } from './dialogs.ts';
import { EditorContext } from './editor.ts';
import { KilledBand } from './KilledBand.tsx';
import { Ladder } from './Ladder.tsx';
import { ConflictPanel, DefinitionDialogs, loadWaiting, NotDefined, Rail, TreatmentsCard } from './late.ts';
import { type Lit, LitContext, nothingLit } from './lit.ts';
import { SaveBar } from './SaveBar.tsx';
import { useCarryOver } from './use-carry-over.ts';
import { useEditing } from './use-editing.ts';
import { useLeaveWarning } from './use-leave-warning.ts';
import { ViewOnly } from './ViewOnly.tsx';

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
