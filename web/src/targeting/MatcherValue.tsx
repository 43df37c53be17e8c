import { Suspense } from 'react';
import { changeValue } from '#domain/definitions/edit-matchers.ts';
import { type Matcher, matcherKindOf } from '#domain/definitions/matchers.ts';
import { lazyPart } from '../state/lazy.ts';
import { SuggestInput } from '../ui/SuggestInput.tsx';
import { TreatmentsValue } from './FlagSubject.tsx';
import { IntegerInput } from './IntegerInput.tsx';
import styles from './MatcherEditor.module.css';
import type { WrongProps } from './MatcherEditor.tsx';
import { jointOf } from './matcher-words.ts';
import { SegmentValue } from './SegmentValue.tsx';
import { TokensInput } from './TokensInput.tsx';
import { asOptions } from './use-attributes.ts';

const DateField = lazyPart('DateField', () => import('./DateField.tsx'));

interface Props {
  readonly matcher: Matcher;
  readonly wrong: WrongProps;
  readonly onChange: (matcher: Matcher) => void;
}

interface ValueProps extends Props {
  /** Values of the attribute. */
  readonly suggestions: readonly string[];
}

/** The input for a matcher's value, by matcher type. */
export const MatcherValue = (props: ValueProps) => (
  <Suspense>
    <Value {...props} />
  </Suspense>
);

function Value({ matcher, suggestions, wrong, onChange }: ValueProps) {
  switch (matcherKindOf(matcher.type).member) {
    case 'strings':
      return (
        <TokensInput
          label="Values"
          placeholder="Add a value"
          joint={jointOf(matcher.type)}
          wrong={wrong}
          tokens={matcher.strings ?? []}
          suggestions={suggestions}
          onChange={(strings) => onChange(changeValue(matcher, 'strings', strings))}
        />
      );
    case 'string':
      if (matcher.type === 'IN_SEGMENT') return <SegmentValue matcher={matcher} wrong={wrong} onChange={onChange} />;
      return (
        <SuggestInput
          className={`${styles.control} ${styles.text}`}
          aria-label="Value"
          placeholder={placeholders[matcher.type] ?? ''}
          suggestions={matcher.type === 'MATCHES_STRING' ? [] : asOptions(suggestions)}
          value={matcher.string ?? ''}
          {...wrong}
          onText={(text) => onChange(changeValue(matcher, 'string', text))}
        />
      );
    case 'number':
      return (
        <IntegerInput
          label="Number"
          wrong={wrong}
          value={matcher.number}
          onChange={(number) => onChange(changeValue(matcher, 'number', number))}
        />
      );
    case 'date':
      return (
        <DateField
          label="Date"
          wrong={wrong}
          isDay={matcher.type === 'ON_DATE'}
          value={matcher.date}
          onChange={(date) => onChange(changeValue(matcher, 'date', date))}
        />
      );
    case 'between':
      return <BetweenValue matcher={matcher} wrong={wrong} onChange={onChange} />;
    // The comparison already says it: is true, is false.
    case 'bool':
      return null;
    default:
      return <TreatmentsValue matcher={matcher} wrong={wrong} onChange={onChange} />;
  }
}

const placeholders: Partial<Record<Matcher['type'], string>> = {
  MATCHES_STRING: 'regular expression',
  EQUAL_TO_SEMVER: '1.2.3',
  GREATER_THAN_OR_EQUAL_TO_SEMVER: '1.2.3',
  LESS_THAN_OR_EQUAL_TO_SEMVER: '1.2.3',
};

function BetweenValue({ matcher, wrong, onChange }: Props) {
  const { from = '', to = '' } = matcher.between ?? {};
  const set = (ends: { from: number | string; to: number | string }) => onChange(changeValue(matcher, 'between', ends));
  /** If one end is missing, only that one is wrong; otherwise both are. */
  const wrongEnd = (end: number | string, other: number | string) => (end === '' || other !== '' ? wrong : {});
  const numberOf = (end: number | string) => (end === '' ? undefined : Number(end));
  if (matcher.type === 'BETWEEN_SEMVER') {
    return (
      <>
        <VersionInput
          label="From"
          wrong={wrongEnd(from, to)}
          value={String(from)}
          onChange={(value) => set({ from: value, to })}
        />
        <b>and</b>
        <VersionInput
          label="To"
          wrong={wrongEnd(to, from)}
          value={String(to)}
          onChange={(value) => set({ from, to: value })}
        />
      </>
    );
  }
  if (matcher.type === 'BETWEEN_DATE') {
    return (
      <>
        <DateField
          label="From"
          wrong={wrongEnd(from, to)}
          value={numberOf(from)}
          onChange={(value) => set({ from: value ?? '', to })}
        />
        <b>and</b>
        <DateField
          label="To"
          wrong={wrongEnd(to, from)}
          value={numberOf(to)}
          onChange={(value) => set({ from, to: value ?? '' })}
        />
      </>
    );
  }
  return (
    <>
      <IntegerInput
        label="From"
        wrong={wrongEnd(from, to)}
        value={numberOf(from)}
        onChange={(value) => set({ from: value ?? '', to })}
      />
      <b>and</b>
      <IntegerInput
        label="To"
        wrong={wrongEnd(to, from)}
        value={numberOf(to)}
        onChange={(value) => set({ from, to: value ?? '' })}
      />
    </>
  );
}

interface VersionProps {
  readonly label: string;
  readonly wrong: WrongProps;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const VersionInput = ({ label, wrong, value, onChange }: VersionProps) => (
  <input
    className={`${styles.control} ${styles.number}`}
    aria-label={label}
    {...wrong}
    placeholder="1.2.3"
    spellCheck={false}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
);
