/** Drags the items of a list by their handles. A menu and Alt with arrow keys must do the same. */
import { type PointerEvent, useState } from 'react';

interface Drag {
  readonly from: number;
  readonly to: number;
}

/** `items`: the selector of all items. */
export function useDrag(items: string, move: (from: number, to: number) => void) {
  const [drag, setDrag] = useState<Drag>();

  const begin = (event: PointerEvent<HTMLElement>, from: number) => {
    if (event.button !== 0) return;
    const mark = event.currentTarget;
    mark.setPointerCapture(event.pointerId);
    let to = from;
    const follow = ({ clientY }: globalThis.PointerEvent) => {
      to = placeAt(items, clientY, from);
      setDrag({ from, to });
    };
    const end = (last: Event) => {
      mark.removeEventListener('pointermove', follow);
      mark.removeEventListener('pointerup', end);
      mark.removeEventListener('pointercancel', end);
      setDrag(undefined);
      if (last.type === 'pointerup') move(from, to);
    };
    mark.addEventListener('pointermove', follow);
    mark.addEventListener('pointerup', end);
    mark.addEventListener('pointercancel', end);
  };

  return {
    begin,
    /** Where the dragged item would drop, as marked on the adjacent one. */
    dropAt: (index: number): 'before' | 'behind' | undefined => {
      if (!drag || drag.from === drag.to || drag.to !== index) return undefined;
      return drag.to < drag.from ? 'before' : 'behind';
    },
  };
}

/** The index for a drop at this height: after every item whose middle is above it. */
function placeAt(items: string, y: number, from: number): number {
  const above = [...document.querySelectorAll(items)].filter((item, index) => {
    const { top, height } = item.getBoundingClientRect();
    return index !== from && top + height / 2 < y;
  });
  return above.length;
}
