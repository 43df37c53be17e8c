import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { listChanges } from '#contract/changes.ts';
import { countFlags, listFlags, patchFlag } from '#contract/flags.ts';
import type { ListedFlag } from '#domain/definitions/summary.ts';
import type { RolloutStatus } from '#domain/rollout-statuses.ts';
import { useOwnerNames } from '../../administration/owner-names.ts';
import { explain } from '../../kit/explain.ts';
import { call, keyOf } from '../../server/api.ts';
import type { ApiProblem } from '../../server/api-problem.ts';
import { useProject } from '../../server/project.ts';
import { toast, toastFailure } from '../../state/toasts.ts';
import { useFollow } from '../../state/use-follow.ts';
import styles from './Board.module.css';
import { BoardColumn } from './BoardColumn.tsx';
import { fold, inBoardOrder, useFolds, usualColumns } from './board.ts';
import { useFlagCounts, useFlagsSearch, useRolloutStatuses } from './flags-query.ts';
import { StatusDialog } from './StatusDialog.tsx';

export interface Move {
  readonly flag: Pick<ListedFlag, 'id' | 'name' | 'rolloutStatus'>;
  readonly to: Pick<RolloutStatus, 'id' | 'name'>;
}

/** The flags of the query by rollout status. Each open column reads its own flags, a page at a time. */
export function Board() {
  const { search } = useFlagsSearch();
  const statuses = inBoardOrder(useRolloutStatuses().data ?? []);
  const counts = useFlagCounts().data;
  const countOf = (id: string) => counts?.rolloutStatus.find((one) => one.id === id)?.count ?? 0;
  const chosen = useFolds();
  // Decided once: a column must not unfold because a card was dropped on it.
  const [usual, setUsual] = useState<ReadonlySet<string>>();
  if (!usual && counts && statuses.length > 0) setUsual(usualColumns(statuses, countOf));
  const isOpen = ({ name }: RolloutStatus) => !(chosen[name] ?? !usual?.has(name));
  const nameOf = useOwnerNames();
  const follow = useFollow();
  const board = useRef<HTMLElement>(null);
  const [dragged, setDragged] = useState<Move['flag']>();
  const { move, asked, onClose, onMoved } = useMove(board);
  const shown = search.status ? statuses.filter(({ name }) => search.status?.includes(name)) : statuses;
  if (!counts) return null;
  return (
    <>
      <p className={styles.hint}>Longest in status first. Moving a card changes its status, not what people get.</p>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: links in the cards are followed by Enter, which clicks them */}
      <section ref={board} className={styles.board} aria-label="Board" onClick={follow}>
        {shown.map((status) => (
          <BoardColumn
            key={status.id}
            status={status}
            statuses={statuses}
            count={countOf(status.id)}
            isOpen={isOpen(status)}
            onFold={(isFolded) => fold({ ...chosen, [status.name]: isFolded })}
            dragged={dragged}
            onDrag={setDragged}
            onMove={move}
            ownersOf={(flag) => flag.owners.flatMap(({ id }) => nameOf(id) ?? [])}
          />
        ))}
      </section>
      {asked && <StatusDialog flags={[asked.flag]} status={asked.to} onClose={onClose} onDone={() => onMoved(asked)} />}
    </>
  );
}

/** Sets the status. Asks for a note first if the project requires one. */
function useMove(board: React.RefObject<HTMLElement | null>) {
  const project = useProject();
  const client = useQueryClient();
  const [asked, setAsked] = useState<Move>();
  const [moved, setMoved] = useState<Move>();
  const refresh = () =>
    Promise.all(
      [listFlags, countFlags, listChanges].map((endpoint) => client.invalidateQueries({ queryKey: keyOf(endpoint) })),
    );
  const send = async ({ flag, to }: Move) => {
    try {
      await call(patchFlag, {
        params: { project: project.id, flag: flag.name },
        body: [{ op: 'replace', path: '/rolloutStatus/id', value: to.id }],
      });
    } catch (problem) {
      toastFailure(explain(problem as ApiProblem));
      return;
    }
    await refresh();
    setMoved({ flag, to });
    const undo = () => void send({ flag: { ...flag, rolloutStatus: to }, to: flag.rolloutStatus });
    toast(`Moved ${flag.name} to ${to.name}.`, { label: 'Undo', run: undo });
  };
  // The card was taken out of its column with the focus: it follows the card, or stays with the new column.
  useEffect(() => {
    if (!moved) return;
    setMoved(undefined);
    if (document.activeElement !== document.body) return;
    const at = (selector: string) => board.current?.querySelector<HTMLElement>(selector);
    (at(`[data-card="${moved.flag.id}"] a`) ?? at(`[data-status="${moved.to.id}"] button`))?.focus();
  }, [moved, board]);
  return {
    move: (wanted: Move) => {
      if (wanted.flag.rolloutStatus.id === wanted.to.id) return;
      if (project.requiresTitleAndComments) setAsked(wanted);
      else void send(wanted);
    },
    asked,
    onClose: () => setAsked(undefined),
    onMoved: (done: Move) => void refresh().then(() => setMoved(done)),
  };
}
