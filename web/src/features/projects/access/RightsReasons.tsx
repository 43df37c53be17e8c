import { useEffect, useLayoutEffect, useRef } from 'react';
import { canWords, RightMark } from '../../../administration/RightMark.tsx';
import { RightReason } from '../../../administration/RightReason.tsx';
import { Avatar } from '../../../ui/Avatar.tsx';
import { place as placeNear } from '../../../ui/placement.ts';
import { type Place, places, placeWords, type RightsCell, type RightsRow } from './effective-rights.ts';
import styles from './RightsReasons.module.css';

function stateOf({ before, after }: RightsCell, place: Place) {
  if (before[place].may === after[place].may) return after[place].may ? 'has' : 'lacks';
  return after[place].may ? 'gains' : 'loses';
}

const isChanged = ({ before, after }: RightsCell, place: Place): boolean =>
  before[place].may !== after[place].may || before[place].withApproval !== after[place].withApproval;

/** A right has the same place in every cell, so that columns can be compared at a glance. */
export const RightsMarks = ({ cell }: { readonly cell: RightsCell }) => (
  <span className={styles.marks}>
    {places.map((place) => (
      <RightMark key={place} right={place} state={stateOf(cell, place)} isGuarded={cell.after[place].withApproval} />
    ))}
  </span>
);

/** For screen readers: "can view, cannot edit, can kill and restore after saving". */
export const wordsOf = (cell: RightsCell): string =>
  places
    .map((place) => {
      const when = isChanged(cell, place) ? ' after saving' : '';
      return `${canWords(cell.after[place], placeWords[place]).toLowerCase()}${when}`;
    })
    .join(', ');

interface Props {
  readonly id: string;
  readonly row: RightsRow;
  readonly cell: RightsCell;
  readonly anchor: HTMLElement;
  readonly onStay: () => void;
  readonly onLeave: () => void;
  readonly onClose: () => void;
}

/** Explains the rights in a cell, next to it. */
export function RightsReasons({ id, row, cell, anchor, onStay, onLeave, onClose }: Props) {
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = panel.current;
    if (!element) return;
    placeNear(element, anchor, {});
    element.showPopover();
    // Wider than what `place` leaves room for.
    const over = element.getBoundingClientRect().right - (innerWidth - 8);
    if (over > 0) Object.assign(element.style, { left: `${element.offsetLeft - over}px`, right: 'auto' });
    return () => element.hidePopover();
  }, [anchor]);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && close.current();
    const onPress = ({ target }: PointerEvent) => {
      if (target instanceof Node && !panel.current?.contains(target) && !anchor.contains(target)) close.current();
    };
    const onScroll = () => close.current();
    addEventListener('keydown', onKey);
    addEventListener('pointerdown', onPress);
    addEventListener('scroll', onScroll, true);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener('pointerdown', onPress);
      removeEventListener('scroll', onScroll, true);
    };
  }, [anchor]);
  return (
    <div
      ref={panel}
      id={id}
      role="tooltip"
      popover="manual"
      className={styles.panel}
      onPointerEnter={onStay}
      onPointerLeave={onLeave}
    >
      <p className={styles.title}>
        <Avatar name={row.user.name} /> {row.user.name} in {cell.environment.name}
      </p>
      <ul className={styles.reasons}>
        {places.map((place) => (
          <Reason key={place} cell={cell} place={place} />
        ))}
      </ul>
      {!row.isAdministrator && (
        <p className={styles.foot}>
          Administrators have every right. Where approvals are required, their changes need one too.
        </p>
      )}
    </div>
  );
}

function Reason({ cell, place }: { readonly cell: RightsCell; readonly place: Place }) {
  const { reason, ...verdict } = cell.after[place];
  const when = isChanged(cell, place) ? ', after saving' : '';
  return (
    <RightReason
      right={place}
      state={stateOf(cell, place)}
      isGuarded={verdict.withApproval}
      what={`${canWords(verdict, placeWords[place])}${when}`}
      why={reason}
    />
  );
}
