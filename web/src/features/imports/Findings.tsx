import { TriangleAlert } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Choices, Radio } from '../../ui/Checkbox.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { Table } from '../../ui/Table.tsx';
import styles from './Findings.module.css';
import shared from './ImportPage.module.css';
import { counted, type Report } from './source.ts';

interface Props {
  readonly environment: string;
  readonly rollouts: Report['rebucketed'];
  readonly isAccepted: boolean;
  readonly onAccept: (isAccepted: boolean) => void;
  /** Undefined for a file, whose seeds are unknown. */
  readonly onKey: ((key: string) => void) | undefined;
}

const shown = 8;

/** What would hurt people, and what can be done about it. */
export function Rebucketed({ environment, rollouts, isAccepted, onAccept, onKey }: Props) {
  const [isWhole, setWhole] = useState(false);
  const sorted = rollouts.toSorted((one, other) => other.share - one.share);
  const average = rollouts.reduce((sum, { share }) => sum + share, 0) / rollouts.length;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get('sdkKey')).trim();
    if (key !== '') onKey?.(key);
  };
  const title = `${counted(rollouts.length, 'rollout')} in ${environment} would be re-bucketed`;
  return (
    <section className={styles.finding} aria-label={title}>
      <header>
        <TriangleAlert size={18} strokeWidth={1.75} aria-hidden />
        <div>
          <h2>{title}</h2>
          <p>
            {onKey
              ? `The SDK key for ${environment} is missing, so the seeds of its percentage rollouts cannot be read.`
              : 'The source chooses the users of a percentage in its own way.'}{' '}
            With new seeds, <b>{percent(average)} of users</b> in them would get another treatment.
          </p>
        </div>
      </header>
      <Table
        caption={title}
        head={
          <tr>
            <th>Rollout</th>
            <th>Now</th>
            <th className={styles.wide}>Users who keep their treatment</th>
            <th className={shared.right}>Get another</th>
          </tr>
        }
      >
        {sorted.slice(0, isWhole ? undefined : shown).map(({ project, flag, now, share }) => (
          <tr key={`${project} ${flag}`}>
            <th scope="row" className={shared.flag}>
              {flag}
            </th>
            <td className={shared.quiet}>{now}</td>
            <td className={styles.wide}>
              <span className={styles.bar} role="img" aria-label={`${percent(1 - share)} keep their treatment`}>
                <span style={{ flexGrow: 1 - share }} />
                <span style={{ flexGrow: share }} />
              </span>
            </td>
            <td className={`${shared.right} ${shared.strong}`}>{percent(share)}</td>
          </tr>
        ))}
      </Table>
      {rollouts.length > shown && !isWhole && (
        <div className={styles.more}>
          <Button look="link" size="small" onClick={() => setWhole(true)}>
            Show all {rollouts.length}
          </Button>
        </div>
      )}
      <div className={styles.fix}>
        {onKey && (
          <form className={styles.keyForm} onSubmit={submit}>
            <PasswordField name="sdkKey" label={`SDK key for ${environment}, server-side`} autoComplete="off" />
            <Button type="submit" look="primary">
              Add key
            </Button>
          </form>
        )}
        <Choices label={`Rollouts in ${environment}`}>
          <Radio
            name={`seeds-${environment}`}
            label="Import them with new seeds"
            checked={isAccepted}
            onChange={() => onAccept(true)}
          />
          <Radio
            name={`seeds-${environment}`}
            label={rollouts.length === 1 ? 'Leave it out for now' : `Leave these ${rollouts.length} out for now`}
            checked={!isAccepted}
            onChange={() => onAccept(false)}
          />
        </Choices>
      </div>
    </section>
  );
}

const percent = (share: number): string => `${Math.round(100 * share)}%`;

/** Everything else that people must know before they import. */
export const Concerns = ({ concerns }: { readonly concerns: Report['concerns'] }) =>
  concerns.map(({ title, count, lines }) => (
    <details key={title} className={styles.concern}>
      <summary>
        {title} <span className="num">({count.toLocaleString('en')})</span>
      </summary>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
        {count > lines.length && <li>and {(count - lines.length).toLocaleString('en')} more</li>}
      </ul>
    </details>
  ));
