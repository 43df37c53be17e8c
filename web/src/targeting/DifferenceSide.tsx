import { useQueries } from '@tanstack/react-query';
import type { Rule, Treatment } from '#domain/definitions/definition.ts';
import type { Difference } from '#domain/definitions/differences.ts';
import { Bar, Legend, TreatmentName } from '../kit/Bar.tsx';
import { flagSetNameReading } from '../kit/flag-sets.ts';
import { Condition, Token } from './Condition.tsx';
import styles from './DifferenceSide.module.css';

interface Look {
  readonly order: readonly string[];
  readonly trafficType: string;
}

interface Props extends Look {
  readonly difference: Difference;
  readonly side: 'before' | 'after';
}

/** One side of a difference. */
export function DifferenceSide({ difference, side, order, trafficType }: Props) {
  switch (difference.kind) {
    case 'killed':
      return <span>{difference[side] ? 'Killed: everyone gets one treatment' : 'The rules apply'}</span>;
    case 'impressionsDisabled':
      return <span>{difference[side] ? 'SDKs send no impressions' : 'SDKs send impressions'}</span>;
    case 'trafficAllocation':
      return <span className="num">{difference[side]}%</span>;
    case 'defaultRule':
      return <Shares buckets={difference[side]} order={order} />;
    case 'defaultTreatment':
    case 'baselineTreatment':
      return <TreatmentName treatment={difference[side]} order={order} />;
    case 'treatmentOrder':
      return <span className="mono">{difference[side].join(', ')}</span>;
    case 'rule':
      return <RuleSide placed={difference[side]} order={order} trafficType={trafficType} />;
    case 'treatment':
      return <TreatmentSide treatment={difference[side]} order={order} />;
    case 'flagSets':
      return <FlagSetNames ids={difference[side].map(({ id }) => id)} />;
    case 'keys':
    case 'segments':
      return <Texts texts={difference[side]} />;
    default:
      return <code>{JSON.stringify(difference[side]) ?? 'none'}</code>;
  }
}

const Shares = ({
  buckets,
  order,
}: { readonly buckets: Rule['buckets'] | readonly Rule['buckets'][0][] } & Pick<Look, 'order'>) => (
  <>
    <Bar buckets={buckets} order={order} size="medium" label="" />
    <Legend buckets={buckets} order={order} />
  </>
);

const maxTexts = 8;

const Texts = ({ texts }: { readonly texts: readonly string[] }) => (
  <span className={styles.texts}>
    {texts.slice(0, maxTexts).map((text, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: deleted flag sets may have the same name
      <Token key={index}>{text}</Token>
    ))}
    {texts.length > maxTexts && <span className={styles.none}>{texts.length - maxTexts} more</span>}
    {texts.length === 0 && <span className={styles.none}>None</span>}
  </span>
);

/** Also names of deleted ones. Never ids, which mean nothing to people. */
function FlagSetNames({ ids }: { readonly ids: readonly string[] }) {
  const answers = useQueries({ queries: ids.map(flagSetNameReading) });
  return <Texts texts={answers.map(({ data, isPending }) => data ?? (isPending ? '…' : 'deleted flag set'))} />;
}

function RuleSide({ placed, order, trafficType }: Look & { readonly placed: { at: number; rule: Rule } | undefined }) {
  if (!placed) return <span className={styles.none}>None</span>;
  // Rules of segments have no shares.
  const isOfFlag = placed.rule.buckets.length > 0;
  return (
    <>
      {placed.rule.name !== undefined && <b>{placed.rule.name}</b>}
      <Condition
        rule={placed.rule}
        lead={placed.at === 0 ? 'If' : isOfFlag ? 'Else if' : 'Or if'}
        trafficType={trafficType}
      />
      {isOfFlag && <Shares buckets={placed.rule.buckets} order={order} />}
    </>
  );
}

function TreatmentSide({ treatment, order }: Pick<Look, 'order'> & { readonly treatment: Treatment | undefined }) {
  if (!treatment) return <span className={styles.none}>No such treatment</span>;
  const { name, description, configurations, keys = [] } = treatment;
  return (
    <>
      <TreatmentName treatment={name} order={order} />
      {description !== undefined && <span className={styles.text}>{description}</span>}
      {configurations !== undefined && <code className={styles.json}>{configurations}</code>}
      {keys.length > 0 && (
        <span className={styles.text}>
          {keys.length} individual {keys.length === 1 ? 'target' : 'targets'}
        </span>
      )}
    </>
  );
}
