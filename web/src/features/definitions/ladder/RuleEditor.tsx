import { Plus } from 'lucide-react';
import { useId } from 'react';
import type { Rule } from '#domain/definitions/definition.ts';
import type { Difference } from '#domain/definitions/differences.ts';
import { addMatcher, removeMatcher, setMatcher, setRuleBuckets } from '#domain/definitions/edit-rules.ts';
import { Button } from '../../../ui/Button.tsx';
import { useDefinition } from '../editing/editor.ts';
import { useLit } from './lit.ts';
import { MatcherEditor } from './MatcherEditor.tsx';
import { Mixer } from './Mixer.tsx';
import styles from './RuleEditor.module.css';

interface Props {
  readonly rule: Rule;
  readonly index: number;
  readonly lead: string;
  readonly onClose: () => void;
}

/** Edits a rule: its condition as a sentence, and its shares. */
export function RuleEditor({ rule, index, lead, onClose }: Props) {
  const { targeting, order, change, differences } = useDefinition();
  const lit = useLit();
  const attributes = useId();
  const { matchers } = rule.condition;
  return (
    <div className={styles.editor}>
      {matchers.map((matcher, place) => (
        <MatcherEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: matchers have no id
          key={place}
          lead={place === 0 ? lead : 'and'}
          matcher={matcher}
          attributesId={attributes}
          isFirst={place === 0}
          onChange={(next) => change((before) => setMatcher(before, { rule: index, matcher: place }, next))}
          onRemove={
            matchers.length > 1
              ? () => change((before) => removeMatcher(before, { rule: index, matcher: place }))
              : undefined
          }
        />
      ))}
      <datalist id={attributes}>
        {attributesIn(targeting.rules).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button type="button" className={styles.and} onClick={() => change((before) => addMatcher(before, index))}>
        <Plus size={13} aria-hidden /> and
      </button>
      <p className={styles.then}>
        <b>then</b>
      </p>
      <Mixer
        buckets={rule.buckets}
        saved={savedBuckets(rule, index, differences)}
        treatments={targeting.treatments.map(({ name }) => name)}
        order={order}
        probe={lit.step === `rule ${index}` ? lit.pin : undefined}
        onChange={(buckets) => change((before) => setRuleBuckets(before, index, buckets))}
      />
      <div className={styles.done}>
        <Button size="small" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}

/** The saved rule, whatever its position; undefined for a new one. */
function savedBuckets(rule: Rule, index: number, differences: readonly Difference[]) {
  const difference = differences.find((one) => one.kind === 'rule' && one.after?.at === index);
  return difference?.kind === 'rule' ? difference.before?.rule.buckets : rule.buckets;
}

const attributesIn = (rules: readonly Rule[]): string[] => [
  ...new Set(rules.flatMap(({ condition }) => condition.matchers.flatMap(({ attribute }) => attribute ?? []))),
];
