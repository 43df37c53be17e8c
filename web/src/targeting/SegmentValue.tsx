import { ChevronDown } from 'lucide-react';
import { changeValue } from '#domain/definitions/edit-matchers.ts';
import type { Matcher } from '#domain/definitions/matchers.ts';
import { Button } from '../ui/Button.tsx';
import { Picker } from '../ui/Picker.tsx';
import { useSegmentOptions } from './use-segment-options.tsx';

interface Props {
  readonly matcher: Matcher;
  readonly onChange: (matcher: Matcher) => void;
}

/** The segment of a matcher. */
export function SegmentValue({ matcher, onChange }: Props) {
  const choose = (name: string) => onChange(changeValue(matcher, 'string', name));
  const list = useSegmentOptions(choose);
  return (
    <Picker
      {...list}
      label="Segment"
      selected={matcher.string ?? ''}
      onChoose={choose}
      trigger={(trigger) => (
        <Button {...trigger} aria-label={`Segment: ${matcher.string || 'choose'}`}>
          <span className="mono">{matcher.string || 'Choose'}</span>
          <ChevronDown size={14} aria-hidden />
        </Button>
      )}
    />
  );
}
