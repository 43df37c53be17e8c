/** Positions a floating element next to its anchor, before it is shown, so that nothing jumps. */

export interface Placement {
  readonly align?: 'start' | 'end' | undefined;
  /** At least as wide as the anchor. */
  readonly isWide?: boolean | undefined;
}

const gap = 4;
const margin = 8;
/** With less height than this, it opens above. */
const enough = 260;
/** This close to the right edge, it aligns with the end of its anchor. */
const enoughWidth = 280;

/** Below the anchor, or above if there is more room; never larger than the window. */
export function place(element: HTMLElement, anchor: Element, { align = 'start', isWide = false }: Placement): void {
  const box = anchor.getBoundingClientRect();
  const below = innerHeight - box.bottom - gap - margin;
  const above = box.top - gap - margin;
  const isAbove = below < enough && above > below;
  const isAtEnd =
    align === 'end' ? box.right > enoughWidth || box.left > innerWidth / 2 : innerWidth - box.left < enoughWidth;
  Object.assign(element.style, {
    top: isAbove ? 'auto' : `${box.bottom + gap}px`,
    bottom: isAbove ? `${innerHeight - box.top + gap}px` : 'auto',
    left: isAtEnd ? 'auto' : `${Math.max(margin, box.left)}px`,
    right: isAtEnd ? `${Math.max(margin, innerWidth - box.right)}px` : 'auto',
    maxHeight: `${isAbove ? above : below}px`,
    maxWidth: `${innerWidth - 2 * margin}px`,
    minWidth: isWide ? `${box.width}px` : '',
  });
}
