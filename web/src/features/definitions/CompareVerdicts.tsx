import { useMemo } from 'react';
import { evaluatorOf, parseKey } from '#domain/evaluate.ts';
import { useFlag } from '../../flag.ts';
import type { Environment } from '../../project.ts';
import { TreatmentName } from '../../ui/Bar.tsx';
import { attributesFrom, kindsOfAttributes } from './attributes.ts';
import table from './CompareTable.module.css';
import styles from './CompareVerdicts.module.css';
import { asked } from './probe.ts';
import type { Editing } from './use-editing.ts';
import { useWorld } from './use-world.ts';

interface Side {
  readonly environment: Environment;
  readonly editing: Editing;
}

interface Props {
  readonly left: Side;
  readonly right: Side;
  readonly order: readonly string[];
}

/** What one key gets on either side. */
export function CompareVerdicts({ left, right, order }: Props) {
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
  const world = useWorld(environment.id, targeting);
  const key = parseKey(text);
  const evaluate = useMemo(() => {
    if (!targeting || !saved || complaints.length > 0) return undefined;
    const { seed, trafficAllocationSeed } = saved;
    return evaluatorOf({ ...targeting, name, seed, trafficAllocationSeed }, world);
  }, [targeting, saved, complaints, name, world]);
  if (key === undefined || !evaluate) return <span className={styles.none}>—</span>;
  const { treatment } = evaluate({ key, attributes: attributesFrom(attributes, kindsOfAttributes(targeting)) });
  return <TreatmentName treatment={treatment} order={order} />;
}
