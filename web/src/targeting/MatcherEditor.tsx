import { X } from 'lucide-react';
import { changeAttribute, changeVerb, verbOf } from '#domain/definitions/edit-matchers.ts';
import { type Matcher, type MatcherType, matcherKindOf } from '#domain/definitions/matchers.ts';
import { Button } from '../ui/Button.tsx';
import { SuggestInput } from '../ui/SuggestInput.tsx';
import styles from './MatcherEditor.module.css';
import { MatcherValue } from './MatcherValue.tsx';
import { verbWords } from './matcher-words.ts';
import { useRulePlace } from './rule-place.ts';
import { SegmentMarks } from './SegmentMarks.tsx';
import { attributeOptions, useAttributes, valuesOf } from './use-attributes.ts';

interface Props {
  /** "If", "Else if" or "and". */
  readonly lead: string;
  readonly matcher: Matcher;
  /** The attributes that the rules use, to suggest them. */
  readonly used: readonly string[];
  readonly isFirst: boolean;
  readonly onChange: (matcher: Matcher) => void;
  readonly onRemove: (() => void) | undefined;
}

const sorts: readonly [label: string, types: readonly MatcherType[]][] = [
  ['Text', ['IN_LIST_STRING', 'STARTS_WITH_STRING', 'ENDS_WITH_STRING', 'CONTAINS_STRING', 'MATCHES_STRING']],
  ['Number', ['EQUAL_NUMBER', 'GREATER_THAN_OR_EQUAL_NUMBER', 'LESS_THAN_OR_EQUAL_NUMBER', 'BETWEEN_NUMBER']],
  ['Date', ['ON_DATE', 'ON_OR_AFTER_DATE', 'ON_OR_BEFORE_DATE', 'BETWEEN_DATE']],
  ['List', ['EQUAL_SET', 'ANY_OF_SET', 'ALL_OF_SET', 'PART_OF_SET']],
  [
    'Version',
    [
      'EQUAL_TO_SEMVER',
      'GREATER_THAN_OR_EQUAL_TO_SEMVER',
      'LESS_THAN_OR_EQUAL_TO_SEMVER',
      'BETWEEN_SEMVER',
      'IN_LIST_SEMVER',
    ],
  ],
  ['Yes or no', ['BOOLEAN']],
  ['Segment', ['IN_SEGMENT']],
  ['Another flag', ['IN_SPLIT']],
];

/**
 * The choices of a matcher type: itself and its negation. "is not true" differs from "is false" only for users without
 * the attribute, so it is offered only if the definition already has it.
 */
function formsOf(type: MatcherType, matcher: Matcher): Matcher[] {
  if (type !== 'BOOLEAN') return [{ type }, { type, negate: true }];
  const forms: Matcher[] = [true, false].map((bool) => ({ type, bool }));
  return matcher.type === type && matcher.negate ? [...forms, matcher] : forms;
}

/** One matcher as a sentence: attribute, comparison and value. */
export function MatcherEditor({ lead, matcher, used, isFirst, onChange, onRemove }: Props) {
  const { trafficType } = useRulePlace();
  const declared = useAttributes(trafficType);
  const { attribute } = matcherKindOf(matcher.type);
  return (
    <fieldset className={styles.matcher}>
      <legend className="sr">Condition</legend>
      <b className={styles.lead}>{lead}</b>
      {attribute === 'none' ? (
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
          onText={(text) => onChange(changeAttribute(matcher, text))}
        />
      )}
      <select
        className={`${styles.control} ${styles.verb}`}
        aria-label="Comparison"
        value={verbOf(matcher)}
        onChange={({ target }) => onChange(changeVerb(matcher, target.value))}
      >
        {sorts.map(([label, types]) => (
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
      <div className={styles.value}>
        <MatcherValue matcher={matcher} suggestions={valuesOf(declared, matcher.attribute)} onChange={onChange} />
      </div>
      {onRemove && (
        <Button look="quiet" size="tiny" aria-label="Remove this condition" onClick={onRemove}>
          <X size={14} aria-hidden />
        </Button>
      )}
      {matcher.type === 'IN_SEGMENT' && matcher.string && <SegmentMarks names={[matcher.string]} />}
    </fieldset>
  );
}
