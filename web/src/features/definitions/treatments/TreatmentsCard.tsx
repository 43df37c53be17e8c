import { Ellipsis, Flag, Pencil, Plus, Ruler, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Treatment } from '#domain/definitions/definition.ts';
import { TreatmentName } from '../../../kit/Bar.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Chip } from '../../../ui/Chip.tsx';
import { Menu, MenuItem, MenuLine } from '../../../ui/Menu.tsx';
import { useDefinition } from '../editing/editor.ts';
import { RemoveTreatmentDialog } from './RemoveTreatmentDialog.tsx';
import { TreatmentDialog } from './TreatmentDialog.tsx';
import styles from './TreatmentsCard.module.css';

type AskedTreatment = { readonly what: 'edit' | 'remove'; readonly name: string } | { readonly what: 'add' };

/** The treatments of the definition, and the menus that edit them. */
export function TreatmentsCard() {
  const { targeting, refusal, differences, complaints } = useDefinition();
  const [asked, setAsked] = useState<AskedTreatment>();
  const close = () => setAsked(undefined);
  const changed = new Set(
    differences.flatMap((one) => (one.kind === 'treatment' && one.after ? [one.after.name] : [])),
  );
  return (
    <section className={styles.part} aria-labelledby="treatments">
      <header className={styles.head}>
        <h2 id="treatments">Treatments</h2>
        <Button look="quiet" size="small" refusal={refusal} onClick={() => setAsked({ what: 'add' })}>
          <Plus size={14} aria-hidden /> Add
        </Button>
      </header>
      <ul className={styles.list}>
        {targeting.treatments.map((treatment) => (
          <Row key={treatment.name} treatment={treatment} isChanged={changed.has(treatment.name)} onAsk={setAsked} />
        ))}
      </ul>
      {complaints
        .filter(({ step }) => step === 'treatments' || step === 'other')
        .map(({ words }) => (
          <p key={words} className={styles.complaint}>
            {words}
          </p>
        ))}
      {asked?.what === 'remove' && <RemoveTreatmentDialog name={asked.name} onClose={close} />}
      {asked?.what === 'edit' && <TreatmentDialog name={asked.name} onClose={close} />}
      {asked?.what === 'add' && <TreatmentDialog onClose={close} />}
    </section>
  );
}

interface RowProps {
  readonly treatment: Treatment;
  readonly isChanged: boolean;
  readonly onAsk: (asked: AskedTreatment) => void;
}

function Row({ treatment: { name, description, configurations }, isChanged, onAsk }: RowProps) {
  const { targeting, order, differences } = useDefinition();
  const isDefault = targeting.defaultTreatment === name;
  const isBaseline = targeting.baselineTreatment === name;
  const hasNewRole = differences.some(
    ({ kind, after }) => (kind === 'defaultTreatment' || kind === 'baselineTreatment') && after === name,
  );
  return (
    <li className={`${styles.row} ${isChanged || hasNewRole ? styles.changed : ''}`}>
      <span className={styles.name}>
        <TreatmentName treatment={name} order={order} />
      </span>
      <span className={styles.words}>
        {description}
        {configurations !== undefined && <code className={styles.json}>{configurations}</code>}
      </span>
      <span className={styles.roles}>
        {isDefault && <Chip>Served when killed</Chip>}
        {isBaseline && <Chip>Baseline</Chip>}
      </span>
      <RowMenu name={name} onAsk={onAsk} />
    </li>
  );
}

function RowMenu({ name, onAsk }: { readonly name: string; readonly onAsk: (asked: AskedTreatment) => void }) {
  const { targeting, change, refusal } = useDefinition();
  const isLast = targeting.treatments.length === 1;
  const label = `${name}: edit, remove`;
  const face = {
    look: 'quiet',
    size: 'tiny',
    'aria-label': label,
    children: <Ellipsis size={15} aria-hidden />,
  } as const;
  if (refusal !== undefined) return <Button {...face} refusal={refusal} />;
  return (
    <Menu label={label} trigger={(trigger) => <Button {...face} {...trigger} />}>
      <MenuItem icon={Pencil} onSelect={() => onAsk({ what: 'edit', name })}>
        Edit
      </MenuItem>
      <MenuItem
        icon={Flag}
        refusal={targeting.defaultTreatment === name ? 'Already set.' : undefined}
        onSelect={() => change((before) => ({ ...before, defaultTreatment: name }))}
      >
        Serve when killed
      </MenuItem>
      <MenuItem
        icon={Ruler}
        refusal={targeting.baselineTreatment === name ? 'Already set.' : undefined}
        onSelect={() => change((before) => ({ ...before, baselineTreatment: name }))}
      >
        Make baseline
      </MenuItem>
      <MenuLine />
      <MenuItem
        icon={Trash2}
        look="danger"
        refusal={isLast ? 'A definition needs at least one treatment.' : undefined}
        onSelect={() => onAsk({ what: 'remove', name })}
      >
        Remove
      </MenuItem>
    </Menu>
  );
}
