import { useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { type Environment, sidesOf, useEnvironments } from '../../../server/project.ts';
import { Button } from '../../../ui/Button.tsx';
import { Checkbox } from '../../../ui/Checkbox.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { Select } from '../../../ui/Select.tsx';
import styles from './ComparePage.module.css';
import { CompareTable } from './CompareTable.tsx';

/** Compares a flag in two environments step by step, and copies differences over. */
export function ComparePage() {
  const environments = useEnvironments();
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { left, right } = sidesOf(environments, search);
  const set = (next: { a?: string; b?: string; all?: string | undefined }) =>
    void navigate({ to: '.', search: { a: left?.name, b: right?.name, all: search.all, ...next }, replace: true });
  return (
    <>
      <h2 className="sr">Compare</h2>
      {left && right ? (
        <>
          <div className={styles.choices}>
            <EnvironmentSelect label="Left" chosen={left} other={right} onChoose={(a) => set({ a })} />
            <Button size="icon" aria-label="Swap sides" onClick={() => set({ a: right.name, b: left.name })}>
              <ArrowLeftRight size={15} aria-hidden />
            </Button>
            <EnvironmentSelect label="Right" chosen={right} other={left} onChoose={(b) => set({ b })} />
            <Checkbox
              label="Only differences"
              checked={search.all === undefined}
              onChange={({ target }) => set({ all: target.checked ? undefined : '' })}
            />
          </div>
          <CompareTable key={right.id} left={left} right={right} isWhole={search.all !== undefined} />
        </>
      ) : (
        <EmptyState title="This project has only one environment">You need two to compare.</EmptyState>
      )}
    </>
  );
}

interface SelectProps {
  readonly label: string;
  readonly chosen: Environment;
  /** Already chosen on the other side. */
  readonly other: Environment;
  readonly onChoose: (name: string) => void;
}

function EnvironmentSelect({ label, chosen, other, onChoose }: SelectProps) {
  const environments = useEnvironments().filter(({ id }) => id !== other.id);
  return (
    <Select name={label} label={label} value={chosen.name} onChange={({ target }) => onChoose(target.value)}>
      {environments.map(({ id, name, production }) => (
        <option key={id} value={name}>
          {name}
          {production ? ' (production)' : ''}
        </option>
      ))}
    </Select>
  );
}
