import type { Targeting } from '#domain/definitions/definition.ts';
import { type Funnel, funnelOf, type Taken } from '#domain/evaluation/funnel.ts';
import { percent } from '../../../ui/percent.ts';
import { useDefinition } from '../editing/editor.ts';
import { useWorld } from '../try-it/use-world.ts';
import styles from './Stream.module.css';

/** In pixels: all keys, the height at which a step takes its share, and where its number is. */
const whole = 36;
const turn = 27;
const end = 52;

/** The funnel at the left of a step: how many keys come, and how many it takes. */
export function Stream({ id }: { readonly id: string }) {
  const { targeting, environment } = useDefinition();
  const { otherFlag } = useWorld({ environment: environment.id }, targeting);
  const funnel = funnelOf(targeting, otherFlag);
  if (!funnel) return null;
  if (id === 'add') return <Pass left={funnel.rules.at(-1)?.left ?? funnel.allocation.left} />;
  const taken = takenBy(id, funnel, targeting);
  if (!taken) return null;
  const isKnown = taken.min === taken.max;
  const stays = (taken.left * whole) / 100;
  // What is unknown is a thin line, unless nothing else is left.
  const width = isKnown || stays === 0 ? (taken.max * whole) / 100 : 2;
  const at = stays + width / 2;
  return (
    <>
      {taken.left > 0 && <Pass left={taken.left} />}
      {taken.max > 0 && (
        <svg className={styles.slice} width={end} height={turn + whole / 2 + 1} aria-hidden>
          <path
            d={`M${at},0 C${at},${turn} ${at},${turn} ${end},${turn}`}
            strokeWidth={Math.max(1, width)}
            className={isKnown ? styles.taken : stays === 0 ? styles.rest : styles.unknown}
          />
        </svg>
      )}
      {words(taken, id) && (
        <span className={styles.share} title={titleOf(taken)}>
          <span className="sr">Share of all keys: </span>
          {words(taken, id)}
        </span>
      )}
    </>
  );
}

const Pass = ({ left }: { readonly left: number }) => (
  <span className={styles.pass} style={{ width: (left * whole) / 100 }} aria-hidden />
);

function takenBy(id: string, { targets, allocation, rules, rest }: Funnel, targeting: Targeting): Taken | undefined {
  if (id === 'targets') return targets;
  if (id === 'allocation') return allocation;
  if (id === 'defaultRule') return rest;
  const index = Number(id.replace('rule ', ''));
  return targeting.rules[index] && rules[index];
}

/** Individual targets are listed keys: without segments they take no share. */
function words({ min, max, asksFor }: Taken, id: string): string {
  if (id === 'targets' && max === 0) return '';
  if (asksFor.length > 0) return '?';
  return min === max ? percent(max) : `≤${percent(max)}`;
}

function titleOf({ asksFor, min, max }: Taken): string {
  const names = [...new Set(asksFor.map((one) => (one.kind === 'key' ? 'the key itself' : `${one.kind} ${one.name}`)))];
  if (names.length > 0) return `Cannot be known from the definition: depends on ${names.join(' and ')}`;
  return min === max
    ? 'Share of all keys, computed from the definition'
    : 'At most this share of all keys: rules before it may take some';
}
