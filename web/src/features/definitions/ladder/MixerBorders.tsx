import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import type { Bucket } from '#domain/definitions/definition.ts';
import { bordersOf, moveBorder } from '#domain/definitions/shares.ts';
import { sharesInWords } from '../../../kit/treatments.ts';
import styles from './MixerBorders.module.css';

interface Props {
  readonly buckets: readonly Bucket[];
  readonly onChange: (buckets: Bucket[]) => void;
}

/** The boundaries between shares, moved by dragging or arrow keys. */
export function MixerBorders({ buckets, onChange }: Props) {
  const track = useRef<HTMLDivElement>(null);
  const dragged = useRef<number>(undefined);
  const borders = bordersOf(buckets);

  const percentAt = ({ clientX }: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    return box ? Math.round(((clientX - box.left) / box.width) * 100) : 0;
  };
  const drag = (event: PointerEvent) => {
    if (dragged.current !== undefined) onChange(moveBorder(buckets, dragged.current, percentAt(event)));
  };
  const begin = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0 || borders.length === 0) return;
    const at = percentAt(event);
    dragged.current = borderOf(event.target) ?? nearest(borders, at);
    event.currentTarget.setPointerCapture(event.pointerId);
    thumbOf(track.current, dragged.current)?.focus({ focusVisible: false } as FocusOptions);
    event.preventDefault();
    if (borderOf(event.target) === undefined) drag(event);
  };

  return (
    <div
      ref={track}
      className={styles.track}
      onPointerDown={begin}
      onPointerMove={drag}
      onPointerUp={() => {
        dragged.current = undefined;
      }}
      onPointerCancel={() => {
        dragged.current = undefined;
      }}
    >
      {borders.map((place, border) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: boundaries have no id
          key={border}
          role="slider"
          tabIndex={0}
          data-border={border}
          className={styles.border}
          style={{ left: `${place}%` }}
          aria-label={`Boundary between ${buckets[border]?.treatment} and ${buckets[border + 1]?.treatment}`}
          aria-valuemin={borders[border - 1] ?? 0}
          aria-valuemax={borders[border + 1] ?? 100}
          aria-valuenow={place}
          aria-valuetext={sharesInWords(buckets)}
          onKeyDown={(event) => {
            const to = keyTarget(event, place);
            if (to === undefined) return;
            event.preventDefault();
            onChange(moveBorder(buckets, border, to));
          }}
        />
      ))}
    </div>
  );
}

/** Where a key press moves the boundary. Home and End move it as far as possible. */
function keyTarget({ key }: KeyboardEvent, place: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: place + 1,
    ArrowUp: place + 1,
    ArrowLeft: place - 1,
    ArrowDown: place - 1,
    PageUp: place + 10,
    PageDown: place - 10,
    Home: 0,
    End: 100,
  };
  return steps[key];
}

const borderOf = (target: EventTarget): number | undefined => {
  const border = target instanceof HTMLElement ? target.dataset.border : undefined;
  return border === undefined ? undefined : Number(border);
};

const nearest = (borders: readonly number[], at: number): number =>
  borders.reduce(
    (best, place, border) => (Math.abs(place - at) < Math.abs((borders[best] ?? 0) - at) ? border : best),
    0,
  );

const thumbOf = (track: HTMLElement | null, border: number) =>
  track?.querySelector<HTMLElement>(`[data-border="${border}"]`);
