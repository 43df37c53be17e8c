import { type Part, parts } from '#domain/definitions/copy-parts.ts';
import { Checkbox, Choices } from '../../../ui/Checkbox.tsx';
import styles from './PartChoices.module.css';

const partWords: Readonly<Record<Part, string>> = {
  treatments: 'Treatments',
  targets: 'Individual targets',
  trafficAllocation: 'Traffic allocation',
  rules: 'Rules',
  defaultRule: 'Everyone else',
  impressionsDisabled: 'Impressions on or off',
  flagSets: 'Flag sets',
  killed: 'Killed state',
};

interface Props {
  readonly ticked: ReadonlySet<Part>;
  /** There is no definition to copy to yet. */
  readonly isNew: boolean;
  readonly onChange: (ticked: ReadonlySet<Part>) => void;
}

/** Which parts of a definition to copy. */
export const PartChoices = ({ ticked, isNew, onChange }: Props) => (
  <Choices label="What">
    <div className={styles.parts}>
      {parts.map((part) => (
        <Checkbox
          key={part}
          name={part}
          label={partWords[part]}
          checked={isAlways(part, isNew) || ticked.has(part)}
          disabled={isAlways(part, isNew)}
          onChange={({ target }) => onChange(withOrWithout(ticked, part, target.checked))}
        />
      ))}
    </div>
  </Choices>
);

/** The parts every new definition needs. */
const isAlways = (part: Part, isNew: boolean): boolean => isNew && part !== 'targets' && part !== 'killed';

export function withOrWithout<Item>(set: ReadonlySet<Item>, item: Item, isWanted: boolean): ReadonlySet<Item> {
  const next = new Set(set);
  if (isWanted) next.add(item);
  else next.delete(item);
  return next;
}
