import { TriangleAlert } from 'lucide-react';
import type { Targeting } from '#domain/definitions/definition.ts';
import { whyNeverReached } from '#domain/definitions/reachability.ts';
import { drawnFlows, type Effect, movesIn } from '#domain/evaluation/effects.ts';
import { percent } from '../../../ui/percent.ts';
import styles from './Findings.module.css';

interface Props {
  readonly targeting: Targeting;
  /** Undefined for a new definition. */
  readonly effect: Effect | undefined;
}

/** What a reviewer may overlook: rules that are never reached, and keys that move in both directions. */
export function Findings({ targeting, effect }: Props) {
  const { rules } = targeting;
  const found = [
    ...whyNeverReached(targeting).flatMap((reason, index) =>
      reason === undefined
        ? []
        : [
            {
              title: `${index === rules.length ? 'Everyone else' : `Rule ${index + 1}`} is never reached`,
              text: reason,
            },
          ],
    ),
    ...(effect ? bothWays(effect) : []),
  ];
  if (found.length === 0) return null;
  return (
    <section className={styles.findings} aria-labelledby="findings">
      <h3 id="findings" className={styles.head}>
        {found.length === 1 ? '1 finding' : `${found.length} findings`}
      </h3>
      <ul>
        {found.map(({ title, text }) => (
          <li key={title} className={styles.finding}>
            <TriangleAlert size={15} aria-hidden />
            <div>
              <b>{title}</b>
              <p>{text.charAt(0).toUpperCase() + text.slice(1)}.</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** More keys switch than the net effect needs, which is rarely meant. */
function bothWays(effect: Effect) {
  const moves = movesIn(drawnFlows(effect));
  const pair = moves.find(({ from, to }) => moves.some((other) => other.from === to && other.to === from));
  const back = pair && moves.find((other) => other.from === pair.to && other.to === pair.from);
  if (!pair || !back) return [];
  const text = `${percent(pair.share)} move from ${pair.from} to ${pair.to}, and ${percent(back.share)} move back`;
  return [{ title: 'Keys move in both directions', text }];
}
