import { X } from 'lucide-react';
import { changeAttribute, changeVerb, verbOf } from '#domain/definitions/edit-matchers.ts';
import { type Matcher, type MatcherType, matcherKindOf } from '#domain/definitions/matchers.ts';
import { Button } from '../ui/Button.tsx';
import styles from './MatcherEditor.module.css';
import { MatcherValue } from './MatcherValue.tsx';
import { matcherComplaint } from './matcher-complaint.ts';
import { verbWords } from './matcher-words.ts';
import { useRulePlace } from './rule-place.ts';

interface Props {
  /** "If", "Else if" or "and". */
  readonly lead: string;
  readonly matcher: Matcher;
  /** The id of a datalist of known attributes. */
  readonly attributesId: string;
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
export function MatcherEditor({ lead, matcher, attributesId, isFirst, onChange, onRemove }: Props) {
  const { trafficType } = useRulePlace();
  const { attribute } = matcherKindOf(matcher.type);
  const [complaint] = matcherComplaint(matcher);
  return (
    <fieldset className={styles.matcher}>
      <legend className="sr">Condition</legend>
      <b className={styles.lead}>{lead}</b>
      {attribute === 'none' ? (
        <span className={styles.subject}>{trafficType}</span>
      ) : (
        <input
          className={`${styles.control} ${styles.attribute}`}
          aria-label="Attribute"
          placeholder={attribute === 'optional' ? `${trafficType} key` : 'attribute'}
          list={attributesId}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          maxLength={255}
          // biome-ignore lint/a11y/noAutofocus: the user just asked to edit it
          autoFocus={isFirst}
          value={matcher.attribute ?? ''}
          onChange={({ target }) => onChange(changeAttribute(matcher, target.value))}
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
        <MatcherValue matcher={matcher} onChange={onChange} />
      </div>
      {onRemove && (
        <Button look="quiet" size="tiny" aria-label="Remove this condition" onClick={onRemove}>
          <X size={14} aria-hidden />
        </Button>
      )}
      {complaint === undefined && matcher.type === 'IN_SEGMENT' && (
        <p className={styles.hint}>
          A segment that does not exist counts as empty: the rule matches nobody until it does.
        </p>
      )}
    </fieldset>
  );
}
