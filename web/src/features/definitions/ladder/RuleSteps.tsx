import { useEffect, useRef } from 'react';
import { duplicateRule, moveRule, removeRule } from '#domain/definitions/edit-rules.ts';
import { whyNeverReached } from '#domain/evaluation/reachability.ts';
import { useDrag } from '../../../ui/use-drag.ts';
import { useDefinition } from '../editing/editor.ts';
import { RuleStep } from './RuleStep.tsx';

interface Props {
  /** The rule that is being edited. */
  readonly open: number | undefined;
  readonly onOpen: (index: number | undefined) => void;
  /** Announces moves and removals to screen readers. */
  readonly onSay: (words: string) => void;
}

/** The rules in evaluation order. */
export function RuleSteps({ open, onOpen, onSay }: Props) {
  const { targeting, change, differences } = useDefinition();
  /** The rule to focus after the next render; -1 if none is left, which means the default rule. */
  const focused = useRef<number>(undefined);
  useEffect(() => {
    if (focused.current === undefined) return;
    const step = focused.current < 0 ? 'defaultRule' : `rule ${focused.current}`;
    document.querySelector<HTMLElement>(`[data-step="${step}"] :is([data-mark], input)`)?.focus();
    focused.current = undefined;
  });
  const move = (from: number, to: number) => {
    if (to < 0 || to >= targeting.rules.length || from === to) return;
    change((before) => moveRule(before, from, to));
    if (open !== undefined) onOpen(placeAfterMove(open, from, to));
    onSay(`Rule ${from + 1} is now rule ${to + 1}.`);
    focused.current = to;
  };
  const drag = useDrag('[data-step^="rule "]', move);
  const reasons = whyNeverReached(targeting);
  const changed = new Set(differences.flatMap((one) => (one.kind === 'rule' && one.after ? [one.after.at] : [])));
  return (
    <>
      {targeting.rules.map((rule, index) => (
        <RuleStep
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id
          key={index}
          rule={rule}
          index={index}
          isOpen={open === index}
          isChanged={changed.has(index)}
          neverReached={reasons[index]}
          drop={drag.dropAt(index)}
          onDragStart={drag.begin}
          onOpen={() => onOpen(index)}
          onClose={() => {
            onOpen(undefined);
            focused.current = index;
          }}
          onMove={(to) => move(index, to)}
          onDuplicate={() => {
            change((before) => duplicateRule(before, index));
            onOpen(index + 1);
          }}
          onRemove={() => {
            change((before) => removeRule(before, index));
            onOpen(undefined);
            focused.current = Math.min(index, targeting.rules.length - 2);
            onSay(`Removed rule ${index + 1} from the draft.`);
          }}
        />
      ))}
    </>
  );
}

/** The new index of an item after another item moved. */
function placeAfterMove(place: number, from: number, to: number): number {
  if (place === from) return to;
  if (from < place && place <= to) return place - 1;
  return to <= place && place < from ? place + 1 : place;
}
