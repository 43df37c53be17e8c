import { Check } from 'lucide-react';
import styles from './Stepper.module.css';
import { type Step, steps } from './source.ts';

const titles: Readonly<Record<Step, string>> = { connect: 'Connect', plan: 'Plan', import: 'Import', verify: 'Verify' };
const abouts: Readonly<Record<Step, string>> = {
  connect: 'Read only',
  plan: 'Nothing is written yet',
  import: 'Can be interrupted',
  verify: 'Evaluate and compare',
};

/** Where the import is. */
export function Stepper({ at, source }: { readonly at: Step; readonly source: string | undefined }) {
  const now = steps.indexOf(at);
  return (
    <ol className={styles.stepper} aria-label={`Step ${now + 1} of ${steps.length}`}>
      {steps.map((step, index) => (
        <li
          key={step}
          className={index < now ? styles.past : index === now ? styles.now : undefined}
          aria-current={index === now ? 'step' : undefined}
        >
          <span className={styles.number}>
            {index < now ? <Check size={13} strokeWidth={2.5} aria-label="Done:" /> : index + 1}
          </span>
          <b>{titles[step]}</b>
          <span className={styles.about}>{step === 'connect' && source ? source : abouts[step]}</span>
        </li>
      ))}
    </ol>
  );
}
