import { useQuery } from '@tanstack/react-query';
import { listDrift } from '#contract/flags.ts';
import { countOf } from '../../administration/count.ts';
import { kindsInWords } from '../../kit/drift-kinds.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { reading } from '../../server/api.ts';
import { type Environment, sidesOf, useEnvironments, useProject } from '../../server/project.ts';
import { TextLink } from '../../ui/TextLink.tsx';
import styles from './ProjectHomePage.module.css';

/** Staging and production, or the closest to that; nothing if there is only one environment. */
export function DriftCard() {
  const { left, right } = sidesOf(useEnvironments(), {});
  return left && right ? <Drifting left={left} base={right} /> : null;
}

const shown = 6;

function Drifting({ left, base }: { readonly left: Environment; readonly base: Environment }) {
  const { id, name } = useProject();
  const drift = useQuery(
    reading(listDrift, { params: { project: id }, query: { base: base.id, environment: [left.id], limit: shown } }),
  );
  const params = { project: name };
  return (
    <section className={styles.card} aria-labelledby="drift">
      <Loaded query={drift}>
        {({ objects, totalCount }) => (
          <>
            <div className={styles.head}>
              <h2 id="drift">
                {totalCount === 0
                  ? `${left.name} and ${base.name} are the same`
                  : `${countOf(totalCount, 'flag differs', 'flags differ')} between ${left.name} and ${base.name}`}
              </h2>
              <TextLink to="/p/$project/drift" params={params}>
                Open drift
              </TextLink>
            </div>
            {totalCount > 0 && (
              <p className={styles.none}>
                Any difference counts here: also shares, kills, and flags that only one of them defines.
              </p>
            )}
            {objects.length > 0 && (
              <ul className={styles.drifting}>
                {objects.map((flag) => (
                  <li key={flag.id} className={styles.line}>
                    <TextLink
                      to="/p/$project/flags/$flag/compare"
                      params={{ ...params, flag: flag.name }}
                      search={{ a: left.name, b: base.name }}
                    >
                      {flag.name}
                    </TextLink>
                    <span className={styles.kinds}>{kindsInWords(flag.kinds)}</span>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
