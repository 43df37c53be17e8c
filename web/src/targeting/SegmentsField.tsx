import { ChipsField } from '../ui/ChipsField.tsx';
import { SegmentMarks } from './SegmentMarks.tsx';
import { useSegmentOptions } from './use-segment-options.tsx';

interface Props {
  readonly label: string;
  readonly selected: readonly string[];
  readonly onChange: (names: string[]) => void;
}

/** Any number of segments, in order. */
export function SegmentsField({ label, selected, onChange }: Props) {
  const list = useSegmentOptions((name) => onChange([...selected, name]));
  return (
    <div>
      <ChipsField {...list} label={label} add="Add segment" selected={selected} onChange={onChange} />
      <SegmentMarks names={selected} />
    </div>
  );
}
