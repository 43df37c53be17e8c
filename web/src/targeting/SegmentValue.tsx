import { ChevronDown } from 'lucide-react';
import { changeValue } from '#domain/definitions/edit-matchers.ts';
import type { Matcher } from '#domain/definitions/matchers.ts';
import { Picker } from '../ui/Picker.tsx';
import styles from './MatcherEditor.module.css';
import type { WrongProps } from './MatcherEditor.tsx';
import { useSegmentOptions } from './use-segment-options.tsx';

interface Props {
  readonly matcher: Matcher;
  readonly wrong: WrongProps;
  readonly onChange: (matcher: Matcher) => void;
}

/** The segment of a matcher. */
export function SegmentValue({ matcher, wrong, onChange }: Props) {
  const choose = (name: string) => onChange(changeValue(matcher, 'string', name));
  const list = useSegmentOptions(choose);
  return (
    <Picker
      {...list}
      label="Segment"
      selected={matcher.string ?? ''}
      onChoose={choose}
      trigger={(trigger) => (
        <button
          {...trigger}
          type="button"
          className={`${styles.control} ${styles.flag} ${wrong['aria-invalid'] ? styles.wrong : ''}`}
          aria-label={`Segment: ${matcher.string || 'choose'}`}
          aria-describedby={wrong['aria-describedby']}
          data-wrong={wrong['aria-invalid']}
        >
          <span className="mono">{matcher.string || 'Choose'}</span>
          <ChevronDown size={14} aria-hidden />
        </button>
      )}
    />
  );
}
