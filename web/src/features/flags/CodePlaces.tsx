import { useQuery } from '@tanstack/react-query';
import { codeReading } from '../../kit/CodeReferences.tsx';
import { useFlag } from '../../server/flag.ts';
import { useProject } from '../../server/project.ts';
import { Card } from '../../ui/Card.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './CodePlaces.module.css';

/** Where code names the flag, by the last report of each branch. */
export function CodePlaces() {
  const { data } = useQuery(codeReading(useProject().id, useFlag().name));
  if (!data) return null;
  if (data.reports.length === 0) {
    return <Card title="Code" lead="No report of code references names this flag." />;
  }
  return (
    <Card title="Code" lead="Where code names this flag, by the last scan of each branch.">
      {data.reports.map(({ repository, branch, commit, reportedAt, references }) => (
        <section key={`${repository} ${branch}`} aria-label={`${repository}, ${branch}`}>
          <p className={styles.branch}>
            <b>{repository}</b> {branch} {commit !== undefined && <code>{commit.slice(0, 7)}</code>} ·{' '}
            <Time at={reportedAt} />
          </p>
          <ul className={styles.list}>
            {references.map(({ path, line, excerpt, url }) => (
              <li key={`${path}:${line}`}>
                {url === undefined ? (
                  <code>
                    {path}:{line}
                  </code>
                ) : (
                  <a href={url} target="_blank" rel="noreferrer" className={styles.link}>
                    <code>
                      {path}:{line}
                    </code>
                  </a>
                )}
                {excerpt !== undefined && <code className={styles.excerpt}>{excerpt}</code>}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Card>
  );
}
