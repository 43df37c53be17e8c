import { comparedInWords } from '#domain/import/report.ts';
import { Card } from '../../ui/Card.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Table } from '../../ui/Table.tsx';
import { Compared } from './Compared.tsx';
import { Concerns } from './Findings.tsx';
import styles from './ImportPage.module.css';
import { RollOut } from './RollOut.tsx';
import { type Comparison, counted, type Job } from './source.ts';

/** What an import wrote. */
export function Imported({ job }: { readonly job: Job }) {
  const { written = [], refused = [], refusedCount = 0, report } = job.result ?? {};
  const total = written.reduce((sum, { count }) => sum + count, 0);
  return (
    <Card
      title={total === 0 ? (report?.headline ?? 'Nothing to do') : `${counted(total, 'object')} imported`}
      lead="The audit log has an entry for each. Verify now: it compares what is stored with the source."
    >
      {refusedCount > 0 && (
        <Notice kind="danger">
          <p>{counted(refusedCount, 'object')} could not be written:</p>
          <ul className={styles.lines}>
            {refused.map(({ what, reason }) => (
              <li key={what}>
                {what}: {reason}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {report && <Concerns concerns={report.concerns} />}
    </Card>
  );
}

/** The proof, or each difference. Then the settings to roll out. */
export function Verified({ comparison }: { readonly comparison: Comparison }) {
  const { differenceCount, differences, skipped } = comparison;
  const isGood = differenceCount === 0 && comparison.compared > 0;
  return (
    <>
      <section className={`${styles.verdict} ${isGood ? '' : styles.bad}`} aria-label="Verification">
        <p className={styles.verdictLine}>{comparedInWords(comparison)}</p>
        <p className={styles.quiet}>
          {counted(comparison.compared, 'definition')}, random keys and attributes that reach every rule, the official
          engine on both sides.
          {skipped > 0 && ` ${counted(skipped, 'definition')} could not be compared: not here, or seeds unknown.`}
        </p>
      </section>
      {differences.length > 0 && (
        <Table
          caption="Differences"
          head={
            <tr>
              <th>Flag</th>
              <th>Key and attributes</th>
              <th>At the source</th>
              <th>Here</th>
            </tr>
          }
        >
          {differences.slice(0, 100).map(({ project, environment, flag, key, attributes, there, here }) => (
            <tr key={`${project} ${environment} ${flag} ${key} ${attributes}`}>
              <th scope="row">
                <span className={styles.flag}>{flag}</span>
                <p className={styles.quiet}>
                  {project} / {environment}
                </p>
              </th>
              <td className={styles.flag}>
                {key} {attributes}
              </td>
              <td className={styles.flag}>{there}</td>
              <td className={styles.flag}>{here}</td>
            </tr>
          ))}
        </Table>
      )}
      <div className={styles.columns}>
        <RollOut environments={comparison.environments} />
        <aside className={styles.rail}>
          <section>
            <h2 className={styles.railTitle}>Environments</h2>
            <Compared environments={comparison.environments} />
          </section>
        </aside>
      </div>
    </>
  );
}
