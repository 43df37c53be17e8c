/** Drags rules by their numbers. The menu and Alt with arrow keys do the same. */
import { type PointerEvent, useState } from 'react';

interface Drag {
  readonly from: number;
  readonly to: number;
}

export function useRuleDrag(move: (from: number, to: number) => void) {
  const [drag, setDrag] = useState<Drag>();

  const begin = (event: PointerEvent<HTMLElement>, from: number) => {
    if (event.button !== 0) return;
    const mark = event.currentTarget;
    mark.setPointerCapture(event.pointerId);
    let to = from;
    const follow = ({ clientY }: globalThis.PointerEvent) => {
      to = placeAt(clientY, from);
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
    /** Where the dragged rule would drop, as marked on the adjacent rule. */
    dropAt: (index: number): 'before' | 'behind' | undefined => {
      if (!drag || drag.from === drag.to || drag.to !== index) return undefined;
      return drag.to < drag.from ? 'before' : 'behind';
    },
  };
}

/** The index for a drop at this height: after every rule whose middle is above it. */
function placeAt(y: number, from: number): number {
  const steps = [...document.querySelectorAll('[data-step^="rule "]')];
  const above = steps.filter((step, index) => {
    const { top, height } = step.getBoundingClientRect();
    return index !== from && top + height / 2 < y;
  });
  return above.length;
}
