import { useState } from 'react';
import { useSettled } from '../state/use-settled.ts';
import { matchesInTime, Undecided, usePatternVerdicts } from './patterns.ts';
import styles from './RegexTester.module.css';

interface Props {
  /** A valid regular expression. */
  readonly pattern: string;
  /** Known values, which it starts with. */
  readonly suggestions: readonly string[];
}

const maxSamples = 8;

/** Shows which samples match. Runs them like SDKs in JavaScript, in a worker that is stopped if one takes too long. */
export function RegexTester({ pattern, suggestions }: Props) {
  const [text, setText] = useState<string>();
  usePatternVerdicts();
  const shown = text ?? suggestions.slice(0, 3).join('\n');
  const settled = useSettled(pattern);
  const samples = [...new Set(useSettled(shown).split('\n'))].filter((line) => line !== '').slice(0, maxSamples);
  const verdicts = samples.map((sample) => ({ sample, verdict: verdictOf(settled, sample) }));
  const slow = verdicts.find(({ verdict }) => verdict === 'slow');
  return (
    <div className={styles.tester}>
      <label className={styles.samples}>
        <span>Try it: one sample per line</span>
        <textarea
          rows={Math.min(maxSamples, Math.max(2, shown.split('\n').length))}
          spellCheck={false}
          autoCapitalize="off"
          value={shown}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <ul className={styles.verdicts} aria-label="Results" aria-live="polite">
        {verdicts.map(({ sample, verdict }) => (
          <li key={sample} data-verdict={verdict}>
            <code>{sample}</code> <span>{words[verdict]}</span>
          </li>
        ))}
      </ul>
      {slow && (
        <p className={styles.slow} role="alert">
          <code>{pattern}</code> takes too long for <code>{slow.sample}</code> and was stopped. It would stall SDKs too:
          avoid nested repetitions.
        </p>
      )}
    </div>
  );
}

const words = { yes: 'matches', no: 'does not match', slow: 'takes too long', waiting: '…' } as const;

function verdictOf(pattern: string, sample: string): keyof typeof words {
  try {
    return matchesInTime(pattern, sample) ? 'yes' : 'no';
  } catch (problem) {
    if (!(problem instanceof Undecided)) throw problem;
    return problem.reason.slowPattern === undefined ? 'waiting' : 'slow';
  }
}
