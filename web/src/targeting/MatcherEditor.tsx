import { ChevronDown, CircleAlert, X } from 'lucide-react';
import { type FocusEvent, Suspense, useId, useState } from 'react';
import { changeAttribute, changeMatcherType, changeVerb, verbOf } from '#domain/definitions/edit-matchers.ts';
import { checkMatcher, type Matcher, type MatcherType, matcherKindOf } from '#domain/definitions/matchers.ts';
import { lazyPart } from '../state/lazy.ts';
import { Button } from '../ui/Button.tsx';
import { SuggestInput } from '../ui/SuggestInput.tsx';
import { FlagSubject } from './FlagSubject.tsx';
import styles from './MatcherEditor.module.css';
import { MatcherValue } from './MatcherValue.tsx';
import { type MatcherComplaint, matcherComplaint } from './matcher-complaint.ts';
import { verbWords } from './matcher-words.ts';
import { useRulePlace } from './rule-place.ts';
import { SegmentMarks } from './SegmentMarks.tsx';
import { attributeOptions, useAttributes, useValuesOf } from './use-attributes.ts';

const RegexTester = lazyPart('RegexTester', () => import('./RegexTester.tsx'));

interface Props {
  /** "If", "Else if" or "and". */
  readonly lead: string;
  readonly matcher: Matcher;
  /** The attributes that the rules use, to suggest them. */
  readonly used: readonly string[];
  readonly isFirst: boolean;
  /** Someone tried to save, so what is missing is marked. */
  readonly isAttempted: boolean;
  readonly onChange: (matcher: Matcher) => void;
  readonly onRemove: (() => void) | undefined;
}

interface Sort {
  readonly label: string;
  /** The type of declared attributes that it is for. */
  readonly dataType?: string;
  readonly types: readonly [MatcherType, ...MatcherType[]];
}

const sorts: readonly Sort[] = [
  {
    label: 'Text',
    dataType: 'STRING',
    types: ['IN_LIST_STRING', 'STARTS_WITH_STRING', 'ENDS_WITH_STRING', 'CONTAINS_STRING', 'MATCHES_STRING'],
  },
  {
    label: 'Number',
    dataType: 'NUMBER',
    types: ['EQUAL_NUMBER', 'GREATER_THAN_OR_EQUAL_NUMBER', 'LESS_THAN_OR_EQUAL_NUMBER', 'BETWEEN_NUMBER'],
  },
  {
    label: 'Date',
    dataType: 'DATETIME',
    types: ['ON_DATE', 'ON_OR_AFTER_DATE', 'ON_OR_BEFORE_DATE', 'BETWEEN_DATE'],
  },
  { label: 'List', dataType: 'SET', types: ['ANY_OF_SET', 'ALL_OF_SET', 'EQUAL_SET', 'PART_OF_SET'] },
  {
    label: 'Version',
    types: [
      'EQUAL_TO_SEMVER',
      'GREATER_THAN_OR_EQUAL_TO_SEMVER',
      'LESS_THAN_OR_EQUAL_TO_SEMVER',
      'BETWEEN_SEMVER',
      'IN_LIST_SEMVER',
    ],
  },
  { label: 'Yes or no', types: ['BOOLEAN'] },
  { label: 'Segment', types: ['IN_SEGMENT'] },
  { label: 'Another flag', types: ['IN_SPLIT'] },
];

/** The sort that fits the attribute comes first. */
const sortsFor = (dataType: string | undefined): readonly Sort[] =>
  sorts.toSorted((one, other) => Number(isFor(other, dataType)) - Number(isFor(one, dataType)));
const isFor = (sort: Sort, dataType: string | undefined) => dataType !== undefined && sort.dataType === dataType;

/**
 * The choices of a matcher type: itself and its negation. "is not true" differs from "is false" only for users without
 * the attribute, so it is offered only if the definition already has it.
 */
function formsOf(type: MatcherType, matcher: Matcher): Matcher[] {
  if (type !== 'BOOLEAN') return [{ type }, { type, negate: true }];
  const forms: Matcher[] = [true, false].map((bool) => ({ type, bool }));
  return matcher.type === type && matcher.negate ? [...forms, matcher] : forms;
}

/** One matcher as a sentence in fixed columns: subject, comparison and value. */
export function MatcherEditor(props: Props) {
  const { lead, matcher, used, isFirst, onChange, onRemove } = props;
  const { trafficType } = useRulePlace();
  const declared = useAttributes(trafficType);
  const [wrong, error, onBlur] = useComplaint(props);
  const { attribute } = matcherKindOf(matcher.type);
  const dataTypeOf = (name: string | undefined) => declared.find(({ id }) => id === name)?.dataType ?? undefined;
  const suggestions = useValuesOf(declared, matcher.attribute);
  const setAttribute = (name: string) => {
    const next = changeAttribute(matcher, name);
    const sort = sorts.find((one) => isFor(one, dataTypeOf(name)));
    // Nothing is lost: it had no value yet.
    const isOther = sort && !sort.types.includes(matcher.type) && isEmpty(matcher);
    onChange(isOther ? changeMatcherType(next, sort.types[0]) : next);
  };
  return (
    <fieldset className={styles.matcher} onBlur={onBlur}>
      <legend className="sr">Condition</legend>
      <b className={styles.lead}>{lead}</b>
      {matcher.depends ? (
        <FlagSubject matcher={matcher} wrong={wrong('subject')} onChange={onChange} />
      ) : attribute === 'none' ? (
        <span className={styles.subject}>{trafficType}</span>
      ) : (
        <SuggestInput
          className={`${styles.control} ${styles.attribute}`}
          aria-label="Attribute"
          placeholder={attribute === 'optional' ? `${trafficType} key` : 'attribute'}
          suggestions={attributeOptions(declared, used)}
          maxLength={255}
          autoFocus={isFirst}
          value={matcher.attribute ?? ''}
          onText={setAttribute}
          {...wrong('subject')}
        />
      )}
      <div className={styles.verb}>
        <select
          className={styles.control}
          aria-label="Comparison"
          value={verbOf(matcher)}
          onChange={({ target }) => onChange(changeVerb(matcher, target.value))}
        >
          {sortsFor(dataTypeOf(matcher.attribute)).map(({ label, types }) => (
            <optgroup key={label} label={label}>
              {types.flatMap((type) =>
                formsOf(type, matcher).map((form) => (
                  <option key={verbOf(form)} value={verbOf(form)}>
                    {verbWords(form)}
                  </option>
                )),
              )}
            </optgroup>
          ))}
        </select>
        <ChevronDown size={14} aria-hidden />
      </div>
      <div className={styles.value}>
        <MatcherValue matcher={matcher} suggestions={suggestions} wrong={wrong('value')} onChange={onChange} />
      </div>
      {onRemove && (
        <div className={styles.remove}>
          <Button look="quiet" size="tiny" aria-label="Remove this condition" onClick={onRemove}>
            <X size={14} aria-hidden />
          </Button>
        </div>
      )}
      {error}
      <div className={styles.below}>
        {matcher.type === 'IN_SEGMENT' && matcher.string && <SegmentMarks names={[matcher.string]} />}
        {matcher.type === 'MATCHES_STRING' && checkMatcher(matcher).length === 0 && (
          <Suspense>
            <RegexTester key={matcher.attribute} pattern={matcher.string ?? ''} suggestions={suggestions} />
          </Suspense>
        )}
      </div>
    </fieldset>
  );
}

const isEmpty = ({ string, strings, number, date }: Matcher): boolean =>
  !string && !strings?.length && number === undefined && date === undefined;

/** For the input that is wrong: the message describes it, and attempts to save lead to it. */
export interface WrongProps {
  readonly 'aria-invalid'?: true;
  readonly 'aria-describedby'?: string;
}

/** What is missing is said once someone has left the condition or tried to save. */
function useComplaint({ matcher, isAttempted }: Props) {
  const id = useId();
  const [isLeft, setLeft] = useState(false);
  const complaint = isLeft || isAttempted ? matcherComplaint(matcher) : undefined;
  const wrong = (field: MatcherComplaint['field']): WrongProps =>
    complaint?.field === field ? { 'aria-invalid': true, 'aria-describedby': id } : {};
  const error = complaint && (
    <p id={id} className={`${styles.error} ${complaint.field === 'value' ? styles.ofValue : ''}`}>
      <CircleAlert size={13} aria-hidden /> {complaint.words}
    </p>
  );
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    // Other windows take the focus too, and bring it back.
    if (!relatedTarget || currentTarget.contains(relatedTarget)) return;
    // A message that appears while a button is pressed would move the button away.
    if (!document.querySelector('button:active')) return setLeft(true);
    addEventListener('pointerup', () => setTimeout(() => setLeft(true)), { once: true });
  };
  return [wrong, error, onBlur] as const;
}
