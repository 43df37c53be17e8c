import { Suspense, useEffect, useState } from 'react';
import { killDefinition, patchDefinition } from '#contract/definitions.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { orderOf } from '#domain/definitions/definition.ts';
import { useProposing } from '../../../changesets/use-proposing.ts';
import { useFlag } from '../../../server/flag.ts';
import type { Environment } from '../../../server/project.ts';
import { useWhyNot } from '../../../server/rights.ts';
import { isKept } from '../../../state/drafts.ts';
import { lazyPart, loadWaiting } from '../../../state/lazy.ts';
import { useLeaveWarning } from '../../../state/use-leave-warning.ts';
import { RulePlaceContext } from '../../../targeting/rule-place.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { useChangesReading } from '../editing/changes.ts';
import { useSaved } from '../editing/definitions.ts';
import { useDialogs } from '../editing/dialogs.ts';
import { EditorContext, whyNotId } from '../editing/editor.ts';
import { useCarryOver } from '../editing/use-carry-over.ts';
import { useEditing } from '../editing/use-editing.ts';
import { Ladder } from '../ladder/Ladder.tsx';
import { type Lit, LitContext, nothingLit } from '../ladder/lit.ts';
import styles from './DefinitionView.module.css';
import { Editors } from './Editors.tsx';
import { KilledBand } from './KilledBand.tsx';
import { SaveBar } from './SaveBar.tsx';

const ConflictPanel = lazyPart('ConflictPanel', () => import('../../../targeting/ConflictPanel.tsx'));
const DefinitionDialogs = lazyPart('DefinitionDialogs', () => import('./DefinitionDialogs.tsx'));
const FlagSetsCard = lazyPart('FlagSetsCard', () => import('./FlagSetsCard.tsx'));
const NotDefined = lazyPart('NotDefined', () => import('./NotDefined.tsx'));
const ProposedBand = lazyPart('ProposedBand', () => import('../../../changesets/ProposedBand.tsx'));
const ProposeChange = lazyPart('ProposeChange', () => import('../../../changesets/ProposeChange.tsx'));
const Rail = lazyPart('Rail', () => import('./Rail.tsx'));
const RolloutTimeline = lazyPart('RolloutTimeline', () => import('../../../timeline/RolloutTimeline.tsx'));
const ScheduledBand = lazyPart('ScheduledBand', () => import('../../../changesets/ScheduledBand.tsx'));
const TrafficCard = lazyPart('TrafficCard', () => import('../traffic/TrafficCard.tsx'));
const TreatmentsCard = lazyPart('TreatmentsCard', () => import('../treatments/TreatmentsCard.tsx'));

/** The definition of one environment, edited in place. */
export function DefinitionView({ environment }: { readonly environment: Environment }) {
  const flag = useFlag();
  const ask = useWhyNot();
  const saved = useSaved(environment.id);
  const editing = useEditing(environment.id, saved);
  const { targeting, savedTargeting, draft } = editing;
  const whyNot = (endpoint: Endpoint) => ask(endpoint, { owners: flag.owners, environment: environment.id });
  const cannotSave = whyNot(patchDefinition);
  const { isProposing, refusal, propose } = useProposing(editing, cannotSave);
  const [isAttempted, setAttempted] = useState(false);
  const [openRule, setOpenRule] = useState<number>();
  const [lit, setLit] = useState<Lit>(nothingLit);
  const news = useCarryOver(editing, environment);
  const changes = useChangesReading(environment.id);
  useLeaveWarning(draft !== undefined && !isKept(editing.place));
  useEffect(loadWaiting, []);
  const { isAnyAsked } = useDialogs();
  const editor = {
    ...editing,
    environment,
    trafficType: flag.trafficType.name,
    order: orderOf(savedTargeting, targeting),
    news,
    whyNot,
    refusal,
    mayEdit: refusal === undefined,
    isProposing,
    isAttempted,
    setAttempted,
    openRule,
    setOpenRule,
  };
  const place = {
    environment,
    trafficType: flag.trafficType.name,
    trafficTypeId: flag.trafficType.id,
    flag: flag.name,
    segment: undefined,
  };
  return (
    <EditorContext value={editor}>
      <RulePlaceContext value={place}>
        <div className={styles.columns}>
          <LitContext value={lit}>
            <div className={styles.main}>
              <h2 className="sr">{environment.name}</h2>
              {cannotSave !== undefined && (
                <Notice kind="plain" id={whyNotId}>
                  {cannotSave}
                  {whyNot(killDefinition) === undefined && saved && ' You can kill and restore it here.'}
                  {isProposing && ' What you change here is proposed to them.'}
                </Notice>
              )}
              <Suspense>{refusal !== undefined && <ProposeChange onPropose={propose} />}</Suspense>
              <Editors />
              {saved?.killed && <KilledBand />}
              <Suspense>
                <ScheduledBand environment={environment} saved={savedTargeting} />
                <ProposedBand environment={environment} object={{ flag: flag.id }} />
              </Suspense>
              <Suspense>
                {draft && draft.conflicts.length > 0 && (
                  <ConflictPanel
                    draft={draft}
                    place={editing.place}
                    order={editor.order}
                    trafficType={flag.trafficType.name}
                    changes={changes}
                  />
                )}
              </Suspense>
              {targeting ? (
                <>
                  <Ladder />
                  <Suspense>
                    <TreatmentsCard />
                    <FlagSetsCard />
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
        {saved && (
          <Suspense fallback={<div className={styles.timeline} />}>
            <RolloutTimeline environment={environment} saved={saved} draft={draft && targeting} order={editor.order} />
            <TrafficCard />
          </Suspense>
        )}
        {draft && <SaveBar />}
        <Suspense>{isAnyAsked && <DefinitionDialogs />}</Suspense>
      </RulePlaceContext>
    </EditorContext>
  );
}
