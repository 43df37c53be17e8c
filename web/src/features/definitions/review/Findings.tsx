import { TriangleAlert } from 'lucide-react';
import type { Finding } from '#domain/evaluation/findings.ts';
import { ExampleWords } from '../../../targeting/ExampleWords.tsx';
import styles from './Findings.module.css';

/** What a reviewer may overlook, as found by the verifier. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <section className={styles.findings} aria-labelledby="findings">
      <h3 id="findings" className={styles.head}>
        {findings.length === 1 ? '1 finding' : `${findings.length} findings`}
      </h3>
      <ul>
        {findings.map(({ title, text, example }) => (
          <li key={`${title} ${text}`} className={styles.finding}>
            <TriangleAlert size={15} aria-hidden />
            <div>
              <b>{title}</b>
              <p>{text}</p>
              {example && (
                <p>
                  <ExampleWords example={example} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
