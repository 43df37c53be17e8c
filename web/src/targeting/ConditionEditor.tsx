import { Plus } from 'lucide-react';
import type { Rule, Targeting } from '#domain/definitions/definition.ts';
import { addMatcher, removeMatcher, setMatcher } from '#domain/definitions/edit-rules.ts';
import styles from './ConditionEditor.module.css';
import { MatcherEditor } from './MatcherEditor.tsx';

interface Props {
  /** "If", "Else if" or "Or if". */
  readonly lead: string;
  readonly rules: readonly Rule[];
  /** The rule that is edited. */
  readonly index: number;
  /** Someone tried to save: what is missing is marked. */
  readonly isAttempted: boolean;
  readonly change: (edit: (targeting: Targeting) => Targeting) => void;
}

/** Edits the condition of a rule as a sentence. */
export function ConditionEditor({ lead, rules, index, isAttempted, change }: Props) {
  const used = attributesIn(rules);
  const matchers = rules[index]?.condition.matchers ?? [];
  return (
    <div className={styles.conditions}>
      {matchers.map((matcher, place) => (
        <MatcherEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: matchers have no id
          key={place}
          lead={place === 0 ? lead : 'and'}
          matcher={matcher}
          used={used}
          isFirst={place === 0}
          isAttempted={isAttempted}
          onChange={(next) => change((before) => setMatcher(before, { rule: index, matcher: place }, next))}
          onRemove={
            matchers.length > 1
              ? () => change((before) => removeMatcher(before, { rule: index, matcher: place }))
              : undefined
          }
        />
      ))}
      <button type="button" className={styles.and} onClick={() => change((before) => addMatcher(before, index))}>
        <Plus size={13} aria-hidden /> and
      </button>
    </div>
  );
}

const attributesIn = (rules: readonly Rule[]): string[] => [
  ...new Set(rules.flatMap(({ condition }) => condition.matchers.flatMap(({ attribute }) => attribute ?? []))),
];
