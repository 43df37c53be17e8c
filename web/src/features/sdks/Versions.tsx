import { TriangleAlert } from 'lucide-react';
import type { CSSProperties } from 'react';
import type { ConnectedSdk } from '#domain/sdks.ts';
import { isOverHttp } from '../../sdks/connected.ts';
import { Card } from '../../ui/Card.tsx';
import { number, type SdkUse, usesOf, type VersionUse } from './fleet.ts';
import styles from './Versions.module.css';

/** Which SDKs run in which versions. Those that lack something are named with what to do. */
export function Versions({ sdks }: { readonly sdks: readonly ConnectedSdk[] }) {
  const uses = usesOf(sdks.filter((sdk) => !isOverHttp(sdk)));
  const most = Math.max(1, ...uses.map(({ count }) => count));
  const lacking = uses.flatMap(({ name, versions }) =>
    versions.flatMap(({ version, advice }) => (advice === undefined ? [] : [{ name, version, advice }])),
  );
  return (
    <Card title="Versions">
      {uses.length === 0 ? (
        <p className={styles.quiet}>Only evaluations over HTTP, without an SDK.</p>
      ) : (
        <ul className={styles.uses}>
          {uses.map((use) => (
            <Use key={use.name} use={use} most={most} />
          ))}
        </ul>
      )}
      {uses.length > 0 && (
        <ul className={styles.legend}>
          {(['newest', 'older', 'lacking'] as const)
            .filter((kind) => uses.some(({ versions }) => versions.some((one) => one.kind === kind)))
            .map((kind) => (
              <li key={kind}>
                <span className={`${styles.swatch} ${styles[kind]}`} aria-hidden /> {words[kind]}
              </li>
            ))}
        </ul>
      )}
      {lacking.map(({ name, version, advice }) => (
        <p key={`${name} ${version}`} className={styles.advice}>
          <TriangleAlert size={15} aria-hidden />
          <span>
            <b>
              {name} {version}
            </b>
            : {advice}
          </span>
        </p>
      ))}
    </Card>
  );
}

const words: Readonly<Record<VersionUse['kind'], string>> = {
  newest: 'Newest in use',
  older: 'Older',
  lacking: 'Lacks something',
};

const Use = ({ use: { name, count, versions }, most }: { readonly use: SdkUse; readonly most: number }) => (
  <li className={styles.use}>
    <span className={`mono ${styles.name}`}>{name}</span>
    <span aria-hidden>
      <span className={styles.bar} style={{ width: `${(count / most) * 100}%` }}>
        {versions.map(({ version, count: many, kind }) => (
          <span key={version} className={styles[kind]} style={{ flexGrow: many } satisfies CSSProperties} />
        ))}
      </span>
    </span>
    <span className={`num ${styles.count}`}>{number(count)}</span>
    <span className={`num ${styles.versions}`}>
      {versions.map(({ version, count: many, kind }) => (
        <span key={version} className={kind === 'lacking' ? styles.bad : undefined}>
          {version || 'no version'} × {number(many)}
        </span>
      ))}
    </span>
  </li>
);
