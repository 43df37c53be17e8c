import { CircleCheck, CircleDashed, CircleX, LoaderCircle } from 'lucide-react';
import { comparedInWords } from '#domain/import/report.ts';
import { Chip } from '../../ui/Chip.tsx';
import styles from './Compared.module.css';
import shared from './ImportPage.module.css';
import { type Comparison, counted } from './source.ts';

interface Props {
  readonly environments: Comparison['environments'];
  /** The last environment is still being compared. */
  readonly isRunning?: boolean;
}

/** What the official engine says of each environment. The production one is large. */
export function Compared({ environments, isRunning = false }: Props) {
  const hasManyProjects = new Set(environments.map(({ project }) => project)).size > 1;
  const sorted = environments.toSorted((one, other) => Number(other.production) - Number(one.production));
  return (
    <ul className={styles.compared}>
      {sorted.map((one) => {
        const isCurrent = isRunning && one === environments.at(-1);
        const isWaiting = one.compared === 0 && !isCurrent;
        const isGood = one.differenceCount === 0;
        const kind = isWaiting ? 'waiting' : isGood ? 'good' : 'bad';
        const Icon = isCurrent ? LoaderCircle : isWaiting ? CircleDashed : isGood ? CircleCheck : CircleX;
        const isLarge = one.production && !isWaiting && !isCurrent && isGood;
        return (
          <li key={`${one.project} ${one.environment}`} className={`${styles[kind]} ${isLarge ? styles.large : ''}`}>
            <Icon size={15} strokeWidth={1.75} aria-hidden />
            <div>
              <b>
                {hasManyProjects && `${one.project} / `}
                {one.environment}
              </b>{' '}
              {one.production && <Chip kind="warn">Prod</Chip>}
              <p className={isLarge ? styles.proof : styles.count}>{isWaiting ? whyNot(one) : comparedInWords(one)}</p>
              {isLarge && <p className={shared.quiet}>Random keys, the official engine on both sides</p>}
              {!isWaiting && one.skipped > 0 && (
                <p className={shared.quiet}>{counted(one.skipped, 'definition')} cannot be compared</p>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function whyNot({ hasSeeds, skipped }: Comparison['environments'][number]): string {
  if (!hasSeeds && skipped > 0) return 'Waits for the SDK key';
  return skipped === 0 ? 'No definitions' : `${counted(skipped, 'definition')} cannot be compared`;
}
