import { changeValue } from '#domain/definitions/edit-matchers.ts';
import { type Matcher, matcherKindOf } from '#domain/definitions/matchers.ts';
import { SuggestInput } from '../ui/SuggestInput.tsx';
import { DependencyValue } from './DependencyValue.tsx';
import { dayValue, instantOf, minuteValue } from './dates.ts';
import { IntegerInput } from './IntegerInput.tsx';
import styles from './MatcherEditor.module.css';
import { SegmentValue } from './SegmentValue.tsx';
import { TokensInput } from './TokensInput.tsx';
import { asOptions } from './use-attributes.ts';

interface Props {
  readonly matcher: Matcher;
  readonly onChange: (matcher: Matcher) => void;
}

interface ValueProps extends Props {
  /** Values of the attribute. */
  readonly suggestions: readonly string[];
}

/** The input for a matcher's value, by matcher type. */
export function MatcherValue({ matcher, suggestions, onChange }: ValueProps) {
  switch (matcherKindOf(matcher.type).member) {
    case 'strings':
      return (
        <TokensInput
          label="Values"
          tokens={matcher.strings ?? []}
          suggestions={suggestions}
          onChange={(strings) => onChange(changeValue(matcher, 'strings', strings))}
        />
      );
    case 'string':
      if (matcher.type === 'IN_SEGMENT') return <SegmentValue matcher={matcher} onChange={onChange} />;
      return (
        <SuggestInput
          className={`${styles.control} ${styles.text}`}
          aria-label="Value"
          placeholder={placeholders[matcher.type] ?? ''}
          suggestions={matcher.type === 'MATCHES_STRING' ? [] : asOptions(suggestions)}
          value={matcher.string ?? ''}
          onText={(text) => onChange(changeValue(matcher, 'string', text))}
        />
      );
    case 'number':
      return (
        <IntegerInput
          label="Number"
          value={matcher.number}
          onChange={(number) => onChange(changeValue(matcher, 'number', number))}
        />
      );
    case 'date':
      return (
        <DateInput
          label="Date"
          isDay={matcher.type === 'ON_DATE'}
          value={matcher.date}
          onChange={(date) => onChange(changeValue(matcher, 'date', date))}
        />
      );
    case 'between':
      return <BetweenValue matcher={matcher} onChange={onChange} />;
    // The comparison already says it: is true, is false.
    case 'bool':
      return null;
    default:
      return <DependencyValue matcher={matcher} onChange={onChange} />;
  }
}

const placeholders: Partial<Record<Matcher['type'], string>> = {
  MATCHES_STRING: 'regular expression',
  EQUAL_TO_SEMVER: '1.2.3',
  GREATER_THAN_OR_EQUAL_TO_SEMVER: '1.2.3',
  LESS_THAN_OR_EQUAL_TO_SEMVER: '1.2.3',
};

function BetweenValue({ matcher, onChange }: Props) {
  const { from = '', to = '' } = matcher.between ?? {};
  const set = (ends: { from: number | string; to: number | string }) => onChange(changeValue(matcher, 'between', ends));
  const numberOf = (end: number | string) => (end === '' ? undefined : Number(end));
  if (matcher.type === 'BETWEEN_SEMVER') {
    return (
      <>
        <VersionInput label="From" value={String(from)} onChange={(value) => set({ from: value, to })} />
        <b>and</b>
        <VersionInput label="To" value={String(to)} onChange={(value) => set({ from, to: value })} />
      </>
    );
  }
  if (matcher.type === 'BETWEEN_DATE') {
    return (
      <>
        <DateInput label="From" value={numberOf(from)} onChange={(value) => set({ from: value ?? '', to })} />
        <b>and</b>
        <DateInput label="To" value={numberOf(to)} onChange={(value) => set({ from, to: value ?? '' })} />
      </>
    );
  }
  return (
    <>
      <IntegerInput label="From" value={numberOf(from)} onChange={(value) => set({ from: value ?? '', to })} />
      <b>and</b>
      <IntegerInput label="To" value={numberOf(to)} onChange={(value) => set({ from, to: value ?? '' })} />
    </>
  );
}

interface VersionProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const VersionInput = ({ label, value, onChange }: VersionProps) => (
  <input
    className={`${styles.control} ${styles.number}`}
    aria-label={label}
    placeholder="1.2.3"
    spellCheck={false}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
);

interface DateProps {
  readonly label: string;
  /** A day without a time. */
  readonly isDay?: boolean;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}

const DateInput = ({ label, isDay = false, value, onChange }: DateProps) => (
  <>
    <input
      className={`${styles.control} ${styles.date}`}
      type={isDay ? 'date' : 'datetime-local'}
      aria-label={`${label}, UTC`}
      value={isDay ? dayValue(value) : minuteValue(value)}
      onChange={({ target }) => onChange(instantOf(target.value))}
    />
    <span className={styles.unit}>UTC</span>
  </>
);
