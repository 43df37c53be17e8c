import { ArrowRight } from 'lucide-react';
import { Fragment, Suspense } from 'react';
import { type Effect, isHarmless, movesIn, type Range } from '#domain/evaluation/effects.ts';
import { Bar, TreatmentName } from '../../../kit/Bar.tsx';
import { lazyPart } from '../../../state/lazy.ts';
import box from '../../../targeting/DifferenceBox.module.css';
import {
  changedShares,
  groupWords,
  namedWords,
  plainHeadline,
  rangeWords,
  unknownWords,
} from '../../../targeting/effect-words.ts';
import { percent } from '../../../ui/percent.ts';
import styles from './EffectView.module.css';

const FlowPicture = lazyPart('FlowPicture', () => import('./FlowPicture.tsx'));

interface Props {
  readonly effect: Effect;
  /** Served outside the traffic allocation after the change. */
  readonly defaultTreatment: string;
  /** Treatment names; their order decides the colours. */
  readonly order: readonly string[];
}

/** The effect of the whole change on all keys: the net effect, who moves where, and what is unknown. */
export function EffectView({ effect, defaultTreatment, order }: Props) {
  return (
    <section className={box.box} aria-label="Effect">
      <h3 className={styles.headline}>
        <Headline effect={effect} defaultTreatment={defaultTreatment} />
      </h3>
      <Suspense fallback={<div className={styles.waiting} />}>
        <FlowPicture effect={effect} order={order} />
      </Suspense>
      <Details effect={effect} />
    </section>
  );
}

function Headline({ effect, defaultTreatment }: Omit<Props, 'order'>) {
  const changed = changedShares(effect, defaultTreatment);
  if (changed.length === 0 || effect.groups.length === 0) return plainHeadline(effect);
  return (
    <>
      {changed.map(({ treatment, before, after }, index) => (
        <Fragment key={treatment}>
          {index > 0 && ', '}
          <code>{treatment}</code> <span className="num">{rangeWords(before)}</span>{' '}
          <ArrowRight size={14} aria-label="to" /> <span className="num">{rangeWords(after)}</span>
        </Fragment>
      ))}{' '}
      <span className={styles.of}>of all keys</span>
    </>
  );
}

interface BarProps {
  readonly shares: readonly { readonly treatment: string; readonly range: Range }[];
  readonly order: readonly string[];
}

/** Hatched: unknown which of the treatments. */
export function AllKeysBar({ shares, order }: BarProps) {
  const possible = shares.filter(({ range }) => range.max > 0);
  return (
    <>
      <Bar
        buckets={possible.map(({ treatment, range }) => ({ treatment, size: range.min }))}
        unknown={100 - possible.reduce((sum, { range }) => sum + range.min, 0)}
        order={order}
        size="medium"
        label=""
      />
      <ul className={styles.legend}>
        {possible.map(({ treatment, range }) => (
          <li key={treatment}>
            <TreatmentName treatment={treatment} order={order} /> <span className="num">{rangeWords(range)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const maxGroups = 6;

function Details({ effect }: Pick<Props, 'effect'>) {
  const { groups } = effect;
  // A single group is what the picture shows.
  const moving = groups.length === 1 ? [] : groups.filter(({ flows }) => movesIn(flows).length > 0);
  const unknowns = groups.length > 1 ? unknownWords(effect) : [];
  const named = namedWords(effect);
  if (moving.length + unknowns.length + named.length === 0) return null;
  return (
    <div className={box.impact}>
      {moving.slice(0, maxGroups).map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is rebuilt each time
        <p key={index}>
          {groupWords(group, effect)}:{' '}
          {movesIn(group.flows).map(({ from, to, share }, place) => (
            <Fragment key={`${from} ${to}`}>
              {place > 0 && ', '}
              <strong className="num">{percent(share)}</strong> {place === 0 && 'move '}from <code>{from}</code> to{' '}
              <code>{to}</code>
            </Fragment>
          ))}
          .
        </p>
      ))}
      {moving.length > maxGroups && <p>Keys also move in {moving.length - maxGroups} other combinations of rules.</p>}
      {groups.length > moving.length && moving.length > 0 && <p>Other keys keep their treatment.</p>}
      {unknowns.length > 0 && (
        <p className={styles.unknown}>
          {isHarmless(effect) ? 'Cannot tell exact shares: ' : 'Cannot tell how many keys these are: '}
          <Coded text={`${unknowns.join('; ')}.`} />
        </p>
      )}
      {named.map((words) => (
        <p key={words}>{words}</p>
      ))}
    </div>
  );
}

/** Renders text between backticks as code. */
const Coded = ({ text }: { readonly text: string }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no id
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
