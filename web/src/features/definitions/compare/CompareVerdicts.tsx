import { useMemo } from 'react';
import { parseKey } from '#domain/evaluation/evaluate.ts';
import { TreatmentName } from '../../../kit/Bar.tsx';
import { useFlag } from '../../../server/flag.ts';
import type { Environment } from '../../../server/project.ts';
import { unknownWords } from '../../../targeting/effect-words.ts';
import { attributesFrom, kindsOfAttributes } from '../editing/attributes.ts';
import type { Editing } from '../editing/use-editing.ts';
import { AllKeysBar } from '../review/EffectView.tsx';
import { useEffectOf } from '../review/use-effect-of.ts';
import { asked, useEvaluation } from '../try-it/probe.ts';
import { useWorld } from '../try-it/use-world.ts';
import table from './CompareTable.module.css';
import styles from './CompareVerdicts.module.css';

interface Side {
  readonly environment: Environment;
  readonly editing: Editing;
}

interface Props {
  readonly left: Side;
  readonly right: Side;
  readonly order: readonly string[];
}

/** Results on both sides: over all keys, and for one key. */
export const CompareVerdicts = (props: Props) => (
  <>
    <SharesRow {...props} />
    <KeyRow {...props} />
  </>
);

/** Shares over all keys on both sides. */
const SharesRow = ({ left, right, order }: Props) => (
  <tr className={table.row}>
    <th scope="row" className={table.name}>
      All keys
    </th>
    {[left, right].map(({ environment, editing }) => (
      <td key={environment.id} className={table.side} data-side={environment.name}>
        <div className={table.stack}>
          <AllKeys environment={environment} editing={editing} order={order} />
        </div>
      </td>
    ))}
    <td className={table.action} />
  </tr>
);

function AllKeys({ environment, editing: { targeting }, order }: Side & Pick<Props, 'order'>) {
  const effect = useEffectOf(environment.id, targeting, targeting);
  if (effect.groups.length === 0) return <span className={styles.none}>Too many rules to compare</span>;
  return (
    <>
      <AllKeysBar shares={effect.shares.map(({ treatment, after }) => ({ treatment, range: after }))} order={order} />
      {effect.groups.length > 1 && (
        <span className={styles.none}>Cannot tell exactly: {unknownWords(effect).join('; ').replaceAll('`', '')}.</span>
      )}
    </>
  );
}

/** The treatment of one key on both sides. */
function KeyRow({ left, right, order }: Props) {
  const { trafficType } = useFlag();
  const { key } = asked.use();
  return (
    <tr className={table.row}>
      <th scope="row" className={table.name}>
        <label className={styles.field}>
          A {trafficType.name} key gets
          <input
            className={styles.input}
            placeholder={`${trafficType.name} key`}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            value={key}
            onChange={({ target }) => asked.set({ ...asked.get(), key: target.value })}
          />
        </label>
      </th>
      <td className={table.side} data-side={left.environment.name}>
        <Verdict {...left} order={order} />
      </td>
      <td className={table.side} data-side={right.environment.name}>
        <Verdict {...right} order={order} />
      </td>
      <td className={table.action} />
    </tr>
  );
}

function Verdict({ environment, editing: { targeting, saved, complaints }, order }: Side & Pick<Props, 'order'>) {
  const { name } = useFlag();
  const { key: text, attributes } = asked.use();
  const key = parseKey(text);
  const world = useWorld({ environment: environment.id, key }, targeting);
  const definition = useMemo(() => {
    if (!targeting || !saved || complaints.length > 0) return undefined;
    const { seed, trafficAllocationSeed, algo } = saved;
    return { ...targeting, name, seed, trafficAllocationSeed, algo };
  }, [targeting, saved, complaints, name]);
  const given = attributesFrom(attributes, kindsOfAttributes(targeting, ...world.others));
  const { evaluation, undecided } = useEvaluation(definition, world, { key, attributes: given });
  if (undecided?.slowPattern !== undefined) {
    return <span className={styles.none}>A regular expression takes too long</span>;
  }
  if (undecided?.failed) return <span className={styles.none}>Segments could not be read</span>;
  if (!evaluation) return <span className={styles.none}>—</span>;
  return <TreatmentName treatment={evaluation.treatment} order={order} />;
}
