import { diffLines } from 'diff';
import { useMemo } from 'react';
import styles from './JsonDiff.module.css';

interface Props {
  /** Undefined: did not exist. */
  readonly before: unknown;
  readonly after: unknown;
  readonly label: string;
}

interface Line {
  readonly number: number;
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

/** Unchanged lines shown around a change. */
const context = 3;

/** A line diff of two JSON values. Long unchanged parts are collapsed. */
export function JsonDiff({ before, after, label }: Props) {
  const parts = useMemo(() => withoutLongStretches(linesOf(before, after)), [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    <section className={styles.frame} aria-label={label} tabIndex={0}>
      <ol className={styles.lines}>
        {parts.map((line) =>
          typeof line === 'string' ? (
            <li key={line} className={styles.skipped}>
              {line}
            </li>
          ) : (
            <li key={line.number} className={faces[line.sign]}>
              <span className={styles.sign}>{line.sign}</span>
              {line.sign !== ' ' && <span className="sr">{line.sign === '+' ? 'added' : 'removed'}</span>}
              {line.text}
            </li>
          ),
        )}
      </ol>
    </section>
  );
}

const faces = { '+': styles.added, '-': styles.removed, ' ': styles.same };

const textOf = (value: unknown): string => (value === undefined ? '' : `${JSON.stringify(value, null, 2)}\n`);

function linesOf(before: unknown, after: unknown): Line[] {
  let number = 0;
  return diffLines(textOf(before), textOf(after)).flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text): Line => ({ number: number++, sign: added ? '+' : removed ? '-' : ' ', text })),
  );
}

/** Collapses lines far from every change into one that counts them. */
function withoutLongStretches(lines: readonly Line[]): (Line | string)[] {
  const near = new Set<number>();
  for (const { number, sign } of lines) {
    if (sign === ' ') continue;
    for (let at = number - context; at <= number + context; at += 1) near.add(at);
  }
  const shown: (Line | string)[] = [];
  let skipped = 0;
  for (const line of [...lines, undefined]) {
    if (line && !near.has(line.number)) {
      skipped += 1;
      continue;
    }
    if (skipped > 0) {
      const last = (line?.number ?? lines.length) + 1;
      shown.push(`${skipped === 1 ? '1 unchanged line' : `${skipped} unchanged lines`}, up to line ${last - 1}`);
    }
    skipped = 0;
    if (line) shown.push(line);
  }
  return shown;
}
